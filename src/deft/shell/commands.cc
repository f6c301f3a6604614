#include "deft/shell/commands.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include "deft/shell/parser.h"
#include "deft/shell/walker.h"

namespace deft::shell {
namespace {

Access access_of(RedirectionKind kind) {
  switch (kind) {
    case RedirectionKind::read: return Access::read;
    case RedirectionKind::append:
    case RedirectionKind::append_both: return Access::append;
    case RedirectionKind::read_write: return Access::read_write;
    case RedirectionKind::duplicate_in:
    case RedirectionKind::duplicate_out: return Access::duplicate;
    case RedirectionKind::here_document:
    case RedirectionKind::here_string: return Access::here;
    case RedirectionKind::write:
    case RedirectionKind::clobber:
    case RedirectionKind::write_both: break;
  }
  return Access::write;
}

int descriptor_of(const Redirection& redirection) {
  if (redirection.descriptor >= 0) return redirection.descriptor;
  switch (redirection.kind) {
    case RedirectionKind::write_both:
    case RedirectionKind::append_both: return -1;
    case RedirectionKind::write:
    case RedirectionKind::append:
    case RedirectionKind::clobber:
    case RedirectionKind::duplicate_out: return 1;
    default: return 0;
  }
}

Argument to_argument(const Value& value, std::string source) {
  Argument argument;
  argument.text = value.text;
  argument.extent = value.exact ? Extent::exact : Extent::one;
  argument.is_integer = value.is_integer;
  argument.dashless = value.dashless;
  argument.rootless = value.rootless;
  if (!value.exact) argument.unknown = source;
  argument.source = std::move(source);
  return argument;
}

}  // namespace

Argument Argument::exactly(std::string text) {
  Argument argument;
  argument.is_integer = is_integer_text(text);
  argument.dashless = !text.starts_with('-');
  argument.rootless = !text.starts_with('/');
  argument.source = text;
  argument.text = std::move(text);
  return argument;
}

Commands commands_of(const List& script, const Surroundings& surroundings) {
  Commands commands;
  Walker(surroundings, commands).walk_script(script);
  return commands;
}

Walker::Walker(const Surroundings& surroundings, Commands& out) : surroundings_(surroundings), out_(out) {
  if (surroundings.cwd.empty()) return;
  state_.directories = {surroundings.cwd};
  state_.directory_known = true;
}

// Of "a; b && c | d" a and b: c is filtered, and after another line it would not be certain that b ran.
void Walker::find_shown(const List& script) {
  for (const AndOr& item : script.items) {
    if (item.background) continue;
    const bool is_last = &item == &script.items.back();
    for (std::size_t i = 0; i < item.pipelines.size(); ++i) {
      if (i > 0 && (!is_last || item.joined_by_or[i - 1])) break;
      const Pipeline& pipeline = item.pipelines[i];
      if (pipeline.commands.size() != 1 || pipeline.negated) continue;
      if (const auto* simple = std::get_if<SimpleCommand>(&pipeline.commands[0].what)) shown_.insert(simple);
    }
    const bool has_or = std::ranges::find(item.joined_by_or, true) != item.joined_by_or.end();
    if (has_or && item.pipelines.size() > 2) {
      // "a && b || c" ends well also if b never ran.
      for (const Pipeline& pipeline : item.pipelines | std::views::drop(1)) {
        if (const auto* simple = std::get_if<SimpleCommand>(&pipeline.commands[0].what)) shown_.erase(simple);
      }
    }
  }
}

void Walker::walk_script(const List& script) {
  find_shown(script);
  for (const AndOr& item : script.items) {
    visit(item);
    // An error in an expansion makes bash drop the rest of its line, however much that is, and go on with the next.
    if (aborted_) state_ = merged(state_, *aborted_);
  }
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

State Walker::merged(const State& a, const State& b) const {
  State both;
  both.tainted = a.tainted || b.tainted;
  both.splits_oddly = a.splits_oddly || b.splits_oddly;
  both.moved = a.moved || b.moved;
  both.directory_known = a.directory_known && b.directory_known;
  both.directories = a.directories;
  for (const std::string& directory : b.directories) both.add_directory(directory);
  for (const auto& [name, value] : a.variables) both.variables.emplace(name, merge(value, variable_in(b, name)));
  for (const auto& [name, value] : b.variables) {
    if (!both.variables.contains(name)) both.variables.emplace(name, merge(variable_in(a, name), value));
  }
  return both;
}

void Walker::visit_apart(const List& list) {
  State before = state_;
  walk(list);
  state_ = std::move(before);
}

void Walker::visit(const AndOr& item) {
  std::optional<State> before;
  if (item.background) {
    note(NoteKind::background, "leaves a job in the background");
    before = state_;
  }
  visit(item.pipelines[0]);
  State any = state_;  // what holds wherever the chain stops
  bool only_and = true;
  for (std::size_t i = 1; i < item.pipelines.size(); ++i) {
    only_and = only_and && !item.joined_by_or[i - 1];
    if (!only_and) state_ = any;
    // In a && b && c, what comes before c has run, and well.
    if (only_and && directories_if_well_) state_.directories = *directories_if_well_;
    visit(item.pipelines[i]);
    any = merged(any, state_);
  }
  state_ = std::move(any);
  directories_if_well_.reset();
  if (before) state_ = std::move(*before);
}

void Walker::visit(const Pipeline& pipeline) {
  if (pipeline.commands.size() == 1) {
    visit(pipeline.commands[0]);
    if (pipeline.negated) directories_if_well_.reset();
    return;
  }
  for (const Command& command : pipeline.commands) {
    State before = state_;
    visit(command);
    state_ = std::move(before);
  }
  directories_if_well_.reset();
}

void Walker::visit(const Command& command) {
  if (given_up_) return;
  if (++followed_ > kFollowedCommandsMax) return give_up();
  if (const auto* simple = std::get_if<SimpleCommand>(&command.what)) return visit(*simple, command.redirections);
  directories_if_well_.reset();
  std::optional<State> skipped;  // if the file of a redirection is missing, the command does not run
  if (!command.redirections.empty()) {
    CommandUse use;
    visit_redirections(command.redirections, use);
    emit(std::move(use));
    skipped = state_;
  }
  std::visit(
      [&](const auto& what) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(what)>, SimpleCommand>) visit(what);
      },
      command.what);
  if (skipped) state_ = merged(state_, *skipped);
  directories_if_well_.reset();
}

void Walker::give_up() {
  if (given_up_) return;
  given_up_ = true;
  muted_ = 0;
  note(NoteKind::given_up, "too complicated to follow");
}

void Walker::visit(const SimpleCommand& command, const std::vector<Redirection>& redirections) {
  CommandUse use;
  for (const Word& word : command.words) {
    for (Argument& argument : expand(word)) use.words.push_back(std::move(argument));
  }
  visit_redirections(redirections, use);
  // `$x` alone may vanish, and then the assignments beside it stay.
  const bool may_stay = std::ranges::all_of(use.words, [](const Argument& word) { return !word.is_one_word(); });
  const bool stays = use.words.empty() && redirections.empty();
  for (const Assignment& assignment : command.assignments) {
    Value value = assign(assignment, use);
    if (stays) {
      set_variable(assignment.name, std::move(value));
    } else if (may_stay) {
      set_variable(assignment.name, merge(variable(assignment.name), value));
    }
  }
  use.shows_output = shown_.contains(&command);
  emit(use);
  directories_if_well_.reset();
  if (!use.words.empty()) apply_effects(use);
}

void Walker::visit_redirections(const std::vector<Redirection>& redirections, CommandUse& use) {
  for (const Redirection& redirection : redirections) {
    RedirectionUse& entry = use.redirections.emplace_back();
    entry.descriptor = descriptor_of(redirection);
    entry.access = access_of(redirection.kind);
    if (entry.access == Access::here) {
      const Word& text = redirection.document ? redirection.document->body : redirection.target;
      entry.target = to_argument(expand_to_value(text), redirection.document ? "a here-document" : text.source);
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

Value Walker::assign(const Assignment& assignment, CommandUse& use) {
  const bool is_element = assignment.subscript.has_value();
  if (is_element) evaluate_index(*assignment.subscript);
  for (const Word& element : assignment.elements) expand(element);
  Value value = expand_to_value(assignment.value);
  if (assignment.is_array) value = Value::anything();
  use.assignments.push_back({.name = assignment.name,
                             .appends = assignment.appends,
                             .is_array = assignment.is_array || is_element,
                             .value = to_argument(value, assignment.is_array ? "(…)" : assignment.value.source)});
  return assignment.appends || is_element ? Value::anything() : value;
}

void Walker::set_variable(const std::string& name, Value value) {
  if (name == "IFS") state_.splits_oddly = true;
  if (name == "PS4" || name == "BASH_ENV" || name == "ENV") {
    note(NoteKind::runs_text, "bash runs what " + name + " holds");
  }
  if (value.text.size() > kKnownTextBytesMax) value = Value::anything();
  state_.variables.insert_or_assign(name, std::move(value));
  if (state_.variables.size() > kFollowedVariablesMax) state_.taint();
}

void Walker::record_assignment(const std::string& name, const Value& value) {
  CommandUse use;
  use.assignments.push_back({.name = name, .value = to_argument(value, "…")});
  emit(std::move(use));
}

}  // namespace deft::shell
