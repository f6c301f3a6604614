#include <utility>

#include "deft/shell/parser.h"

// What begins with "$", a backtick, "<(" or ">(": substitutions and arithmetic. ${…} is in parameter.cc.

namespace deft::shell {
namespace {

constexpr std::string_view kSpecialParameters = "@*#?$!-";
constexpr std::string_view kArithmeticCharacters = " \t+-*/%<>=!&|^~?:,[]#._@";

Part parameter_part(std::string name) {
  Part part;
  part.kind = PartKind::parameter;
  part.parameter = std::make_unique<Parameter>();
  part.parameter->name = std::move(name);
  return part;
}

// bash 5.2 writes a substitution's commands out again and reads that. With a here-document among several commands it
// loses a separator on the way, so `$(a <<E; ! b)` may run `a ! b`.
bool is_one_simple_command(const List& list) {
  if (list.items.size() != 1 || list.items[0].background || list.items[0].pipelines.size() != 1) return false;
  const Pipeline& pipeline = list.items[0].pipelines[0];
  if (pipeline.negated || pipeline.timed || pipeline.commands.size() != 1) return false;
  return std::holds_alternative<SimpleCommand>(pipeline.commands[0].what);
}

}  // namespace

bool Parser::dollar(std::vector<Part>& out, bool quoted) {
  const char next = peek(1);
  if (next == '(') return looking_at("$((") ? arithmetic_expansion(out) : command_substitution(out);
  if (next == '{') return braced_parameter(out, quoted);
  if (next == '[') return fail("$[ ]");
  if (next == '\\' && peek(2) == '\n') return fail("a line continued after $");
  if (next == '\'' && !quoted) return ansi_quoted(out);
  if (next == '"' && !quoted) return fail("$\"…\", which is translated");
  if (is_name_start(next)) {
    std::size_t end = 2;
    while (is_name_char(peek(end))) ++end;
    out.push_back(parameter_part(std::string(text_.substr(position_ + 1, end - 1))));
    position_ += end;
    if (quoted ? looking_at("\\\n") : at_continuation() && !is_metacharacter(peek(2))) {
      return fail("a line continued inside a name");
    }
    return true;
  }
  if (is_digit(next) || (next != '\0' && kSpecialParameters.find(next) != std::string_view::npos)) {
    out.push_back(parameter_part(std::string(1, next)));
    position_ += 2;
    return true;
  }
  out.push_back(text_part(quoted ? PartKind::quoted : PartKind::literal, "$"));
  ++position_;
  return true;
}

bool Parser::command_substitution(std::vector<Part>& out) {
  if (!pending_.empty()) return fail("a substitution before a here-document's text");
  Nested nested(*this);
  if (!enter(nested)) return false;
  position_ += 2;
  Part part;
  part.kind = PartKind::command;
  part.body = std::make_unique<List>();
  skip_blanks();
  // When bash looks for the end of the substitution it takes this for a plain word, and for a keyword when it runs it.
  if (bare_word() == "time") return fail("time at the begin of a substitution");
  const int documents_before = documents_read_;
  if (!list(*part.body)) return false;
  if (peek() != ')') return fail("$( without )");
  if (documents_read_ != documents_before && !is_one_simple_command(*part.body)) {
    return fail("a here-document beside other commands in a substitution");
  }
  if (!pending_.empty()) return fail("a here-document that its substitution cuts");
  ++position_;
  out.push_back(std::move(part));
  return true;
}

bool Parser::process_substitution(std::vector<Part>& out) {
  const std::string direction(1, peek());
  if (peek(2) == '(') return fail("<(( and >((");  // bash looks for its end as if it were arithmetic
  if (!command_substitution(out)) return false;
  if (out.back().body->items.empty()) return fail("an empty process substitution");
  out.back().kind = PartKind::process;
  out.back().text = direction;
  return true;
}

// Inside backticks a backslash quotes "$", "`" and itself, and only then is the text read as a script.
bool Parser::backticks(std::vector<Part>& out, bool quoted) {
  if (!pending_.empty()) return fail("a substitution before a here-document's text");
  Nested nested(*this);
  if (!enter(nested)) return false;
  std::size_t end = position_ + 1;
  std::string body;
  while (end < text_.size() && text_[end] != '`') {
    const char c = text_[end];
    if (c == '\\') {
      if (quoted || end + 1 >= text_.size()) return fail("a backslash in `…`");
      const char next = text_[end + 1];
      if (next == '\n') return fail("a line continued in `…`");
      if (next != '$' && next != '`' && next != '\\') body += c;
      body += next;
      end += 2;
      continue;
    }
    // Quotes inside quotes, and comments that may or may not hide the closing backtick.
    if ((quoted && c == '"') || c == '#') return fail("an unusual character in `…`");
    body += c;
    ++end;
  }
  if (end >= text_.size()) return fail("a backtick that is not closed");
  Part part;
  part.kind = PartKind::command;
  part.body = std::make_unique<List>();
  Parser inside(body, depth_);
  if (!inside.script(*part.body)) return fail("in `…`: " + inside.error().reason);
  position_ = end + 1;
  out.push_back(std::move(part));
  return true;
}

bool Parser::arithmetic_expansion(std::vector<Part>& out) {
  Nested nested(*this);
  if (!enter(nested)) return false;
  position_ += 3;
  Word expression;
  if (!arithmetic(expression, ")")) return false;
  if (!looking_at("))")) return fail("$(( that is not arithmetic");
  position_ += 2;
  Part part;
  part.kind = PartKind::arithmetic;
  part.text = std::move(expression.source);
  part.parts = std::move(expression.parts);
  out.push_back(std::move(part));
  return true;
}

// Reads up to one of the characters in `end`, outside parentheses. Only characters that mean the same whether bash
// takes this for arithmetic or not: no quotes, no backslash, no ";" or line end.
bool Parser::arithmetic(Word& out, std::string_view end) {
  const std::size_t start = position_;
  std::string run;
  const auto flush = [&] {
    if (!run.empty()) out.parts.push_back(text_part(PartKind::literal, std::exchange(run, {})));
  };
  int parentheses = 0;
  while (true) {
    if (at_end()) return fail("arithmetic without its end");
    const char c = peek();
    if (parentheses == 0 && end.find(c) != std::string_view::npos) break;
    if (c == '$') {
      flush();
      if (!dollar(out.parts, /*quoted=*/true)) return false;
      continue;
    }
    const bool is_allowed = is_name_char(c) || kArithmeticCharacters.find(c) != std::string_view::npos;
    if (c == '(') {
      ++parentheses;
    } else if (c == ')') {
      --parentheses;
    } else if (!is_allowed) {
      return fail("an unusual character in arithmetic");
    }
    if (parentheses < 0) return fail("a parenthesis too many in arithmetic");
    run += c;
    ++position_;
  }
  flush();
  out.source = since(start);
  return true;
}

}  // namespace deft::shell
