#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/core/schema_marks.h"
#include "deft/core/schema_problems.h"
#include "deft/core/schema_program.h"
#include "deft/core/schema_values.h"
#include "deft/core/schema_words.h"

// One evaluation serves both questions. "Does it fit?" runs without a collector of problems, stops at the first rule
// that does not hold and builds no text. Only for a value that does not fit it runs again, with a collector, goes on
// after each problem and puts it into words.
//
// Everything is paid from one budget of steps. A spent budget, a value too deep, or a pattern that gave up makes
// every answer false from then on, and evaluate() fails whatever a "not" made of that.

namespace deft::schema {

inline constexpr std::uint64_t kStepsPerProblem = 30;  // a text costs that much more than a rule
inline constexpr std::uint64_t kMarksPerStep = 64;

// The resources that led here, innermost first: where a $dynamicRef looks.
struct Scope {
  const Scope* outer;
  ResourceId resource;
};

// One value at one place, and what those who sent us here want to know about it.
struct Visit {
  const Json& value;
  const Place& place;
  const Scope* scope;
  Marks* marks = nullptr;        // whoever asks for unevaluated members or items of this very value
  Problems* problems = nullptr;  // null: only yes or no
};

class Evaluation {
 public:
  explicit Evaluation(const Program& program) : program_(program), budget_(program.steps_max) {}

  bool run(const Json& value, Problems* problems) {
    const Place root;
    return holds(program_.root, {value, root, nullptr, nullptr, problems}) && !budget_.spent();
  }
  bool gave_up() const { return budget_.spent(); }
  const std::string& why_gave_up() const { return why_gave_up_; }

 private:
  using Kind = Problems::Kind;

  bool holds(NodeId id, const Visit& visit);
  bool all_rules_hold(const Node& node, const Visit& visit);
  bool rules_hold(const Node& node, const Visit& visit);
  bool wrong_type(TypeSet types, const Visit& visit);
  bool values_hold(const ValueRules& rules, const Visit& visit);
  bool number_holds(const NumberRules& rules, const Visit& visit);
  bool string_holds(const StringRules& rules, const Visit& visit);
  bool count_holds(std::uint64_t count, const CountRange& range, std::string_view noun, const Visit& visit);
  bool pattern_matches(const Pattern& pattern, std::string_view text);

  bool array_holds(const ArrayRules& rules, const Visit& visit);
  bool items_hold(const ArrayRules& rules, const Visit& visit);
  bool contains_holds(const ArrayRules& rules, const Visit& visit);
  bool unique_holds(const Visit& visit);
  bool unevaluated_items_hold(NodeId node, const Visit& visit);

  bool object_holds(const ObjectRules& rules, const Visit& visit);
  bool required_holds(const ObjectRules& rules, const Visit& visit);
  bool members_hold(const ObjectRules& rules, const Visit& visit);
  bool member_holds(const ObjectRules& rules, std::string_view key, const Json& member, bool& evaluated,
                    const Visit& visit);
  bool name_holds(NodeId names, std::string_view key, const Visit& visit);
  bool dependencies_hold(const ObjectRules& rules, const Visit& visit);
  bool unevaluated_properties_hold(const Node& node, const Visit& visit);
  bool unknown_member(const ObjectRules* rules, const Visit& member);

  bool applied_holds(const Applied& applied, const Visit& visit);
  bool any_holds(const std::vector<NodeId>& branches, const Visit& visit);
  bool one_holds(const std::vector<NodeId>& branches, const Visit& visit);
  bool refuse_both(std::size_t first, std::size_t second, std::size_t of, const Visit& visit);
  bool condition_holds(const Applied& applied, const Visit& visit);
  bool branch_holds(NodeId id, const Visit& visit, Problems* problems);
  void explain_alternatives(const std::vector<NodeId>& branches, const Visit& visit);
  NodeId dynamic_target(const Applied& applied, const Scope* scope);
  std::string expected_of(NodeId id) const;
  bool give_up(std::string why);

  // A rule does not hold. `expected` is a function, called only if somebody reads the answer.
  template <class Text>
  bool refuse(const Visit& visit, const Text& expected, Kind kind = Kind::other) {
    return refuse_at(visit.place, visit, kind, expected, [&] { return describe_value(visit.value); });
  }
  template <class Expected, class Got>
  bool refuse_at(const Place& place, const Visit& visit, Kind kind, const Expected& expected, const Got& got) {
    if (visit.problems && !visit.problems->full() && budget_.spend(kStepsPerProblem)) {
      visit.problems->add(place, kind, expected(), got());
    }
    return false;
  }

  const Program& program_;
  StepBudget budget_;
  std::size_t depth_ = 0;
  std::string why_gave_up_;
};

// Keeps `ok` and says whether to look at further rules: after a problem only if problems are collected.
class Outcome {
 public:
  explicit Outcome(const Visit& visit) : collecting_(visit.problems != nullptr) {}
  bool go_on(bool held) {
    ok_ = ok_ && held;
    return ok_ || collecting_;
  }
  bool ok() const { return ok_; }

 private:
  bool collecting_;
  bool ok_ = true;
};

}  // namespace deft::schema
