#include "deft/shell/parser.h"
#include "deft/shell/walker.h"

// Arithmetic. bash evaluates the text of a variable again as an expression, and 'a[$(command)]' in it runs the command.
// So every value that takes part must be known to be an integer.

namespace deft::shell {
namespace {

// Assignment operators as they stand after a name; "==" is none.
bool assigns(std::string_view rest, bool& reads_first) {
  reads_first = true;
  if (rest.starts_with("++") || rest.starts_with("--")) return true;
  for (const std::string_view operation : {"<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|="}) {
    if (rest.starts_with(operation)) return true;
  }
  const bool replaces = rest.starts_with('=') && !rest.starts_with("==");
  reads_first = !replaces;
  return replaces;
}

std::string_view skip_blanks(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

bool ends_in_name(std::string_view text) {
  std::size_t start = text.size();
  while (start > 0 && is_name_char(text[start - 1])) --start;
  return start < text.size() && is_name_start(text[start]);
}

// Operands and plain operators in turn: i+1, n * 2, i < 10. Given that the values are integers, bash finds no fault.
bool cannot_fail(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) text += part.kind == PartKind::literal ? part.text : " 1 ";
  std::string_view rest = skip_blanks(text);
  while (true) {
    std::size_t end = 0;
    while (end < rest.size() && is_name_char(rest[end])) ++end;
    if (end == 0 || (rest[0] == '0' && end > 1)) return false;
    if (is_digit(rest[0]) && !is_number(rest.substr(0, end))) return false;
    rest = rest.substr(end);
    if (rest.starts_with("++") || rest.starts_with("--")) rest.remove_prefix(2);
    rest = skip_blanks(rest);
    if (rest.empty()) return true;
    std::size_t length = 0;
    for (const std::string_view operation : {"<=", ">=", "==", "!=", "+", "-", "*", "<", ">"}) {
      if (length == 0 && rest.starts_with(operation)) length = operation.size();
    }
    if (length == 0) return false;
    rest = skip_blanks(rest.substr(length));
  }
}

}  // namespace

void Walker::may_abort() { aborted_ = aborted_ ? merged(*aborted_, state_) : state_; }

void Walker::evaluate(const std::vector<Part>& parts, const std::string& source) {
  if (!cannot_fail(parts)) may_abort();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (part.kind == PartKind::literal) {
      evaluate_text(part.text, source);
      if (i + 1 < parts.size() && ends_in_name(part.text)) {
        note(NoteKind::evaluates, "arithmetic with a name made of pieces: " + source);
      }
      continue;
    }
    const Value value = value_of(part);
    if (!value.is_integer) note(NoteKind::evaluates, "arithmetic evaluates text that is not known: " + source);
  }
}

void Walker::evaluate_text(std::string_view text, const std::string& source) {
  if (text.find_first_of("[]@.") != std::string_view::npos) {
    note(NoteKind::evaluates, "arithmetic with an index: " + source);
  }
  std::string_view before;
  for (std::size_t i = 0; i < text.size();) {
    if (is_digit(text[i])) {  // 12, 0x1f, 16#ff
      while (i < text.size() && (is_name_char(text[i]) || text[i] == '#' || text[i] == '@')) ++i;
      continue;
    }
    if (!is_name_start(text[i])) {
      ++i;
      continue;
    }
    const std::size_t start = i;
    while (i < text.size() && is_name_char(text[i])) ++i;
    const std::string name(text.substr(start, i - start));
    before = text.substr(0, start);
    while (before.ends_with(' ') || before.ends_with('\t')) before.remove_suffix(1);
    bool reads_first = true;
    const bool changes =
        assigns(skip_blanks(text.substr(i)), reads_first) || before.ends_with("++") || before.ends_with("--");
    if (reads_first && !variable(name).is_integer) {
      note(NoteKind::evaluates, "arithmetic evaluates $" + name + ", which may hold a command");
    }
    if (changes) {
      record_assignment(name, Value::integer(true));
      set_variable(name, Value::integer(true));
    }
  }
}

void Walker::evaluate_index(const Word& subscript) {
  may_abort();  // an index may be out of range
  if (subscript.source == "@" || subscript.source == "*" || is_integer_text(subscript.source)) return;
  if (is_name(subscript.source)) return evaluate_text(subscript.source, subscript.source);
  evaluate(subscript.parts, subscript.source);
}

}  // namespace deft::shell
