#include <array>
#include <utility>

#include "deft/shell/parser.h"

// Compound commands: ( ) { } if while until for case function (( ))

namespace deft::shell {
namespace {

// Reserved where a command begins, and not a command we read.
constexpr std::array<std::string_view, 14> kRefusedWords = {"then", "do", "done", "fi",     "elif",   "else", "esac",
                                                            "}",    "in", "!",    "select", "coproc", "]]",   "time"};

}  // namespace

bool Parser::compound(Command& out, bool& was_compound) {
  was_compound = true;
  if (peek() == '(') return subshell(out);
  if (take_keyword("{")) return group(out);
  if (take_keyword("if")) return if_command(out);
  if (take_keyword("while")) return while_command(out, /*until=*/false);
  if (take_keyword("until")) return while_command(out, /*until=*/true);
  if (take_keyword("for")) return for_command(out);
  if (take_keyword("case")) return case_command(out);
  if (take_keyword("[[")) return conditional(out);
  if (take_keyword("function")) return function_keyword(out);
  if (!error_.reason.empty()) return false;
  const std::string_view word = bare_word();
  for (const std::string_view refused : kRefusedWords) {
    if (!word.empty() && word == refused) return fail("unexpected \"" + std::string(word) + "\"");
  }
  was_compound = false;
  return true;
}

bool Parser::subshell(Command& out) {
  Nested nested(*this);
  if (!enter(nested)) return false;
  if (looking_at("((")) {
    position_ += 2;
    auto& command = out.what.emplace<ArithmeticCommand>();
    if (!arithmetic(command.expression, ")")) return false;
    if (!looking_at("))")) return fail("\"((\" that is not arithmetic");
    position_ += 2;
    return true;
  }
  ++position_;
  auto& command = out.what.emplace<Subshell>();
  if (!list_of_some(command.body, "( )")) return false;
  if (peek() != ')') return fail("\"(\" without \")\"");
  ++position_;
  return true;
}

bool Parser::group(Command& out) {
  auto& command = out.what.emplace<Group>();
  return list_of_some(command.body, "{ }") && expect_keyword("}");
}

bool Parser::if_command(Command& out) {
  auto& command = out.what.emplace<If>();
  do {
    If::Branch& branch = command.branches.emplace_back();
    if (!list_of_some(branch.condition, "if")) return false;
    if (!expect_keyword("then")) return false;
    if (!list_of_some(branch.body, "then")) return false;
  } while (take_keyword("elif"));
  if (take_keyword("else") && !list_of_some(command.otherwise.emplace(), "else")) return false;
  return expect_keyword("fi");
}

bool Parser::do_group(List& out) { return expect_keyword("do") && list_of_some(out, "do") && expect_keyword("done"); }

bool Parser::while_command(Command& out, bool until) {
  auto& command = out.what.emplace<While>();
  command.until = until;
  return list_of_some(command.condition, "while") && do_group(command.body);
}

bool Parser::for_command(Command& out) {
  skip_blanks();
  if (looking_at("((")) return arithmetic_for(out);
  auto& command = out.what.emplace<For>();
  command.variable = bare_word();
  if (!is_name(command.variable)) return fail("for without a variable");
  position_ += command.variable.size();
  if (!skip_newlines()) return false;
  if (take_keyword("in")) {
    command.has_words = true;
    while (true) {
      skip_blanks();
      const bool substitutes = looking_at("<(") || looking_at(">(");
      if (at_end() || peek() == '#' || (is_metacharacter(peek()) && !substitutes)) break;
      if (!word(command.words.emplace_back(), {})) return false;
    }
    if (peek() != ';' && peek() != '\n' && peek() != '#') return fail("expected \";\" after the words of for");
  }
  if (peek() == ';') ++position_;
  return skip_newlines() && do_group(command.body);
}

bool Parser::arithmetic_for(Command& out) {
  auto& command = out.what.emplace<ArithmeticFor>();
  position_ += 2;
  if (!arithmetic(command.start, ";")) return false;
  ++position_;
  if (!arithmetic(command.condition, ";")) return false;
  ++position_;
  if (!arithmetic(command.step, ")")) return false;
  if (!looking_at("))")) return fail("for (( without ))");
  position_ += 2;
  skip_blanks();
  if (peek() == ';') ++position_;
  return skip_newlines() && do_group(command.body);
}

bool Parser::case_command(Command& out) {
  auto& command = out.what.emplace<Case>();
  skip_blanks();
  if (!word(command.subject, {.braces = false})) return false;
  if (!skip_newlines() || !expect_keyword("in")) return false;
  bool was_last = false;
  while (true) {
    if (!skip_newlines()) return false;
    if (take_keyword("esac")) return true;
    if (was_last) return fail("expected \"esac\"");
    if (!case_item(command.items.emplace_back(), was_last)) return false;
  }
}

bool Parser::case_item(Case::Item& out, bool& was_last) {
  if (peek() == '(') ++position_;
  while (true) {
    skip_blanks();
    if (bare_word() == "}") return fail("} as a case pattern");  // inside { } bash takes it for the end
    if (!word(out.patterns.emplace_back(), {.braces = false})) return false;
    skip_blanks();
    if (peek() != '|') break;
    ++position_;
  }
  if (peek() != ')') return fail("expected \")\" after a case pattern");
  ++position_;
  if (!list(out.body)) return false;
  for (const std::string_view end : {";;&", ";;", ";&"}) {
    if (!looking_at(end)) continue;
    position_ += end.size();
    return true;
  }
  was_last = true;
  return true;
}

bool Parser::function_keyword(Command& out) {
  skip_blanks();
  std::string name(bare_word());
  position_ += name.size();
  skip_blanks();
  if (peek() == '(') {
    ++position_;
    skip_blanks();
    if (peek() != ')') return fail("expected \"()\"");
    ++position_;
  }
  return function_body(out, std::move(name));
}

bool Parser::function_body(Command& out, std::string name) {
  for (const char c : name) {
    if (!is_name_char(c) && c != '-' && c != '.' && c != ':') return fail("an unusual function name");
  }
  if (name.empty()) return fail("a function without a name");
  Nested nested(*this);
  if (!enter(nested) || !skip_newlines()) return false;
  auto& function = out.what.emplace<Function>();
  function.name = std::move(name);
  function.body = std::make_unique<Command>();
  bool was_compound = false;
  if (!compound(*function.body, was_compound)) return false;
  return was_compound || fail("a function whose body is no compound command");
}

}  // namespace deft::shell
