#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "deft/shell/commands.h"
#include "deft/shell/syntax.h"
#include "deft/shell/value.h"

// Internal to shell/: follows a script in the order in which bash would run it, with what is known of each variable.
// Where ways part, what holds on either is kept; loops are walked until nothing new is learnt.

namespace deft::shell {

class Walker {
 public:
  Walker(const Surroundings& surroundings, Commands& out);
  void walk_script(const List& script);

 private:
  void walk(const List& list);
  void find_shown(const List& script);

  // Commands (commands.cc).
  void visit(const AndOr& item);
  void visit(const Pipeline& pipeline);
  void visit(const Command& command);
  void visit(const SimpleCommand& command, const std::vector<Redirection>& redirections);
  void visit(const Subshell& command);
  void visit(const Group& command);
  void visit(const If& command);
  void visit(const While& command);
  void visit(const For& command);
  void visit(const ArithmeticFor& command);
  void visit(const Case& command);
  void visit(const Conditional& command);
  void visit(const ArithmeticCommand& command);
  void visit(const Function& command);
  void visit_apart(const List& list);  // in a subshell
  template <class Body>
  void visit_loop(const Body& body);
  template <class Body>
  void walk_once(const Body& body);
  void escape();
  void give_up();
  void visit_redirections(const std::vector<Redirection>& redirections, CommandUse& use);
  Value assign(const Assignment& assignment, CommandUse& use);
  void set_variable(const std::string& name, Value value);
  void record_assignment(const std::string& name, const Value& value);
  void emit(CommandUse use);
  void note(NoteKind kind, std::string text);
  State merged(const State& a, const State& b) const;

  // What builtins do to variables and the working directory (effects.cc).
  void apply_effects(const CommandUse& use);
  void lose_track();
  void lose_directory();
  void note_option(const std::string& command, std::span<const Argument> words);
  void note_test(std::span<const Argument> words);
  void set_by_builtin(const std::string& command, std::span<const Argument> words);
  void change_directory(std::span<const Argument> words);

  // Words (expand.cc).
  std::vector<Argument> expand(const Word& word);
  Value expand_to_value(const Word& word) { return value_of(word.parts); }  // as in an assignment: one word
  void expand_parts(const std::vector<const Part*>& parts, const std::string& source, std::vector<Argument>& out);
  void look_into(const Word& word) { expand_to_value(word); }
  Value value_of(const std::vector<Part>& parts);
  Value value_of(const Part& part);
  Value value_of(const Parameter& parameter);
  Value variable(std::string_view name) const { return variable_in(state_, name); }
  Value variable_in(const State& state, std::string_view name) const;
  Value output_of(const Part& part);

  // Arithmetic (evaluate.cc).
  void evaluate(const std::vector<Part>& parts, const std::string& source);
  void evaluate_text(std::string_view text, const std::string& source);
  void evaluate_index(const Word& subscript);
  void may_abort();

  const Surroundings& surroundings_;
  Commands& out_;
  State state_;
  std::vector<std::optional<State>> loops_;  // around here, innermost last: states in which break or continue was met
  std::optional<State> aborted_;             // states in which an expansion may have failed
  // Set by a cd: where the shell is if it worked, as it did for what stands behind "&&".
  std::optional<std::vector<std::string>> directories_if_well_;
  std::unordered_set<const SimpleCommand*> shown_;  // those whose output is the line's
  std::set<std::string, std::less<>> functions_;
  CommandUse last_;                       // inside a substitution: the command that was met last
  std::unordered_set<std::string> seen_;  // while a loop is unrolled: what is already in the list
  int substitutions_ = 0;
  int unrolled_ = 0;  // > 0: only what is new is recorded
  int muted_ = 0;     // > 0: nothing is recorded
  int followed_ = 0;
  std::size_t known_bytes_ = 0;
  bool given_up_ = false;
};

// What is known of the text that a command prints, from its words alone.
Value printed_by(const CommandUse& command);

}  // namespace deft::shell
