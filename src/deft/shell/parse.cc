#include "deft/shell/parse.h"

#include <array>
#include <utility>

#include "deft/base/utf8.h"
#include "deft/shell/parser.h"

// Lists and pipelines, and the cursor under all of the parser.

namespace deft::shell {
namespace {

// Words that end a list when they stand where a command could.
constexpr std::array<std::string_view, 8> kListEnds = {"then", "do", "done", "fi", "elif", "else", "esac", "}"};

bool is_list_end(std::string_view word) {
  for (const std::string_view end : kListEnds) {
    if (word == end) return true;
  }
  return false;
}

}  // namespace

bool is_name(std::string_view text) {
  if (text.empty() || !is_name_start(text[0])) return false;
  for (const char c : text) {
    if (!is_name_char(c)) return false;
  }
  return true;
}

bool is_number(std::string_view text) {
  for (const char c : text) {
    if (!is_digit(c)) return false;
  }
  return !text.empty();
}

Part text_part(PartKind kind, std::string text) {
  Part part;
  part.kind = kind;
  part.text = std::move(text);
  return part;
}

std::expected<List, NotUnderstood> parse(std::string_view text) {
  if (text.size() > kParseBytesMax) return std::unexpected(NotUnderstood{0, "the text is too long"});
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(i));
    if (length == 0) return std::unexpected(NotUnderstood{i, "invalid UTF-8"});
    const auto byte = static_cast<unsigned char>(text[i]);
    // bash uses some of these inside to mark quoting, so what it makes of them is not for us to say.
    if ((byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7f) {
      return std::unexpected(NotUnderstood{i, "a control character"});
    }
    i += length;
  }
  Parser parser(text, 0);
  List list;
  if (!parser.script(list)) return std::unexpected(parser.error());
  return list;
}

bool Parser::fail(std::string_view reason) {
  if (error_.reason.empty()) error_ = {position_, std::string(reason)};
  return false;
}

bool Parser::enter(Nested&) { return depth_ <= kNestingDepthMax || fail("nested too deeply"); }

void Parser::skip_blanks() {
  while (true) {
    if (is_blank(peek())) {
      ++position_;
    } else if (at_continuation()) {
      position_ += 2;
    } else {
      return;
    }
  }
}

bool Parser::skip_newlines() {
  while (true) {
    skip_blanks();
    if (peek() == '#') {
      while (!at_end() && peek() != '\n') ++position_;
    }
    if (peek() != '\n') return true;
    if (!end_line()) return false;
  }
}

bool Parser::end_line() {
  ++position_;
  const auto documents = std::exchange(pending_, {});
  for (const PendingDocument& document : documents) {
    if (!here_document_body(document)) return false;
  }
  return true;
}

std::string_view Parser::bare_word() const {
  std::size_t end = position_;
  while (end < text_.size() && !is_metacharacter(text_[end])) {
    const char c = text_[end];
    if (c == '\\' && text_.substr(end).starts_with("\\\n")) break;
    if (c == '\'' || c == '"' || c == '\\' || c == '$' || c == '`') return {};
    ++end;
  }
  return text_.substr(position_, end - position_);
}

bool Parser::take_keyword(std::string_view keyword) {
  if (bare_word() != keyword) return false;
  position_ += keyword.size();
  // "then\<newline>x" would be the word "thenx".
  if (at_continuation() && !is_metacharacter(peek(2))) return fail("a line continued inside a word");
  return true;
}

bool Parser::expect_keyword(std::string_view keyword) {
  return take_keyword(keyword) || fail("expected \"" + std::string(keyword) + "\"");
}

bool Parser::script(List& out) {
  if (!list(out)) return false;
  if (!at_end()) return fail("unexpected \"" + std::string(1, peek()) + "\"");
  if (!pending_.empty()) return fail("a here-document without its text");
  return true;
}

bool Parser::at_list_end() const {
  if (at_end() || peek() == ')') return true;
  if (looking_at(";;") || looking_at(";&")) return true;
  return is_list_end(bare_word());
}

bool Parser::list(List& out) {
  Nested nested(*this);
  if (!enter(nested)) return false;
  while (true) {
    if (!skip_newlines()) return false;
    if (at_list_end()) return true;
    AndOr& item = out.items.emplace_back();
    if (!and_or(item)) return false;
    skip_blanks();
    if (at_end() || peek() == ')' || looking_at(";;") || looking_at(";&")) return true;
    if (peek() == ';') {
      ++position_;
    } else if (peek() == '&') {
      item.background = true;
      ++position_;
    } else if (peek() != '\n' && peek() != '#') {
      return fail("expected the end of the command");
    }
  }
}

bool Parser::list_of_some(List& out, std::string_view what) {
  if (!list(out)) return false;
  return !out.items.empty() || fail("no command in " + std::string(what));
}

bool Parser::and_or(AndOr& out) {
  while (true) {
    if (!pipeline(out.pipelines.emplace_back())) return false;
    skip_blanks();
    const bool joins_by_or = looking_at("||");
    if (!joins_by_or && !looking_at("&&")) return true;
    out.joined_by_or.push_back(joins_by_or);
    position_ += 2;
    if (!skip_newlines()) return false;
  }
}

bool Parser::pipeline(Pipeline& out) {
  while (true) {
    skip_blanks();
    if (take_keyword("!")) {
      out.negated = !out.negated;
    } else if (take_keyword("time")) {
      out.timed = true;
      skip_blanks();
      if (take_keyword("-p")) skip_blanks();
      if (peek() == '-') return fail("time with an option");
    } else {
      break;
    }
  }
  if (!error_.reason.empty()) return false;
  while (true) {
    if (!command(out.commands.emplace_back())) return false;
    skip_blanks();
    if (peek() != '|' || peek(1) == '|') return true;
    position_ += peek(1) == '&' ? 2 : 1;
    if (!skip_newlines()) return false;
  }
}

bool Parser::command(Command& out) {
  skip_blanks();
  bool was_compound = false;
  if (!compound(out, was_compound)) return false;
  if (was_compound) return redirections(out.redirections);
  return simple_command(out);
}

}  // namespace deft::shell
