#include <utility>

#include "deft/shell/parser.h"

// Simple commands: assignments, words and redirections in one line.

namespace deft::shell {
namespace {

inline constexpr std::size_t kDescriptorDigitsMax = 4;

struct RedirectionToken {
  std::string_view text;
  RedirectionKind kind;
};
// Longest first: the first that fits is the one bash reads.
constexpr RedirectionToken kRedirections[] = {
    {"&>>", RedirectionKind::append_both},  {"&>", RedirectionKind::write_both},
    {"<<<", RedirectionKind::here_string},  {"<<-", RedirectionKind::here_document},
    {"<<", RedirectionKind::here_document}, {"<&", RedirectionKind::duplicate_in},
    {"<>", RedirectionKind::read_write},    {"<", RedirectionKind::read},
    {">>", RedirectionKind::append},        {">&", RedirectionKind::duplicate_out},
    {">|", RedirectionKind::clobber},       {">", RedirectionKind::write},
};

// "1", "-" and "1-" name descriptors; whatever else follows >& is a file or an expansion.
bool names_descriptor(std::string_view target) {
  if (target.ends_with('-')) target.remove_suffix(1);
  return target.empty() || is_number(target);
}

// {name}>file stores a descriptor in a variable. Not read here.
bool is_descriptor_variable(std::string_view word) { return word.starts_with('{') && word.ends_with('}'); }

}  // namespace

bool Parser::at_redirection() const {
  if (looking_at("&>")) return true;
  std::size_t digits = 0;
  while (is_digit(peek(digits))) ++digits;
  const char c = peek(digits);
  return (c == '<' || c == '>') && peek(digits + 1) != '(';
}

bool Parser::redirections(std::vector<Redirection>& out) {
  while (true) {
    skip_blanks();
    if (!at_redirection()) return true;
    if (!redirection(out)) return false;
  }
}

bool Parser::redirection(std::vector<Redirection>& out) {
  Redirection& redirection = out.emplace_back();
  const std::size_t start = position_;
  while (is_digit(peek())) ++position_;
  if (position_ - start > kDescriptorDigitsMax) return fail("a descriptor number that is too long");
  if (position_ > start) redirection.descriptor = std::stoi(since(start));
  std::string_view token;
  for (const RedirectionToken& candidate : kRedirections) {
    if (!looking_at(candidate.text)) continue;
    token = candidate.text;
    redirection.kind = candidate.kind;
    break;
  }
  position_ += token.size();
  skip_blanks();
  // In "< 2>x" the 2 belongs to what follows it, and nothing is left for "<".
  if (at_redirection()) return fail("a redirection without its target");
  if (redirection.kind == RedirectionKind::here_document) return here_document_delimiter(redirection, token == "<<-");
  if (!word(redirection.target, {.braces = redirection.kind != RedirectionKind::here_string})) return false;
  if (redirection.kind == RedirectionKind::duplicate_out && !names_descriptor(redirection.target.source)) {
    redirection.kind = RedirectionKind::write_both;
  }
  return true;
}

bool Parser::at_assignment(std::size_t& length) const {
  length = 0;
  if (!is_name_start(peek())) return false;
  std::size_t end = 1;
  while (is_name_char(peek(end))) ++end;
  if (peek(end) == '[') {
    ++end;
    while (is_name_char(peek(end))) ++end;
    if (peek(end) != ']') return true;  // length 0: an index we do not read
    ++end;
  }
  if (peek(end) == '+') ++end;
  if (peek(end) != '=') return false;
  length = end + 1;
  return true;
}

bool Parser::assignment(Assignment& out, std::size_t prefix_length) {
  if (prefix_length == 0) return fail("an array index that is not plain");
  std::string_view prefix = text_.substr(position_, prefix_length - 1);
  position_ += prefix_length;
  if (prefix.ends_with('+')) {
    out.appends = true;
    prefix.remove_suffix(1);
  }
  if (const std::size_t bracket = prefix.find('['); bracket != std::string_view::npos) {
    Word& subscript = out.subscript.emplace();
    subscript.source = prefix.substr(bracket + 1, prefix.size() - bracket - 2);
    if (subscript.source.empty()) return fail("an empty array index");
    subscript.parts.push_back(text_part(PartKind::literal, subscript.source));
    prefix = prefix.substr(0, bracket);
  }
  out.name = prefix;
  if (peek() == '(') return array_elements(out);
  if (at_end() || is_metacharacter(peek())) {
    if (!looking_at("<(") && !looking_at(">(")) return true;  // x= : the empty value
  }
  return word(out.value, {.braces = false, .is_assigned = true});
}

bool Parser::array_elements(Assignment& out) {
  if (out.subscript) return fail("an array inside an array");
  Nested nested(*this);
  if (!enter(nested)) return false;
  out.is_array = true;
  ++position_;
  while (true) {
    if (!skip_newlines()) return false;
    if (peek() == ')') break;
    if (peek() == '[') return fail("an array element with its index");
    if (!word(out.elements.emplace_back(), {})) return false;
  }
  ++position_;
  return at_end() || is_metacharacter(peek()) || fail("text after an array");
}

bool Parser::simple_command(Command& out) {
  auto& command = out.what.emplace<SimpleCommand>();
  while (true) {
    skip_blanks();
    if (at_redirection()) {
      if (!redirection(out.redirections)) return false;
      continue;
    }
    const bool substitutes = looking_at("<(") || looking_at(">(");
    if (at_end() || peek() == '#' || (is_metacharacter(peek()) && !substitutes)) break;
    std::size_t prefix_length = 0;
    if (command.words.empty() && at_assignment(prefix_length)) {
      if (!assignment(command.assignments.emplace_back(), prefix_length)) return false;
      continue;
    }
    Word& word = command.words.emplace_back();
    if (!this->word(word, {})) return false;
    if (is_descriptor_variable(word.source) && (peek() == '<' || peek() == '>')) return fail("a descriptor variable");
  }
  if (peek() == '(') {
    const bool names_function = command.words.size() == 1 && command.assignments.empty() && out.redirections.empty();
    if (!names_function) return fail("unexpected \"(\"");
    std::string name = command.words[0].source;
    ++position_;
    skip_blanks();
    if (peek() != ')') return fail("unexpected \"(\"");
    ++position_;
    return function_body(out, std::move(name)) && redirections(out.redirections);
  }
  const bool is_empty = command.words.empty() && command.assignments.empty() && out.redirections.empty();
  return !is_empty || fail("expected a command");
}

}  // namespace deft::shell
