#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// The tree of a bash command line, as parse.h yields it. Every byte of the text has found its place here or the
// text was refused: no node means "the rest". All text is owned, so a tree outlives what it was made from.

namespace deft::shell {

struct AndOr;
struct Part;

// Commands one after the other, separated by ";", "&" or a line end.
struct List {
  std::vector<AndOr> items;
};

// One word before expansion. Its parts stand side by side: a"b c"$d has three.
struct Word {
  std::vector<Part> parts;
  std::string source;  // as written, without line continuations removed
};

enum class PartKind {
  literal,        // text, outside quotes
  quoted,         // text that nothing expands: \c, '…', $'…' (decoded), or the plain text inside "…"
  double_quoted,  // "…": parts
  glob,           // text: one unquoted "*", "?" or "["
  tilde,          // text: "~", "~user", "~+"; with "?" behind it where it may as well stay as it is
  parameter,      // $x, ${…}: parameter
  command,        // $(…) or `…`: body
  arithmetic,     // $((…)): parts are literal text and expansions
  process,        // <(…) or >(…): body; text is "<" or ">"
  braces,         // {a,b}: alternatives
  sequence,       // {1..9}: alternatives, if they are few; text as written
};

enum class ParameterForm {
  plain,        // $x ${x}
  length,       // ${#x}
  indirect,     // ${!x}: the variable that $x names
  names,        // ${!x*} ${!x@}: variable names with that prefix
  keys,         // ${!x[@]}
  fallback,     // ${x:-w} ${x-w}
  assign,       // ${x:=w} ${x=w}
  error,        // ${x:?w} ${x?w}
  alternate,    // ${x:+w} ${x+w}
  substring,    // ${x:offset} ${x:offset:length}: words are arithmetic
  trim,         // ${x#w} ${x##w} ${x%w} ${x%%w}
  replace,      // ${x/p/r} and relatives: words are pattern, replacement
  change_case,  // ${x^p} ${x^^p} ${x,p} ${x,,p}
  transform,    // ${x@Q}
};

struct Parameter {
  std::string name;        // a variable, a digit, or one of @ * # ? $ ! -
  bool is_braced = false;  // ${x}, not $x
  ParameterForm form = ParameterForm::plain;
  std::string operation;  // as written: ":-", "//", "@Q"; empty if plain
  std::optional<Word> subscript;
  std::vector<Word> words;
};

struct Part {
  PartKind kind = PartKind::literal;
  std::string text;
  std::vector<Part> parts;
  std::unique_ptr<Parameter> parameter;
  std::unique_ptr<List> body;
  std::vector<Word> alternatives;
};

enum class RedirectionKind {
  read,           // <
  write,          // >
  append,         // >>
  clobber,        // >|
  read_write,     // <>
  duplicate_in,   // <&
  duplicate_out,  // >& with a number or "-"; with a file name it is write_both
  write_both,     // &> and >& file
  append_both,    // &>>
  here_document,  // << and <<-: body
  here_string,    // <<<
};

struct HereDocument {
  std::string delimiter;
  bool expands = false;  // the delimiter was not quoted
  Word body;
};

struct Redirection {
  RedirectionKind kind = RedirectionKind::read;
  int descriptor = -1;  // -1: not written, so the default of its kind
  Word target;
  std::unique_ptr<HereDocument> document;
};

struct Assignment {
  std::string name;
  std::optional<Word> subscript;
  bool appends = false;   // x+=…
  bool is_array = false;  // x=(…): elements instead of value
  Word value;
  std::vector<Word> elements;
};

struct SimpleCommand {
  std::vector<Assignment> assignments;
  std::vector<Word> words;
};
struct Subshell {
  List body;
};
struct Group {
  List body;
};
struct If {
  struct Branch {
    List condition;
    List body;
  };
  std::vector<Branch> branches;
  std::optional<List> otherwise;
};
struct While {
  bool until = false;
  List condition;
  List body;
};
struct For {
  std::string variable;
  bool has_words = false;  // false: "for x; do", over the positional parameters
  std::vector<Word> words;
  List body;
};
struct ArithmeticFor {
  Word start;
  Word condition;
  Word step;
  List body;
};
struct Case {
  struct Item {
    std::vector<Word> patterns;
    List body;
  };
  Word subject;
  std::vector<Item> items;
};
// [[ … ]] flattened: what matters is which operator sees which words, not how tests are combined.
struct Conditional {
  struct Test {
    std::string operation;  // "-f", "==", "-eq"; "" is a word alone
    std::vector<Word> operands;
  };
  std::vector<Test> tests;
};
struct ArithmeticCommand {
  Word expression;
};
struct Command;
struct Function {
  std::string name;
  std::unique_ptr<Command> body;
};

struct Command {
  std::variant<SimpleCommand, Subshell, Group, If, While, For, ArithmeticFor, Case, Conditional, ArithmeticCommand,
               Function>
      what;
  std::vector<Redirection> redirections;
};

struct Pipeline {
  bool negated = false;
  bool timed = false;
  std::vector<Command> commands;
};

// Pipelines joined by && and ||. joined_by_or[i] stands between pipelines i and i + 1.
struct AndOr {
  std::vector<Pipeline> pipelines;
  std::vector<bool> joined_by_or;
  bool background = false;
};

}  // namespace deft::shell
