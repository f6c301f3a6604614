#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "deft/shell/walker.h"

// From words as written to arguments as they arrive.

namespace deft::shell {
namespace {

inline constexpr std::size_t kBraceWordsMax = 256;
inline constexpr std::size_t kKnownBytesMax = std::size_t{16} << 20;  // of all words together

constexpr std::array<std::string_view, 8> kNumberVariables = {"UID",     "EUID",    "PPID",         "RANDOM",
                                                              "SRANDOM", "SECONDS", "EPOCHSECONDS", "LINENO"};

// Expands to any number of words even inside double quotes.
bool is_list_parameter(const Part& part) {
  if (part.kind != PartKind::parameter) return false;
  const Parameter& parameter = *part.parameter;
  if (parameter.form == ParameterForm::length) return false;
  if (parameter.name == "@" || parameter.form == ParameterForm::names || parameter.form == ParameterForm::keys)
    return true;
  return parameter.subscript && parameter.subscript->source == "@";
}

bool has_list_parameter(const Part& part) {
  return is_list_parameter(part) || std::ranges::any_of(part.parts, has_list_parameter);
}

std::string source_of(const Part& part) {
  if (part.kind == PartKind::parameter) return "$" + part.parameter->name;
  if (part.kind == PartKind::command) return "$(…)";
  if (part.kind == PartKind::arithmetic) return "$((" + part.text + "))";
  return part.text;
}

// One word under construction. Once something unknown was added, the text before it is all that is kept.
class FieldBuilder {
 public:
  void add_text(std::string_view text, bool quoted) {
    if (quoted || !text.empty()) present_ = true;
    if (text.empty()) return;
    for (const char c : text) {
      if (std::string_view("*?[\\").find(c) != std::string_view::npos) glob_ += '\\';
      glob_ += c;
    }
    if (!frozen_) text_ += text;
    if (frozen_) is_integer_ = false;
    if (frozen_ && text_.empty()) decide(text[0] != '-', text[0] != '/', /*may_be_empty=*/false);
  }

  void add_value(const Value& value, bool quoted, const std::string& source) {
    if (value.exact) return add_text(value.text, quoted);
    if (text_.empty()) decide(value.dashless, value.rootless, value.may_be_empty);
    has_unknown_ = true;
    if (!frozen_) text_ += value.text;
    is_integer_ = !frozen_ && text_.empty() && value.is_integer;
    if (unknown_.empty()) unknown_ = source;
    may_vanish_ = !quoted && value.may_be_empty && !present_;
    present_ = present_ || quoted || !value.may_be_empty;
    frozen_ = true;
    ++unknown_parts_;
  }

  // `text` as written; is_all: it is the pattern itself.
  void add_pattern(std::string_view text, bool is_all) {
    glob_ += text;
    has_unknown_ = has_unknown_ || !is_all;
    if (text_.empty()) decide(/*dashless=*/false, /*rootless=*/true, /*may_be_empty=*/false);
    if (unknown_.empty()) unknown_ = text;
    is_integer_ = false;
    many_ = frozen_ = present_ = true;
  }

  bool is_empty() const { return !present_ && !frozen_; }
  const std::string& text() const { return text_; }

  Argument finish(const std::string& source) const {
    Argument argument;
    argument.text = text_;
    argument.source = source;
    if (!frozen_) {
      argument.dashless = !text_.starts_with('-');
      argument.rootless = !text_.starts_with('/');
      argument.is_integer = is_integer_text(text_);
      return argument;
    }
    argument.extent = many_ || (may_vanish_ && !present_) ? Extent::many : Extent::one;
    argument.dashless = text_.empty() ? dash_ != Begin::possible : text_[0] != '-';
    argument.rootless = text_.empty() ? slash_ != Begin::possible : text_[0] != '/';
    argument.is_integer = is_integer_ && unknown_parts_ == 1;
    argument.unknown = unknown_;
    if (many_ && !has_unknown_) argument.glob = glob_;
    return argument;
  }

 private:
  // Can the word begin with this character? Undecided while all that was added may have been empty.
  enum class Begin { undecided, possible, impossible };

  void decide(bool dashless, bool rootless, bool may_be_empty) {
    const auto update = [&](Begin& begin, bool excluded) {
      if (begin != Begin::undecided) return;
      if (!excluded) begin = Begin::possible;
      if (excluded && !may_be_empty) begin = Begin::impossible;
    };
    update(dash_, dashless);
    update(slash_, rootless);
  }

  std::string text_;
  std::string unknown_;
  std::string glob_;          // all of it, as a pattern
  bool has_unknown_ = false;  // then that means nothing
  Begin dash_ = Begin::undecided;
  Begin slash_ = Begin::undecided;
  int unknown_parts_ = 0;
  bool frozen_ = false;
  bool many_ = false;
  bool present_ = false;  // there is a word even if it is empty
  bool may_vanish_ = false;
  bool is_integer_ = false;
};

bool is_split_character(char c) { return c == ' ' || c == '\t' || c == '\n'; }

using Version = std::vector<const Part*>;

// Braces multiply a word before anything else in it is looked at. Nothing if there are too many.
std::optional<std::vector<Version>> versions_of(const std::vector<Part>& parts) {
  std::vector<Version> versions(1);
  for (const Part& part : parts) {
    if (part.alternatives.empty()) {
      for (Version& version : versions) version.push_back(&part);
      continue;
    }
    std::vector<Version> next;
    for (const Version& version : versions) {
      for (const Word& alternative : part.alternatives) {
        const auto inner = versions_of(alternative.parts);
        if (!inner || next.size() + inner->size() > kBraceWordsMax) return std::nullopt;
        for (const Version& one : *inner) {
          next.push_back(version);
          next.back().insert(next.back().end(), one.begin(), one.end());
        }
      }
    }
    versions = std::move(next);
  }
  return versions;
}

Argument spread(std::string text, const std::string& source, std::string unknown) {
  Argument argument;
  argument.text = std::move(text);
  argument.extent = Extent::spread;
  argument.source = source;
  argument.unknown = std::move(unknown);
  return argument;
}

}  // namespace

std::vector<Argument> Walker::expand(const Word& word) {
  std::vector<Argument> out;
  if (given_up_) return out;
  const auto versions = versions_of(word.parts);
  if (!versions) {
    look_into(word);
    out.push_back(spread("", word.source, word.source));
    return out;
  }
  for (const Version& version : *versions) {
    expand_parts(version, word.source, out);
    if (known_bytes_ > kKnownBytesMax) {
      give_up();
      break;
    }
  }
  return out;
}

void Walker::expand_parts(const std::vector<const Part*>& parts, const std::string& source,
                          std::vector<Argument>& out) {
  FieldBuilder field;
  std::optional<Argument> spreads;  // from here on the words cannot be counted
  const auto spread_from = [&](const Part& part) {
    if (!spreads) spreads = spread(field.text(), source, source_of(part));
  };
  for (const Part* part : parts) {
    if (part->kind == PartKind::glob) {
      field.add_pattern(part->text, /*is_all=*/true);
      continue;
    }
    if (has_list_parameter(*part)) spread_from(*part);
    const Value value = value_of(*part);  // also when nothing more can be learnt: it may run commands
    if (spreads) continue;
    const bool is_text = part->kind == PartKind::literal || part->kind == PartKind::tilde;
    const bool is_quoted = part->kind == PartKind::quoted || part->kind == PartKind::double_quoted;
    if (is_text || is_quoted || part->kind == PartKind::process) {
      field.add_value(value, is_quoted, source_of(*part));
    } else if (state_.splits_oddly || (!value.exact && !value.plain)) {
      spread_from(*part);
    } else if (!value.exact || is_plain_text(value.text)) {
      field.add_value(value, /*quoted=*/false, source_of(*part));
    } else {
      for (std::size_t i = 0; i < value.text.size();) {
        const std::size_t start = i;
        if (is_split_character(value.text[i])) {
          while (i < value.text.size() && is_split_character(value.text[i])) ++i;
          if (!field.is_empty()) out.push_back(std::exchange(field, {}).finish(source));
          continue;
        }
        while (i < value.text.size() && !is_split_character(value.text[i])) ++i;
        const std::string piece = value.text.substr(start, i - start);
        const std::size_t pattern = piece.find_first_of("*?[\\");
        field.add_text(std::string_view(piece).substr(0, pattern), /*quoted=*/false);
        if (pattern != std::string::npos) field.add_pattern(source_of(*part), /*is_all=*/false);
      }
    }
  }
  if (spreads) {
    out.push_back(std::move(*spreads));
  } else if (!field.is_empty()) {
    out.push_back(field.finish(source));
  }
  known_bytes_ += field.text().size() + source.size() + sizeof(Argument);
}

Value Walker::value_of(const std::vector<Part>& parts) {
  if (parts.size() == 1) return value_of(parts[0]);
  Value all = Value::exactly("");
  for (const Part& part : parts) {
    const Value value = value_of(part);
    if (all.exact) {
      if (all.text.empty()) {
        const bool decides = value.exact || !value.may_be_empty;
        all.dashless = value.dashless && decides;
        all.rootless = value.rootless && decides;
      }
      all.text += value.text;
    }
    all.exact = all.exact && value.exact;
    all.plain = all.plain && value.plain;
    all.may_be_empty = all.may_be_empty && value.may_be_empty;
  }
  if (!all.exact) all.is_integer = false;
  return all.exact ? Value::exactly(all.text) : all;
}

Value Walker::value_of(const Part& part) {
  switch (part.kind) {
    case PartKind::literal:
    case PartKind::quoted:
    case PartKind::glob: return Value::exactly(part.text);
    case PartKind::double_quoted: return value_of(part.parts);
    case PartKind::tilde: {
      if (part.text == "~" && !surroundings_.home.empty() && !state_.tainted && !state_.variables.contains("HOME")) {
        return Value::exactly(surroundings_.home);
      }
      Value value;
      value.dashless = !state_.tainted && !state_.variables.contains("HOME");
      value.plain = true;
      value.may_be_empty = !value.dashless;
      return value;
    }
    case PartKind::parameter: return value_of(*part.parameter);
    case PartKind::command: return output_of(part);
    case PartKind::arithmetic: evaluate(part.parts, part.text); return Value::integer(/*can_be_negative=*/true);
    case PartKind::process: {
      visit_apart(*part.body);
      Value value = Value::beginning("/dev/fd/");
      value.plain = true;
      return value;
    }
    case PartKind::braces:
    case PartKind::sequence:
      for (const Word& alternative : part.alternatives) look_into(alternative);
      return Value::anything();
  }
  return Value::anything();
}

Value Walker::variable_in(const State& state, std::string_view name) const {
  if (const auto found = state.variables.find(name); found != state.variables.end()) return found->second;
  if (name == "#" || name == "?" || name == "$") return Value::integer(/*can_be_negative=*/false);
  if (state.tainted) return Value::anything();
  if (std::ranges::find(kNumberVariables, name) != kNumberVariables.end()) return Value::integer(false);
  if (name == "HOME" || name == "PWD") {
    const bool is_known =
        name == "HOME" ? !surroundings_.home.empty() : state.directory_known && state.directories.size() == 1;
    if (is_known) return Value::exactly(name == "HOME" ? surroundings_.home : state.directories[0]);
    Value value = Value::beginning("/");
    value.plain = name == "HOME";  // a home folder with a blank in its name is taken for impossible
    return value;
  }
  return Value::anything();
}

Value Walker::value_of(const Parameter& parameter) {
  if (parameter.subscript) evaluate_index(*parameter.subscript);
  for (const Word& word : parameter.words) {
    if (parameter.form == ParameterForm::substring) {
      evaluate(word.parts, word.source);
    } else {
      look_into(word);
    }
  }
  const std::string shown = "${" + parameter.name + parameter.operation + "…}";
  switch (parameter.form) {
    case ParameterForm::plain:
    case ParameterForm::error: return parameter.subscript ? Value::anything() : variable(parameter.name);
    case ParameterForm::length: return Value::integer(/*can_be_negative=*/false);
    case ParameterForm::fallback: {
      const Value value = variable(parameter.name);
      return value.exact && !value.text.empty() && !parameter.subscript ? value : Value::anything();
    }
    case ParameterForm::indirect:
      note(NoteKind::evaluates, "${!" + parameter.name + "} evaluates the name that it finds");
      break;
    case ParameterForm::assign:
      record_assignment(parameter.name, Value::anything());
      set_variable(parameter.name, Value::anything());
      break;
    case ParameterForm::transform:
      if (parameter.operation == "@P") note(NoteKind::evaluates, shown + " runs commands that the value holds");
      break;
    default: break;
  }
  return Value::anything();
}

Value Walker::output_of(const Part& part) {
  ++substitutions_;
  last_ = {};
  visit_apart(*part.body);
  --substitutions_;
  const List& body = *part.body;
  if (body.items.size() != 1 || body.items[0].pipelines.size() != 1) return Value::anything();
  const Pipeline& pipeline = body.items[0].pipelines[0];
  const auto* last = std::get_if<SimpleCommand>(&pipeline.commands.back().what);
  if (last == nullptr || last->words.empty()) return Value::anything();
  return printed_by(last_);
}

}  // namespace deft::shell
