#include "deft/shell/commands.h"

#include <algorithm>
#include <utility>

#include "deft/shell/parser.h"
#include "deft/shell/walker.h"

namespace deft::shell {
namespace {

Access access_of(RedirectionKind kind) {
  switch (kind) {
    case RedirectionKind::read:
      return Access::read;
    case RedirectionKind::append:
    case RedirectionKind::append_both:
      return Access::append;
    case RedirectionKind::read_write:
      return Access::read_write;
    case RedirectionKind::duplicate_in:
    case RedirectionKind::duplicate_out:
      return Access::duplicate;
    case RedirectionKind::here_document:
    case RedirectionKind::here_string:
      return Access::here;
    case RedirectionKind::write:
    case RedirectionKind::clobber:
    case RedirectionKind::write_both:
      break;
  }
  return Access::write;
}

int descriptor_of(const Redirection& redirection) {
  if (redirection.descriptor >= 0) return redirection.descriptor;
  switch (redirection.kind) {
    case RedirectionKind::write_both:
    case RedirectionKind::append_both:
      return -1;
    case RedirectionKind::write:
    case RedirectionKind::append:
    case RedirectionKind::clobber:
    case RedirectionKind::duplicate_out:
      return 1;
    default:
      return 0;
  }
}

Argument to_argument(const Value& value, std::string source) {
  Argument argument;
  argument.text = value.text;
  argument.extent = value.exact ? Extent::exact : Extent::one;
  argument.is_integer = value.is_integer;
  argument.dashless = value.dashless;
  if (!value.exact) argument.unknown = source;
  argument.source = std::move(source);
  return argument;
}

// A loop variable takes each word in turn.
Value value_in_turn(const Argument& argument) {
  if (argument.is_exact()) return Value::exactly(argument.text);
  if (argument.extent == Extent::spread) return Value::anything();
  Value value = Value::beginning(argument.text);
  value.dashless = argument.dashless;
  value.is_integer = argument.is_integer;
  value.plain = argument.is_integer;
  return value;
}

}  // namespace

Argument Argument::exactly(std::string text) {
  Argument argument;
  argument.is_integer = is_integer_text(text);
  argument.dashless = !text.starts_with('-');
  argument.source = text;
  argument.text = std::move(text);
  return argument;
}

Commands commands_of(const List& script, const Surroundings& surroundings) {
  Commands commands;
  Walker(surroundings, commands).walk(script);
  return commands;
}

Walker::Walker(const Surroundings& surroundings, Commands& out) : surroundings_(surroundings), out_(out) {
  if (surroundings.cwd.empty()) return;
  state_.directories = {surroundings.cwd};
  state_.directory_known = true;
}

void Walker::walk(const List& list) {
  for (const AndOr& item : list.items) visit(item);
}

void Walker::note(NoteKind kind, std::string text) {
  if (muted_ > 0) return;
  const bool is_known = std::ranges::any_of(out_.notes, [&](const Note& note) { return note.text == text; });
  if (!is_known) out_.notes.push_back({kind, std::move(text)});
}

void Walker::emit(CommandUse use) {
  use.directories = state_.directories;
  use.directory_known = state_.directory_known;
  const bool is_at_home = state_.directory_known && state_.directories == std::vector{surroundings_.cwd};
  use.directory_changed = state_.moved && !is_at_home;
  if (substitutions_ > 0) last_ = use;
  if (muted_ > 0) return;
  if (unrolled_ > 0) {
    std::string key = describe(use);
    for (const Argument& word : use.words) key += "\n" + word.text;  // $v looks the same whatever it begins with
    for (const std::string& directory : use.directories) key += "\n" + directory;
    if (!seen_.insert(std::move(key)).second) return;
  }
  out_.commands.push_back(std::move(use));
}

void Walker::merge_into_state(const State& other) {
  State merged;
  merged.tainted = state_.tainted || other.tainted;
  merged.splits_oddly = state_.splits_oddly || other.splits_oddly;
  merged.moved = state_.moved || other.moved;
  merged.directory_known = state_.directory_known && other.directory_known;
  merged.directories = state_.directories;
  for (const std::string& directory : other.directories) {
    if (std::ranges::find(merged.directories, directory) == merged.directories.end()) {
      merged.directories.push_back(directory);
    }
  }
  State mine = std::exchange(state_, other);
  std::map<std::string, Value, std::less<>> theirs;
  for (const auto& [name, value] : mine.variables) theirs.emplace(name, variable(name));
  for (const auto& [name, value] : other.variables) theirs.emplace(name, value);
  state_ = std::move(mine);
  for (const auto& [name, value] : theirs) merged.variables.emplace(name, merge(variable(name), value));
  state_ = std::move(merged);
}

void Walker::visit_apart(const List& list) {
  State before = state_;
  walk(list);
  state_ = std::move(before);
}

void Walker::visit(const AndOr& item) {
  if (item.background) note(NoteKind::background, "leaves a job in the background");
  State before = state_;
  visit(item.pipelines[0]);
  for (std::size_t i = 1; i < item.pipelines.size(); ++i) {
    const State skipped = state_;
    visit(item.pipelines[i]);
    merge_into_state(skipped);
  }
  if (item.background) state_ = std::move(before);
}

void Walker::visit(const Pipeline& pipeline) {
  if (pipeline.commands.size() == 1) return visit(pipeline.commands[0]);
  for (const Command& command : pipeline.commands) {
    State before = state_;
    visit(command);
    state_ = std::move(before);
  }
}

void Walker::visit(const Command& command) {
  if (given_up_) return;
  if (++followed_ > kFollowedCommandsMax) {
    given_up_ = true;
    muted_ = 0;
    return note(NoteKind::given_up, "too complicated to follow");
  }
  if (const auto* simple = std::get_if<SimpleCommand>(&command.what)) return visit(*simple, command.redirections);
  if (!command.redirections.empty()) {
    CommandUse use;
    visit_redirections(command.redirections, use);
    emit(std::move(use));
  }
  std::visit(
      [&](const auto& what) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(what)>, SimpleCommand>) visit(what);
      },
      command.what);
}

void Walker::visit(const SimpleCommand& command, const std::vector<Redirection>& redirections) {
  CommandUse use;
  for (const Word& word : command.words) {
    for (Argument& argument : expand(word)) use.words.push_back(std::move(argument));
  }
  visit_redirections(redirections, use);
  for (const Assignment& assignment : command.assignments) assign(assignment, use);
  // `$x` alone may vanish, and then the assignments beside it stay.
  const bool keeps_assignments =
      std::ranges::all_of(use.words, [](const Argument& word) { return !word.is_one_word(); });
  for (const AssignmentUse& assignment : use.assignments) {
    if (!keeps_assignments) break;
    Value value = assignment.value.is_exact() ? Value::exactly(assignment.value.text) : Value::anything();
    if (!assignment.value.is_exact() && assignment.value.is_integer) value = Value::integer(true);
    if (assignment.value.extent == Extent::one && !assignment.value.is_integer) {
      value = Value::beginning(assignment.value.text);
      value.dashless = assignment.value.dashless;
    }
    if (assignment.appends || assignment.is_array || !use.words.empty()) value = Value::anything();
    set_variable(assignment.name, std::move(value));
  }
  emit(use);
  if (!use.words.empty()) apply_effects(use);
}

void Walker::visit_redirections(const std::vector<Redirection>& redirections, CommandUse& use) {
  for (const Redirection& redirection : redirections) {
    RedirectionUse& entry = use.redirections.emplace_back();
    entry.descriptor = descriptor_of(redirection);
    entry.access = access_of(redirection.kind);
    if (redirection.document) {
      look_into(redirection.document->body);
      entry.target = Argument::exactly("");
      continue;
    }
    if (redirection.kind == RedirectionKind::here_string) {
      look_into(redirection.target);
      entry.target = Argument::exactly("");
      continue;
    }
    std::vector<Argument> targets = expand(redirection.target);
    if (targets.size() == 1) {
      entry.target = std::move(targets[0]);
    } else {
      entry.target.extent = Extent::spread;
      entry.target.source = entry.target.unknown = redirection.target.source;
    }
  }
}

void Walker::assign(const Assignment& assignment, CommandUse& use) {
  AssignmentUse& entry = use.assignments.emplace_back();
  entry.name = assignment.name;
  entry.appends = assignment.appends;
  entry.is_array = assignment.is_array || assignment.subscript.has_value();
  if (assignment.subscript) evaluate_index(*assignment.subscript);
  for (const Word& element : assignment.elements) expand(element);
  entry.value = to_argument(expand_to_value(assignment.value), assignment.value.source);
  if (assignment.is_array) entry.value = to_argument(Value::anything(), "(…)");
}

void Walker::set_variable(const std::string& name, Value value) {
  if (name == "IFS") state_.splits_oddly = true;
  if (name == "PS4" || name == "BASH_ENV" || name == "ENV") {
    note(NoteKind::runs_text, "bash runs what " + name + " holds");
  }
  state_.variables.insert_or_assign(name, std::move(value));
}

void Walker::record_assignment(const std::string& name, const Value& value) {
  CommandUse use;
  use.assignments.push_back({.name = name, .value = to_argument(value, "…")});
  emit(std::move(use));
}

void Walker::visit(const Subshell& command) { visit_apart(command.body); }
void Walker::visit(const Group& command) { walk(command.body); }

void Walker::visit(const If& command) {
  State ends;
  bool has_ends = false;
  const auto keep_end = [&] {
    if (has_ends) merge_into_state(ends);
    ends = state_;
    has_ends = true;
  };
  for (const If::Branch& branch : command.branches) {
    walk(branch.condition);
    const State after_condition = state_;
    walk(branch.body);
    keep_end();
    state_ = after_condition;
  }
  if (command.otherwise) walk(*command.otherwise);
  keep_end();
}

// Walks `body` silently until what is known at its begin no longer changes, then once more for the record.
template <class Body>
void Walker::visit_loop(const Body& body) {
  ++muted_;
  State entry = state_;
  body();
  merge_into_state(entry);
  const State first = state_;
  body();
  merge_into_state(first);
  for (auto& [name, value] : state_.variables) {
    const auto before = first.variables.find(name);
    if (before == first.variables.end() || before->second != value) value = Value::anything();
  }
  if (state_.directories != first.directories) lose_directory();
  entry = state_;
  if (muted_ > 0) --muted_;
  body();
  merge_into_state(entry);
}

void Walker::visit(const While& command) {
  visit_loop([&] {
    walk(command.condition);
    const State after_condition = state_;
    walk(command.body);
    merge_into_state(after_condition);
  });
}

void Walker::visit(const For& command) {
  std::vector<Argument> words;
  for (const Word& word : command.words) {
    for (Argument& argument : expand(word)) words.push_back(std::move(argument));
  }
  const bool unrolls = command.has_words && words.size() <= kUnrolledWordsMax &&
                       std::ranges::all_of(words, [](const Argument& word) { return word.is_exact(); });
  if (unrolls) {
    ++unrolled_;
    for (const Argument& word : words) {
      const State before = state_;
      set_variable(command.variable, Value::exactly(word.text));
      record_assignment(command.variable, Value::exactly(word.text));
      walk(command.body);
      merge_into_state(before);  // break and continue may have cut it short
      set_variable(command.variable, merge(variable(command.variable), Value::exactly(word.text)));
    }
    if (--unrolled_ == 0) seen_.clear();
    return;
  }
  Value value = words.empty() ? Value::anything() : value_in_turn(words[0]);
  for (const Argument& word : words) value = merge(value, value_in_turn(word));
  record_assignment(command.variable, value);
  visit_loop([&] {
    set_variable(command.variable, value);
    walk(command.body);
  });
}

void Walker::visit(const ArithmeticFor& command) {
  evaluate(command.start.parts, command.start.source);
  visit_loop([&] {
    evaluate(command.condition.parts, command.condition.source);
    walk(command.body);
    evaluate(command.step.parts, command.step.source);
  });
}

void Walker::visit(const Case& command) {
  look_into(command.subject);
  State end = state_;
  for (const Case::Item& item : command.items) {
    for (const Word& pattern : item.patterns) look_into(pattern);
    walk(item.body);  // after ";&" the next body follows this one, so states are joined, never replaced
    merge_into_state(end);
    end = state_;
  }
}

void Walker::visit(const Conditional& command) {
  for (const Conditional::Test& test : command.tests) {
    const std::string& operation = test.operation;
    const bool counts =
        operation.size() == 3 && operation[0] == '-' && operation != "-nt" && operation != "-ot" && operation != "-ef";
    for (const Word& operand : test.operands) {
      const Value value = expand_to_value(operand);
      const bool is_settled = value.is_integer || (value.exact && value.text.empty());
      if (counts && !is_settled) {
        note(NoteKind::evaluates, "[[ " + operation + " ]] evaluates " + operand.source + ", which may hold a command");
      }
      if ((operation == "-v" || operation == "-R") && !(value.exact && is_name(value.text))) {
        note(NoteKind::evaluates, "[[ " + operation + " ]] evaluates an index in " + operand.source);
      }
    }
  }
}

void Walker::visit(const ArithmeticCommand& command) { evaluate(command.expression.parts, command.expression.source); }

void Walker::visit(const Function& command) {
  note(NoteKind::function, "defines the function " + command.name);
  functions_.insert(command.name);
  State before = state_;
  lose_track();  // it runs later, when anything may have changed
  visit(*command.body);
  state_ = std::move(before);
}

}  // namespace deft::shell
