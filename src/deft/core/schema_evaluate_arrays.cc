#include "deft/core/schema_evaluation.h"

#include <algorithm>

namespace deft::schema {

bool Evaluation::array_holds(const ArrayRules& rules, const Visit& visit) {
  const JsonArray& array = visit.value.get_array();
  Outcome outcome(visit);
  if (!outcome.go_on(count_holds(array.size(), rules.count, "item", visit))) return false;
  if (!outcome.go_on(items_hold(rules, visit))) return false;
  if (rules.contains != kNoNode && !outcome.go_on(contains_holds(rules, visit))) return false;
  if (rules.unique && !outcome.go_on(unique_holds(visit))) return false;
  return outcome.ok();
}

bool Evaluation::items_hold(const ArrayRules& rules, const Visit& visit) {
  const JsonArray& array = visit.value.get_array();
  const std::size_t covered = rules.rest != kNoNode ? array.size() : std::min(array.size(), rules.prefix.size());
  Outcome outcome(visit);
  for (std::size_t i = 0; i < covered; ++i) {
    const NodeId node = i < rules.prefix.size() ? rules.prefix[i] : rules.rest;
    const Place place = visit.place.item(i);
    if (!outcome.go_on(holds(node, {array[i], place, visit.scope, nullptr, visit.problems}))) return false;
    if (visit.marks) visit.marks->set(i);
  }
  return outcome.ok();
}

bool Evaluation::contains_holds(const ArrayRules& rules, const Visit& visit) {
  const JsonArray& array = visit.value.get_array();
  const bool marks = visit.marks && rules.contained_is_evaluated;
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const Place place = visit.place.item(i);
    if (!holds(rules.contains, {array[i], place, visit.scope, nullptr, nullptr})) continue;
    ++found;
    if (marks) visit.marks->set(i);
    if (!marks && found >= rules.contained.min && rules.contained.max == kNoCountMax) return true;
  }
  if (found >= rules.contained.min && found <= rules.contained.max) return true;
  return refuse_at(
      visit.place, visit, Kind::other,
      [&] {
        const bool too_few = found < rules.contained.min;
        const std::uint64_t bound = too_few ? rules.contained.min : rules.contained.max;
        return (too_few ? "at least " : "at most ") + count_of(bound, "item") +
               " like this: " + expected_of(rules.contains);
      },
      [&] { return std::to_string(found) + " such among " + count_of(array.size(), "item"); });
}

bool Evaluation::unique_holds(const Visit& visit) {
  const JsonArray& array = visit.value.get_array();
  const auto duplicate = find_duplicate(array, budget_);
  if (!duplicate) return true;
  const auto got = [&] {
    return "items " + std::to_string(duplicate->first) + " and " + std::to_string(duplicate->second) +
           " which are both " + short_json(array[duplicate->first]);
  };
  return refuse_at(visit.place, visit, Kind::other, [] { return "items that all differ"; }, got);
}

bool Evaluation::unevaluated_items_hold(NodeId node, const Visit& visit) {
  const JsonArray& array = visit.value.get_array();
  Outcome outcome(visit);
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (visit.marks->has(i)) continue;
    const Place place = visit.place.item(i);
    if (!outcome.go_on(holds(node, {array[i], place, visit.scope, nullptr, visit.problems}))) return false;
  }
  visit.marks->set_all();
  return outcome.ok();
}

}  // namespace deft::schema
