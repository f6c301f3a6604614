#include "deft/core/schema_evaluation.h"

#include <algorithm>

namespace deft::schema {
namespace {

const ObjectRules::Property* find_property(const ObjectRules& rules, std::string_view name) {
  const auto found = std::ranges::lower_bound(rules.properties, name, {}, [](const ObjectRules::Property& property) {
    return std::string_view(property.name);
  });
  return found != rules.properties.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

bool Evaluation::object_holds(const ObjectRules& rules, const Visit& visit) {
  Outcome outcome(visit);
  if (!outcome.go_on(required_holds(rules, visit))) return false;
  if (!outcome.go_on(count_holds(visit.value.get_object().size(), rules.count, "property", visit))) return false;
  if (!outcome.go_on(members_hold(rules, visit))) return false;
  if (!rules.dependencies.empty() && !outcome.go_on(dependencies_hold(rules, visit))) return false;
  return outcome.ok();
}

bool Evaluation::required_holds(const ObjectRules& rules, const Visit& visit) {
  const JsonObject& object = visit.value.get_object();
  if (!budget_.spend(rules.required.size())) return false;
  Outcome outcome(visit);
  for (const std::string& name : rules.required) {
    if (object.if_contains(name)) continue;
    const Place place = visit.place.member(name);
    const ObjectRules::Property* property = find_property(rules, name);
    const auto expected = [&] { return (property ? expected_of(property->node) : "a value") + " (required)"; };
    // Without the constant that tells alternatives apart it is none of them.
    const Kind kind = property && program_.nodes[property->node].values ? Kind::constant : Kind::other;
    if (!outcome.go_on(refuse_at(place, visit, kind, expected, [] { return "nothing: it is missing"; }))) return false;
  }
  return outcome.ok();
}

bool Evaluation::members_hold(const ObjectRules& rules, const Visit& visit) {
  const bool looks = !rules.properties.empty() || !rules.pattern_properties.empty() || rules.additional != kNoNode ||
                     rules.names != kNoNode;
  if (!looks) return true;
  Outcome outcome(visit);
  std::size_t position = 0;
  for (const auto& [key, member] : visit.value.get_object()) {
    bool evaluated = false;
    if (!budget_.spend(1)) return false;
    if (!outcome.go_on(member_holds(rules, {key.data(), key.size()}, member, evaluated, visit))) return false;
    if (evaluated && visit.marks) visit.marks->set(position);
    ++position;
  }
  return outcome.ok();
}

bool Evaluation::member_holds(const ObjectRules& rules, std::string_view key, const Json& member, bool& evaluated,
                              const Visit& visit) {
  const Place place = visit.place.member(key);
  const Visit inside{member, place, visit.scope, nullptr, visit.problems};
  Outcome outcome(visit);
  if (rules.names != kNoNode && !outcome.go_on(name_holds(rules.names, key, inside))) return false;
  if (const ObjectRules::Property* property = find_property(rules, key)) {
    evaluated = true;
    if (!outcome.go_on(holds(property->node, inside))) return false;
  }
  for (const auto& [pattern, node] : rules.pattern_properties) {
    if (!pattern_matches(pattern, key)) continue;
    evaluated = true;
    if (!outcome.go_on(holds(node, inside))) return false;
  }
  if (evaluated || rules.additional == kNoNode) return outcome.ok();

  evaluated = true;
  const bool forbidden = program_.nodes[rules.additional].kind == Node::Kind::nothing;
  const bool held = forbidden ? unknown_member(&rules, inside) : holds(rules.additional, inside);
  return outcome.go_on(held) && outcome.ok();
}

bool Evaluation::unknown_member(const ObjectRules* rules, const Visit& member) {
  return refuse(member, [&] {
    std::vector<std::string> names;
    const std::size_t known = rules ? std::min(rules->properties.size(), kComparedNamesMax) : 0;
    if (budget_.spend(known * kStepsPerProblem)) {
      for (std::size_t i = 0; i < known; ++i) names.push_back(rules->properties[i].name);
    }
    const std::string nearest = nearest_name(member.place.key, names);
    std::string expected = "no property of this name";
    if (!nearest.empty()) return expected + " (did you mean " + short_text(nearest) + "?)";
    return names.empty() ? expected : expected + " (known: " + list_of(names, rules->properties.size()) + ")";
  });
}

bool Evaluation::name_holds(NodeId names, std::string_view key, const Visit& visit) {
  const Json name(boost::json::string(key.data(), key.size()));
  Problems problems(1);
  const Visit inside{name, visit.place, visit.scope, nullptr, visit.problems ? &problems : nullptr};
  if (holds(names, inside)) return true;
  return refuse_at(
      visit.place, visit, Kind::other,
      [&] {
        const auto found = problems.take();
        return "a property name that is " + (found.empty() ? "allowed" : found.front().expected);
      },
      [&] { return "the name " + short_json(name); });
}

bool Evaluation::dependencies_hold(const ObjectRules& rules, const Visit& visit) {
  const JsonObject& object = visit.value.get_object();
  Outcome outcome(visit);
  for (const auto& [name, required, node] : rules.dependencies) {
    if (!budget_.spend(1 + required.size())) return false;
    if (!object.if_contains(name)) continue;
    for (const std::string& other : required) {
      if (object.if_contains(other)) continue;
      const Place place = visit.place.member(other);
      const auto expected = [&] { return "a value (required because " + short_text(name) + " is given)"; };
      if (!outcome.go_on(refuse_at(place, visit, Kind::other, expected, [] { return "nothing: it is missing"; }))) {
        return false;
      }
    }
    if (node != kNoNode && !outcome.go_on(holds(node, visit))) return false;
  }
  return outcome.ok();
}

bool Evaluation::unevaluated_properties_hold(const Node& node, const Visit& visit) {
  const bool forbidden = program_.nodes[node.unevaluated_properties].kind == Node::Kind::nothing;
  Outcome outcome(visit);
  std::size_t position = 0;
  for (const auto& [key, member] : visit.value.get_object()) {
    if (visit.marks->has(position++)) continue;
    const Place place = visit.place.member({key.data(), key.size()});
    const Visit inside{member, place, visit.scope, nullptr, visit.problems};
    const bool held =
        forbidden ? unknown_member(node.object.get(), inside) : holds(node.unevaluated_properties, inside);
    if (!outcome.go_on(held)) return false;
  }
  visit.marks->set_all();
  return outcome.ok();
}

}  // namespace deft::schema
