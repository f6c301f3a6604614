#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deft/shell/parse.h"
#include "deft/shell/syntax.h"

// Internal to shell/: one recursive-descent parser, its methods grouped in files by subject. Each method reads its
// construct at the cursor into its argument and answers false once the text is not understood; the first reason stays.

namespace deft::shell {

// Bytes that end an unquoted word.
inline constexpr std::string_view kMetacharacters = " \t\n;&|()<>";

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_name_start(char c) { return is_letter(c) || c == '_'; }
inline bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }
inline bool is_metacharacter(char c) { return kMetacharacters.find(c) != std::string_view::npos; }
bool is_name(std::string_view text);
bool is_number(std::string_view text);  // digits only, at least one
Part text_part(PartKind kind, std::string text);

class Parser {
 public:
  Parser(std::string_view text, int depth) : text_(text), depth_(depth) {}

  // The whole text as one script.
  bool script(List& out);
  const NotUnderstood& error() const { return error_; }

 private:
  // How a word is read. Braces expand in arguments, not in assignments or tests.
  struct WordStyle {
    bool braces = true;
    bool in_braces = false;    // "," and "}" end it
    bool is_regex = false;     // right of =~: parentheses and "|" belong to it
    bool is_assigned = false;  // value of an assignment: "~" also after ":"
  };
  struct PendingDocument {
    HereDocument* document = nullptr;
    bool strips_tabs = false;
  };
  class Nested;  // counts the depth while it lives

  // Cursor.
  bool at_end() const { return position_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }
  bool looking_at(std::string_view token) const { return text_.substr(position_).starts_with(token); }
  bool at_continuation() const { return looking_at("\\\n"); }
  bool fail(std::string_view reason);
  bool enter(Nested& nested);
  void skip_blanks();
  bool skip_newlines();  // blanks, comments, line ends, and the here-documents that begin after them
  bool end_line();
  std::string_view bare_word() const;  // the unquoted run at the cursor, "" if it is quoted or expanded
  bool take_keyword(std::string_view keyword);
  bool expect_keyword(std::string_view keyword);
  std::string since(std::size_t start) const { return std::string(text_.substr(start, position_ - start)); }

  // Lists and pipelines (parse.cc).
  bool list(List& out);
  bool list_of_some(List& out, std::string_view what);
  bool at_list_end() const;
  bool and_or(AndOr& out);
  bool pipeline(Pipeline& out);
  bool command(Command& out);

  // Compound commands (compound.cc).
  bool compound(Command& out, bool& was_compound);
  bool subshell(Command& out);
  bool group(Command& out);
  bool if_command(Command& out);
  bool while_command(Command& out, bool until);
  bool for_command(Command& out);
  bool arithmetic_for(Command& out);
  bool case_command(Command& out);
  bool case_item(Case::Item& out, bool& was_last);
  bool function_keyword(Command& out);
  bool function_body(Command& out, std::string name);
  bool do_group(List& out);

  // [[ … ]] (conditional.cc).
  bool conditional(Command& out);
  bool conditional_or(Conditional& out);
  bool conditional_term(Conditional& out);
  bool conditional_word(Word& out, bool is_regex = false);
  void skip_test_space();

  // Simple commands and redirections (simple.cc).
  bool simple_command(Command& out);
  bool at_redirection() const;
  bool redirection(std::vector<Redirection>& out);
  bool redirections(std::vector<Redirection>& out);
  bool at_assignment(std::size_t& length) const;
  bool assignment(Assignment& out, std::size_t prefix_length);
  bool array_elements(Assignment& out);

  // Here-documents (here_document.cc).
  bool here_document_delimiter(Redirection& out, bool strips_tabs);
  bool here_document_body(const PendingDocument& pending);

  // Words and quotes (word.cc).
  bool word(Word& out, WordStyle style);
  bool word_parts(std::vector<Part>& out, WordStyle style);
  bool word_part(std::vector<Part>& out, const WordStyle& style, int& parentheses, bool& ended);
  bool backslash(std::vector<Part>& out, bool& ended);
  bool single_quoted(std::vector<Part>& out);
  bool double_quoted(std::vector<Part>& out);
  bool double_quoted_parts(std::vector<Part>& out, bool in_document);
  bool ansi_quoted(std::vector<Part>& out);
  bool ansi_escape(std::string& out);
  bool tilde(std::vector<Part>& out, bool in_assignment, bool is_doubtful);
  bool braces(std::vector<Part>& out, const WordStyle& style);

  // Expansions (expansion.cc, parameter.cc).
  bool dollar(std::vector<Part>& out, bool quoted);
  bool command_substitution(std::vector<Part>& out);
  bool backticks(std::vector<Part>& out, bool quoted);
  bool process_substitution(std::vector<Part>& out);
  bool arithmetic_expansion(std::vector<Part>& out);
  bool arithmetic(Word& out, std::string_view end);
  bool braced_parameter(std::vector<Part>& out, bool quoted);
  bool parameter_name(Parameter& out);
  bool parameter_subscript(Parameter& out);
  bool parameter_operation(Parameter& out, bool quoted);
  bool parameter_word(Word& out, bool quoted, bool stops_at_slash);

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
  std::vector<PendingDocument> pending_;
  int documents_read_ = 0;
  NotUnderstood error_;
};

class Parser::Nested {
 public:
  explicit Nested(Parser& parser) : parser_(parser) { ++parser_.depth_; }
  ~Nested() { --parser_.depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  Parser& parser_;
};

}  // namespace deft::shell
