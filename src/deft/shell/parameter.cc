#include <utility>

#include "deft/shell/parser.h"

// ${…}

namespace deft::shell {
namespace {

constexpr std::string_view kTransforms = "UuLQEPAKak";

struct Operation {
  std::string_view text;
  ParameterForm form;
};
// Longest first.
constexpr Operation kOperations[] = {
    {":-", ParameterForm::fallback},   {":=", ParameterForm::assign},      {":?", ParameterForm::error},
    {":+", ParameterForm::alternate},  {":", ParameterForm::substring},    {"-", ParameterForm::fallback},
    {"=", ParameterForm::assign},      {"?", ParameterForm::error},        {"+", ParameterForm::alternate},
    {"##", ParameterForm::trim},       {"#", ParameterForm::trim},         {"%%", ParameterForm::trim},
    {"%", ParameterForm::trim},        {"//", ParameterForm::replace},     {"/#", ParameterForm::replace},
    {"/%", ParameterForm::replace},    {"/", ParameterForm::replace},      {"^^", ParameterForm::change_case},
    {"^", ParameterForm::change_case}, {",,", ParameterForm::change_case}, {",", ParameterForm::change_case},
    {"@", ParameterForm::transform},
};

bool is_special(const std::string& name) { return !is_name(name) && !is_number(name); }

bool allows(const std::string& name, ParameterForm form) {
  if (!is_special(name)) return true;
  if (name != "@" && name != "*") return false;  // ${#-x} and relatives read in surprising ways
  return form == ParameterForm::substring || form == ParameterForm::fallback || form == ParameterForm::alternate ||
         form == ParameterForm::trim || form == ParameterForm::replace;
}

}  // namespace

bool Parser::braced_parameter(std::vector<Part>& out, bool quoted) {
  Nested nested(*this);
  if (!enter(nested)) return false;
  position_ += 2;
  Part part;
  part.kind = PartKind::parameter;
  part.parameter = std::make_unique<Parameter>();
  Parameter& parameter = *part.parameter;
  parameter.is_braced = true;
  const bool is_prefixed = (peek() == '#' || peek() == '!') && peek(1) != '}';
  const char prefix = is_prefixed ? peek() : '\0';
  if (is_prefixed) ++position_;
  if (!parameter_name(parameter)) return false;
  if (is_prefixed && is_special(parameter.name) && parameter.name != "@" && parameter.name != "*") {
    return fail("an unusual parameter expansion");
  }
  if (prefix == '!' && (looking_at("*}") || looking_at("@}"))) {
    parameter.form = ParameterForm::names;
    ++position_;
  } else if (peek() == '[' && !parameter_subscript(parameter)) {
    return false;
  }
  if (prefix == '#') parameter.form = ParameterForm::length;
  if (prefix == '!' && parameter.form != ParameterForm::names) {
    const bool all = parameter.subscript && (parameter.subscript->source == "@" || parameter.subscript->source == "*");
    parameter.form = all ? ParameterForm::keys : ParameterForm::indirect;
  }
  if (peek() != '}') {
    if (is_prefixed) return fail("an unusual parameter expansion");
    if (!parameter_operation(parameter, quoted)) return false;
  }
  if (peek() != '}') return fail("${ without }");
  ++position_;
  out.push_back(std::move(part));
  return true;
}

bool Parser::parameter_name(Parameter& out) {
  const std::size_t start = position_;
  if (is_name_start(peek())) {
    while (is_name_char(peek())) ++position_;
  } else if (is_digit(peek())) {
    while (is_digit(peek())) ++position_;
  } else if (peek() != '\0' && std::string_view("@*#?$!-").find(peek()) != std::string_view::npos) {
    ++position_;
  }
  out.name = since(start);
  return !out.name.empty() || fail("${ without a name");
}

bool Parser::parameter_subscript(Parameter& out) {
  if (is_special(out.name) || is_number(out.name)) return fail("an index of no array");
  ++position_;
  Word& subscript = out.subscript.emplace();
  const std::size_t start = position_;
  if (peek() == '@' || peek() == '*') {
    ++position_;
  } else if (peek() == '$' && is_name_start(peek(1))) {
    if (!dollar(subscript.parts, /*quoted=*/true)) return false;
  } else {
    if (peek() == '-') ++position_;
    while (is_name_char(peek())) ++position_;
  }
  subscript.source = since(start);
  if (subscript.source.empty() || peek() != ']') return fail("an array index that is not plain");
  if (subscript.parts.empty()) subscript.parts.push_back(text_part(PartKind::literal, subscript.source));
  ++position_;
  return true;
}

bool Parser::parameter_operation(Parameter& out, bool quoted) {
  for (const Operation& operation : kOperations) {
    if (!looking_at(operation.text)) continue;
    out.form = operation.form;
    out.operation = operation.text;
    position_ += operation.text.size();
    break;
  }
  if (out.operation.empty()) return fail("an unknown parameter expansion");
  if (!allows(out.name, out.form)) return fail("an unusual parameter expansion");
  switch (out.form) {
    case ParameterForm::transform:
      if (peek() == '\0' || kTransforms.find(peek()) == std::string_view::npos)
        return fail("an unknown transformation");
      out.operation += peek();
      ++position_;
      return true;
    case ParameterForm::substring:
      if (!arithmetic(out.words.emplace_back(), ":}")) return false;
      if (out.words[0].source.find('?') != std::string::npos) return fail("a condition in a substring");
      if (peek() == '}') return true;
      ++position_;
      return arithmetic(out.words.emplace_back(), ":}");
    case ParameterForm::replace:
      if (!parameter_word(out.words.emplace_back(), quoted, /*stops_at_slash=*/true)) return false;
      if (peek() != '/') return true;
      ++position_;
      return parameter_word(out.words.emplace_back(), quoted, /*stops_at_slash=*/false);
    default: return parameter_word(out.words.emplace_back(), quoted, /*stops_at_slash=*/false);
  }
}

// The word inside ${x:-word}. Inside double quotes bash pairs single quotes when it looks for the end and expands what
// is between them all the same, so they are refused there.
bool Parser::parameter_word(Word& out, bool quoted, bool stops_at_slash) {
  const std::size_t start = position_;
  std::string run;
  const auto flush = [&] {
    if (!run.empty()) out.parts.push_back(text_part(PartKind::literal, std::exchange(run, {})));
  };
  while (peek() != '}') {
    if (at_end()) return fail("${ without }");
    const char c = peek();
    if (c == '/' && stops_at_slash) break;
    if (c == '{' || ((c == '<' || c == '>') && peek(1) == '(')) return fail("an unusual character in ${…}");
    if (c == '\\') {
      if (peek(1) == '\n' || peek(1) == '\0') return fail("a backslash in ${…}");
      run += c;
      run += peek(1);
      position_ += 2;
    } else if (c == '\'') {
      if (quoted) return fail("a single quote in \"${…}\"");
      flush();
      if (!single_quoted(out.parts)) return false;
    } else if (c == '"') {
      flush();
      const std::size_t quote = position_;
      if (!double_quoted(out.parts)) return false;
      if (quoted && since(quote).find_first_of("\\'`") != std::string::npos) return fail("quotes in \"${…}\"");
    } else if (c == '$') {
      flush();
      if (!dollar(out.parts, quoted)) return false;
    } else if (c == '`') {
      flush();
      if (!backticks(out.parts, quoted)) return false;
    } else {
      run += c;
      ++position_;
    }
  }
  flush();
  out.source = since(start);
  return true;
}

}  // namespace deft::shell
