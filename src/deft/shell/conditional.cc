#include <algorithm>
#include <array>

#include "deft/shell/parser.h"

// [[ … ]]

namespace deft::shell {
namespace {

constexpr std::string_view kUnaryLetters = "abcdefghknoprstuvwxzGLNORS";
constexpr std::array<std::string_view, 13> kBinary = {"==",  "=",   "!=",  "=~",  "-eq", "-ne", "-lt",
                                                      "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};

bool is_unary(std::string_view word) {
  return word.size() == 2 && word[0] == '-' && kUnaryLetters.find(word[1]) != std::string_view::npos;
}
bool is_binary(std::string_view word) { return std::ranges::find(kBinary, word) != kBinary.end(); }

}  // namespace

void Parser::skip_test_space() {
  while (true) {
    skip_blanks();
    if (peek() != '\n' || !pending_.empty()) return;
    ++position_;
  }
}

bool Parser::conditional(Command& out) {
  if (!is_blank(peek()) && peek() != '\n') return fail("expected a blank after [[");
  auto& command = out.what.emplace<Conditional>();
  skip_test_space();
  if (!conditional_or(command)) return false;
  skip_test_space();
  return expect_keyword("]]");
}

bool Parser::conditional_or(Conditional& out) {
  Nested nested(*this);
  if (!enter(nested)) return false;
  while (true) {
    if (!conditional_term(out)) return false;
    skip_test_space();
    if (!looking_at("&&") && !looking_at("||")) return true;
    position_ += 2;
    skip_test_space();
  }
}

bool Parser::conditional_word(Word& out, bool is_regex) {
  skip_blanks();
  if (bare_word() == "]]") return fail("a test without its operand");
  return word(out, {.braces = false, .is_regex = is_regex});
}

bool Parser::conditional_term(Conditional& out) {
  while (take_keyword("!")) skip_test_space();
  if (!error_.reason.empty()) return false;
  if (peek() == '(') {
    ++position_;
    skip_test_space();
    if (!conditional_or(out)) return false;
    if (peek() != ')') return fail("expected \")\" in [[ ]]");
    ++position_;
    return true;
  }
  const std::string_view first = bare_word();
  Conditional::Test& test = out.tests.emplace_back();
  if (is_unary(first)) {
    test.operation = first;
    position_ += first.size();
    return conditional_word(test.operands.emplace_back());
  }
  if (!conditional_word(test.operands.emplace_back())) return false;
  skip_blanks();
  if ((peek() == '<' || peek() == '>') && peek(1) != '(') {
    test.operation = std::string(1, peek());
    ++position_;
    return conditional_word(test.operands.emplace_back());
  }
  const std::string_view operation = bare_word();
  if (!is_binary(operation)) return true;
  test.operation = operation;
  position_ += operation.size();
  return conditional_word(test.operands.emplace_back(), operation == "=~");
}

}  // namespace deft::shell
