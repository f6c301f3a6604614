#include <algorithm>
#include <optional>
#include <utility>

#include "deft/shell/parser.h"
#include "deft/shell/walker.h"

// Branches and loops: where ways part and meet again, what holds on each of them is kept.

namespace deft::shell {
namespace {

inline constexpr int kLoopRoundsMax = 6;

// A loop variable takes each word in turn.
Value value_in_turn(const Argument& argument) {
  if (argument.is_exact()) return Value::exactly(argument.text);
  if (argument.extent == Extent::spread) return Value::anything();
  Value value = Value::beginning(argument.text);
  value.dashless = argument.dashless;
  value.rootless = argument.rootless;
  value.is_integer = argument.is_integer;
  value.plain = argument.is_integer;
  return value;
}

}  // namespace

void Walker::visit(const Subshell& command) { visit_apart(command.body); }
void Walker::visit(const Group& command) { walk(command.body); }

void Walker::visit(const If& command) {
  std::optional<State> ends;
  const auto keep_end = [&] { ends = ends ? merged(state_, *ends) : state_; };
  for (const If::Branch& branch : command.branches) {
    walk(branch.condition);
    const State after_condition = state_;
    walk(branch.body);
    keep_end();
    state_ = after_condition;
  }
  if (command.otherwise) walk(*command.otherwise);
  keep_end();
  state_ = std::move(*ends);
}

// break and continue leave a loop's body in the middle: what holds there may hold at its end.
void Walker::escape() {
  for (std::optional<State>& escaped : loops_) escaped = escaped ? merged(*escaped, state_) : state_;
}

template <class Body>
void Walker::walk_once(const Body& body) {
  loops_.emplace_back();
  body();
  if (loops_.back()) state_ = merged(state_, *loops_.back());
  loops_.pop_back();
}

// Walks `body` silently until what is known at its begin no longer changes, then once more for the record.
template <class Body>
void Walker::visit_loop(const Body& body) {
  ++muted_;
  State entry = state_;
  bool is_settled = false;
  for (int round = 0; round < kLoopRoundsMax && !is_settled && !given_up_; ++round) {
    walk_once(body);
    State next = merged(entry, state_);
    if (round > 0) {
      for (auto& [name, value] : next.variables) {
        if (value != variable_in(entry, name)) value = Value::anything();
      }
      if (next.directories != entry.directories) next.directory_known = false;
    }
    is_settled = next == entry;
    state_ = entry = std::move(next);
  }
  if (!is_settled) lose_track();
  entry = state_;
  if (muted_ > 0) --muted_;
  walk_once(body);
  state_ = merged(state_, entry);
}

void Walker::visit(const While& command) {
  visit_loop([&] {
    walk(command.condition);
    const State after_condition = state_;
    walk(command.body);
    state_ = merged(state_, after_condition);
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
      walk_once([&] { walk(command.body); });
      state_ = merged(state_, before);
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
    state_ = merged(state_, end);
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
