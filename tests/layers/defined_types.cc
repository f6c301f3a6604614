#include "defined_types.h"

#include <cctype>

namespace deft {
namespace {

struct Token {
  std::string_view text;
  std::size_t line = 0;
};

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Words and single signs; "::" is one. Comments, literals and the preprocessor's lines are left out.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  std::vector<Token> read() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      is_line_begin_ = true;
      return skip(1);
    }
    if (c == ' ' || c == '\t' || c == '\r') return skip(1);
    if (c == '#' && is_line_begin_) return skip_directive();
    is_line_begin_ = false;
    if (starts("//")) return skip_to("\n", 0);
    if (starts("/*")) return skip_to("*/", 2);
    if (c == '"') return skip_quoted('"');
    if (c == '\'') return skip_quoted('\'');
    if (is_word_character(c)) return take_word();
    take(starts("::") ? 2 : 1);
  }

  void take_word() {
    std::size_t end = at_;
    // 1'000'000 is one word.
    const bool is_number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    while (end < text_.size() && (is_word_character(text_[end]) || (is_number && text_[end] == '\''))) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    const bool is_raw = end < text_.size() && text_[end] == '"' && word.ends_with('R');
    if (!is_raw) return take(word.size());
    const std::size_t open = text_.find('(', end);
    if (open == std::string_view::npos) return skip(text_.size() - at_);
    const std::string close = ")" + std::string(text_.substr(end + 1, open - end - 1)) + "\"";
    skip(open - at_);
    skip_to(close, close.size());
  }

  void skip_directive() {
    while (at_ < text_.size() && text_[at_] != '\n') skip(text_[at_] == '\\' ? 2 : 1);
  }
  void skip_quoted(char quote) {
    skip(1);
    while (at_ < text_.size() && text_[at_] != quote) skip(text_[at_] == '\\' ? 2 : 1);
    skip(1);
  }
  void skip_to(std::string_view mark, std::size_t and_more) {
    const std::size_t found = text_.find(mark, at_);
    skip(found == std::string_view::npos ? text_.size() - at_ : found - at_ + and_more);
  }
  void take(std::size_t length) {
    tokens_.push_back({text_.substr(at_, length), line_});
    skip(length);
  }
  void skip(std::size_t length) {
    for (; length > 0 && at_ < text_.size(); --length, ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
  }
  bool starts(std::string_view mark) const { return text_.substr(at_).starts_with(mark); }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool is_line_begin_ = true;
  std::vector<Token> tokens_;
};

using Statement = std::vector<Token>;  // up to its '{' or ';'

// Of a statement from one word on: "A::B"; what follows stands at `end`.
std::string name_at(const Statement& statement, std::size_t begin, std::size_t& end) {
  std::string name;
  for (end = begin; end < statement.size(); ++end) {
    const std::string_view text = statement[end].text;
    const bool is_word = is_word_character(text.front());
    const bool wants_word = name.empty() || name.ends_with("::");
    if (is_word != wants_word || (!is_word && text != "::")) break;
    name += text;
  }
  return name;
}

// Over a pair of brackets and what is between them.
std::size_t skip_brackets(const Statement& statement, std::size_t at, std::string_view open, std::string_view close) {
  for (std::size_t depth = 0; at < statement.size(); ++at) {
    if (statement[at].text == open) ++depth;
    if (statement[at].text == close && --depth == 0) return at + 1;
  }
  return at;
}

// Over "template <…>" and "[[…]]".
std::size_t skip_prefixes(const Statement& statement, std::size_t at) {
  while (at < statement.size()) {
    if (statement[at].text == "template") {
      at = skip_brackets(statement, at + 1, "<", ">");
    } else if (statement[at].text == "[") {
      at = skip_brackets(statement, at, "[", "]");
    } else {
      break;
    }
  }
  return at;
}

// The name of the type that the braces after this statement define; "": they define none.
std::string defined_type(const Statement& statement) {
  std::size_t at = skip_prefixes(statement, 0);
  const auto word = [&] { return at < statement.size() ? statement[at].text : std::string_view(); };
  const bool is_enum = word() == "enum";
  if (is_enum) ++at;
  if (word() == "struct" || word() == "class" || (!is_enum && word() == "union")) {
    ++at;
  } else if (!is_enum) {
    return "";
  }
  std::size_t end = at = skip_prefixes(statement, at);
  std::string name = name_at(statement, at, end);
  // Anything else is a specialisation, or a function that gives one back.
  const bool is_definition = end == statement.size() || statement[end].text == ":" || statement[end].text == "final";
  return is_definition ? name : "";
}

struct Scope {
  enum class Kind { space, hidden, other };
  Kind kind = Kind::other;
  std::string name = {};  // of a namespace
};

Scope scope_of(const Statement& statement) {
  std::size_t at = 0;
  if (!statement.empty() && statement[0].text == "inline") ++at;
  if (at >= statement.size() || statement[at].text != "namespace") return {};
  std::size_t end = at;
  std::string name = name_at(statement, at + 1, end);
  return name.empty() ? Scope{Scope::Kind::hidden} : Scope{Scope::Kind::space, std::move(name)};
}

}  // namespace

std::vector<DefinedType> types_defined_in(std::string_view text) {
  std::vector<DefinedType> types;
  std::vector<Scope> scopes;
  Statement statement;
  for (const Token& token : Tokens(text).read()) {
    if (token.text == "}") {
      if (!scopes.empty()) scopes.pop_back();
      statement.clear();
    } else if (token.text == ";") {
      statement.clear();
    } else if (token.text == "{") {
      std::string space;
      bool is_visible = !scopes.empty();
      for (const Scope& scope : scopes) {
        is_visible = is_visible && scope.kind == Scope::Kind::space;
        space += scope.name + "::";
      }
      if (const std::string name = defined_type(statement); is_visible && !name.empty()) {
        types.push_back({space + name, statement.front().line});
      }
      scopes.push_back(scope_of(statement));
      statement.clear();
    } else {
      statement.push_back(token);
    }
  }
  return types;
}

}  // namespace deft
