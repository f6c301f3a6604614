#include "deft/core/schema_evaluation.h"

#include <algorithm>
#include <limits>

namespace deft::schema {
namespace {

constexpr std::size_t kExplainedAlternativesMax = 50;

}  // namespace

bool Evaluation::applied_holds(const Applied& applied, const Visit& visit) {
  Outcome outcome(visit);
  if (applied.reference != kNoNode && !outcome.go_on(holds(applied.reference, visit))) return false;
  if (applied.dynamic_reference != kNoNode && !outcome.go_on(holds(dynamic_target(applied, visit.scope), visit))) {
    return false;
  }
  for (const NodeId node : applied.all_of) {
    if (!outcome.go_on(holds(node, visit))) return false;
  }
  if (!applied.any_of.empty() && !outcome.go_on(any_holds(applied.any_of, visit))) return false;
  if (!applied.one_of.empty() && !outcome.go_on(one_holds(applied.one_of, visit))) return false;
  if (applied.negated != kNoNode && holds(applied.negated, {visit.value, visit.place, visit.scope})) {
    const auto expected = [&] { return "anything but this: " + expected_of(applied.negated); };
    if (!outcome.go_on(refuse(visit, expected))) return false;
  }
  if (applied.condition != kNoNode && !outcome.go_on(condition_holds(applied, visit))) return false;
  return outcome.ok();
}

// The outermost resource on the way here that has a dynamic anchor of this name decides.
NodeId Evaluation::dynamic_target(const Applied& applied, const Scope* scope) {
  NodeId target = applied.dynamic_reference;
  if (applied.dynamic_anchor.empty()) return target;
  for (; scope; scope = scope->outer) {
    budget_.spend(1);
    const auto& anchors = program_.resources[scope->resource];
    if (const auto found = anchors.find(applied.dynamic_anchor); found != anchors.end()) target = found->second;
  }
  return target;
}

// A subschema whose failure is no failure of ours: its marks count only if it holds.
bool Evaluation::branch_holds(NodeId id, const Visit& visit, Problems* problems) {
  Visit inside = visit;
  inside.problems = problems;
  if (!visit.marks) return holds(id, inside);

  if (!budget_.spend(visit.marks->count() / kMarksPerStep)) return false;
  Marks marks(visit.marks->count());
  inside.marks = &marks;
  if (!holds(id, inside)) return false;
  visit.marks->merge(marks);
  return true;
}

bool Evaluation::any_holds(const std::vector<NodeId>& branches, const Visit& visit) {
  bool any = false;
  for (const NodeId branch : branches) {
    any = branch_holds(branch, visit, nullptr) || any;
    if (any && !visit.marks) return true;  // marks are collected from every branch that holds
  }
  if (!any) explain_alternatives(branches, visit);
  return any;
}

bool Evaluation::one_holds(const std::vector<NodeId>& branches, const Visit& visit) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::size_t first = kNone;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    if (!branch_holds(branches[i], visit, nullptr)) continue;
    if (first != kNone) return refuse_both(first, i, branches.size(), visit);
    first = i;
  }
  if (first == kNone) explain_alternatives(branches, visit);
  return first != kNone;
}

bool Evaluation::refuse_both(std::size_t first, std::size_t second, std::size_t of, const Visit& visit) {
  const auto expected = [&] { return "a value that fits exactly one of " + count_of(of, "alternative"); };
  const auto got = [&] {
    return describe_value(visit.value) + ", which fits alternatives " + std::to_string(first + 1) + " and " +
           std::to_string(second + 1);
  };
  return refuse_at(visit.place, visit, Kind::other, expected, got);
}

void Evaluation::explain_alternatives(const std::vector<NodeId>& branches, const Visit& visit) {
  if (!visit.problems || visit.problems->full()) return;
  std::vector<Problems> attempts;
  for (std::size_t i = 0; i < std::min(branches.size(), kExplainedAlternativesMax); ++i) {
    attempts.emplace_back(visit.problems->room());
    branch_holds(branches[i], visit, &attempts.back());
  }
  visit.problems->add_closest(visit.place, std::move(attempts));
}

bool Evaluation::condition_holds(const Applied& applied, const Visit& visit) {
  const bool wanted = visit.marks || applied.consequence != kNoNode || applied.alternative != kNoNode;
  if (!wanted) return true;
  const NodeId next = branch_holds(applied.condition, visit, nullptr) ? applied.consequence : applied.alternative;
  return next == kNoNode || holds(next, visit);
}

}  // namespace deft::schema
