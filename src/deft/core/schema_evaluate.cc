#include <algorithm>

#include "deft/base/utf8.h"
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

namespace deft {
namespace {

using Kind = SchemaProblems::Kind;

constexpr std::uint64_t kStepsPerProblem = 30;  // a text costs that much more than a rule
constexpr std::uint64_t kMarksPerStep = 64;
constexpr std::uint64_t kCountedBytesPerStep = 64;
constexpr std::size_t kExplainedAlternativesMax = 50;

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
  SchemaMarks* marks = nullptr;        // whoever asks for unevaluated members or items of this very value
  SchemaProblems* problems = nullptr;  // null: only yes or no
};

class Evaluation {
 public:
  explicit Evaluation(const SchemaProgram& program) : program_(program), budget_(program.steps_max) {}

  bool run(const Json& value, SchemaProblems* problems) {
    const Place root;
    return holds(program_.root, {value, root, nullptr, nullptr, problems}) && !budget_.spent();
  }
  bool gave_up() const { return budget_.spent(); }
  const std::string& why_gave_up() const { return why_gave_up_; }

 private:
  bool holds(NodeId id, const Visit& visit);
  bool rules_hold(const SchemaNode& node, const Visit& visit);
  bool wrong_type(TypeSet types, const Visit& visit);
  bool values_hold(const ValueRules& rules, const Visit& visit);
  bool number_holds(const NumberRules& rules, const Visit& visit);
  bool string_holds(const StringRules& rules, const Visit& visit);
  bool array_holds(const ArrayRules& rules, const Visit& visit);
  bool items_hold(const ArrayRules& rules, const Visit& visit);
  bool contains_holds(const ArrayRules& rules, const Visit& visit);
  bool object_holds(const ObjectRules& rules, const Visit& visit);
  bool required_holds(const ObjectRules& rules, const Visit& visit);
  bool members_hold(const ObjectRules& rules, const Visit& visit);
  bool member_holds(const ObjectRules& rules, std::string_view key, const Json& member, bool& evaluated,
                    const Visit& visit);
  bool name_holds(NodeId names, std::string_view key, const Visit& visit);
  bool dependencies_hold(const ObjectRules& rules, const Visit& visit);
  bool applied_holds(const Applied& applied, const Visit& visit);
  bool any_holds(const std::vector<NodeId>& branches, const Visit& visit);
  bool one_holds(const std::vector<NodeId>& branches, const Visit& visit);
  bool condition_holds(const Applied& applied, const Visit& visit);
  bool unevaluated_holds(const SchemaNode& node, const Visit& visit);
  bool unknown_member(const ObjectRules* rules, const Visit& member);

  bool branch_holds(NodeId id, const Visit& visit, SchemaProblems* problems);
  void explain_alternatives(const std::vector<NodeId>& branches, const Visit& visit);
  NodeId dynamic_target(const Applied& applied, const Scope* scope);
  bool pattern_matches(const Pattern& pattern, std::string_view text);
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

  const SchemaProgram& program_;
  StepBudget budget_;
  std::size_t depth_ = 0;
  std::string why_gave_up_;
};

// Keeps `ok` and says whether to look at further rules: after a problem only if problems are collected.
class Verdict {
 public:
  explicit Verdict(const Visit& visit) : collecting_(visit.problems != nullptr) {}
  bool go_on(bool held) {
    ok_ = ok_ && held;
    return ok_ || collecting_;
  }
  bool ok() const { return ok_; }

 private:
  bool collecting_;
  bool ok_ = true;
};

bool Evaluation::give_up(std::string why) {
  if (why_gave_up_.empty()) why_gave_up_ = std::move(why);
  budget_.empty();
  return false;
}

bool Evaluation::holds(NodeId id, const Visit& visit) {
  const SchemaNode& node = program_.nodes[id];
  if (!budget_.spend(1)) return false;
  if (node.kind == SchemaNode::Kind::anything) return true;
  if (node.kind == SchemaNode::Kind::nothing) return refuse(visit, [] { return "no value here"; });
  if (visit.problems && visit.problems->full()) return false;
  if (depth_ >= kSchemaEvaluationDepthMax) {
    return give_up("the input is nested too deeply or the schema refers to itself without end");
  }

  ++depth_;
  const Scope scope{visit.scope, node.resource};
  const bool entered = !visit.scope || visit.scope->resource != node.resource;
  const bool marks_needed = (node.unevaluated_items != kNoNode && visit.value.is_array()) ||
                            (node.unevaluated_properties != kNoNode && visit.value.is_object());
  Visit inside = visit;
  if (entered) inside.scope = &scope;
  bool ok = false;
  if (!marks_needed) {
    ok = rules_hold(node, inside);
  } else {
    SchemaMarks marks(visit.value.is_array() ? visit.value.get_array().size() : visit.value.get_object().size());
    inside.marks = &marks;
    ok = budget_.spend(marks.count() / kMarksPerStep) && rules_hold(node, inside) && unevaluated_holds(node, inside);
    if (ok && visit.marks) visit.marks->merge(marks);
  }
  --depth_;
  return ok;
}

bool Evaluation::rules_hold(const SchemaNode& node, const Visit& visit) {
  const Json& value = visit.value;
  if (node.types != kAnyType && (node.types & types_of(value)) == 0) {
    return wrong_type(node.types, visit);  // the other rules would only add noise
  }
  Verdict verdict(visit);
  if (node.values && !verdict.go_on(values_hold(*node.values, visit))) return false;
  if (node.number && value.is_number() && !verdict.go_on(number_holds(*node.number, visit))) return false;
  if (node.string && value.is_string() && !verdict.go_on(string_holds(*node.string, visit))) return false;
  if (node.array && value.is_array() && !verdict.go_on(array_holds(*node.array, visit))) return false;
  if (node.object && value.is_object() && !verdict.go_on(object_holds(*node.object, visit))) return false;
  if (node.applied && !verdict.go_on(applied_holds(*node.applied, visit))) return false;
  return verdict.ok();
}

bool Evaluation::wrong_type(TypeSet types, const Visit& visit) {
  return refuse_at(
      visit.place, visit, Kind::type, [&] { return describe_types(types); },
      [&] {
        const std::string got = describe_value(visit.value);
        const bool wants_structure = (types & types_of(JsonArray())) != 0 || (types & types_of(JsonObject())) != 0;
        const bool is_quoted = got.starts_with("string \"[") || got.starts_with("string \"{");
        return wants_structure && is_quoted ? got + " (send the JSON itself, not a string with JSON in it)" : got;
      });
}

bool Evaluation::values_hold(const ValueRules& rules, const Visit& visit) {
  if (rules.constant && !equal(visit.value, *rules.constant, budget_)) {
    return refuse(visit, [&] { return short_json(*rules.constant); }, Kind::constant);
  }
  if (!rules.listed) return true;
  const bool listed =
      std::ranges::any_of(*rules.listed, [&](const Json& each) { return equal(visit.value, each, budget_); });
  return listed || refuse(visit, [&] { return "one of " + list_of(*rules.listed); }, Kind::constant);
}

bool Evaluation::number_holds(const NumberRules& rules, const Visit& visit) {
  const auto below = [&](const std::optional<Json>& bound) {
    return bound && compare_numbers(visit.value, *bound) < 0;
  };
  const auto above = [&](const std::optional<Json>& bound) {
    return bound && compare_numbers(visit.value, *bound) > 0;
  };
  const auto at = [&](const std::optional<Json>& bound) { return bound && compare_numbers(visit.value, *bound) == 0; };
  const auto number = [](std::string_view words, const std::optional<Json>& bound) {
    return [words, &bound] { return "a number " + std::string(words) + " " + short_json(*bound); };
  };
  Verdict verdict(visit);
  if (below(rules.minimum) && !verdict.go_on(refuse(visit, number("of at least", rules.minimum)))) return false;
  if (above(rules.maximum) && !verdict.go_on(refuse(visit, number("of at most", rules.maximum)))) return false;
  if ((below(rules.exclusive_minimum) || at(rules.exclusive_minimum)) &&
      !verdict.go_on(refuse(visit, number("greater than", rules.exclusive_minimum)))) {
    return false;
  }
  if ((above(rules.exclusive_maximum) || at(rules.exclusive_maximum)) &&
      !verdict.go_on(refuse(visit, number("less than", rules.exclusive_maximum)))) {
    return false;
  }
  if (rules.multiple_of && !is_multiple(visit.value, *rules.multiple_of)) {
    return refuse(visit, number("that is a multiple of", rules.multiple_of));
  }
  return verdict.ok();
}

bool Evaluation::pattern_matches(const Pattern& pattern, std::string_view text) {
  const Match match = pattern.search(text, budget_.left());
  if (match != Match::gave_up) return match == Match::yes;
  return give_up("the pattern " + short_text(pattern.text()) + " could not be decided within the limits");
}

bool Evaluation::string_holds(const StringRules& rules, const Visit& visit) {
  const std::string_view text = view(visit.value.get_string());
  const auto& [min, max] = rules.length;
  // Characters are between a fourth of the bytes and all of them: counting is often not needed.
  if (text.size() / 4 < min || text.size() > max) {
    budget_.spend(text.size() / kCountedBytesPerStep);
    const std::size_t length = count_characters(text);
    const auto got = [&] { return describe_value(visit.value) + " of " + count_of(length, "character"); };
    if (length < min) {
      return refuse_at(visit.place, visit, Kind::other, [&] { return "at least " + count_of(min, "character"); }, got);
    }
    if (length > max) {
      return refuse_at(visit.place, visit, Kind::other, [&] { return "at most " + count_of(max, "character"); }, got);
    }
  }
  if (!rules.pattern || pattern_matches(*rules.pattern, text)) return true;
  return refuse(visit, [&] { return "a string that matches the pattern " + short_text(rules.pattern->text()); });
}

bool Evaluation::array_holds(const ArrayRules& rules, const Visit& visit) {
  const JsonArray& array = visit.value.get_array();
  const auto got = [&] { return "array of " + count_of(array.size(), "item"); };
  Verdict verdict(visit);
  if (array.size() < rules.count.min &&
      !verdict.go_on(refuse_at(
          visit.place, visit, Kind::other, [&] { return "at least " + count_of(rules.count.min, "item"); }, got))) {
    return false;
  }
  if (array.size() > rules.count.max &&
      !verdict.go_on(refuse_at(
          visit.place, visit, Kind::other, [&] { return "at most " + count_of(rules.count.max, "item"); }, got))) {
    return false;
  }
  if (!verdict.go_on(items_hold(rules, visit))) return false;
  if (rules.contains != kNoNode && !verdict.go_on(contains_holds(rules, visit))) return false;
  if (!rules.unique) return verdict.ok();

  const auto duplicate = find_duplicate(array, budget_);
  if (!duplicate) return verdict.ok();
  return refuse_at(
      visit.place, visit, Kind::other, [] { return "items that all differ"; },
      [&] {
        return "items " + std::to_string(duplicate->first) + " and " + std::to_string(duplicate->second) +
               " which are both " + short_json(array[duplicate->first]);
      });
}

bool Evaluation::items_hold(const ArrayRules& rules, const Visit& visit) {
  const JsonArray& array = visit.value.get_array();
  const std::size_t covered = rules.rest != kNoNode ? array.size() : std::min(array.size(), rules.prefix.size());
  Verdict verdict(visit);
  for (std::size_t i = 0; i < covered; ++i) {
    const NodeId node = i < rules.prefix.size() ? rules.prefix[i] : rules.rest;
    const Place place = visit.place.item(i);
    if (!verdict.go_on(holds(node, {array[i], place, visit.scope, nullptr, visit.problems}))) return false;
    if (visit.marks) visit.marks->set(i);
  }
  return verdict.ok();
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

bool Evaluation::object_holds(const ObjectRules& rules, const Visit& visit) {
  const JsonObject& object = visit.value.get_object();
  const auto got = [&] { return "object with " + count_of(object.size(), "property"); };
  Verdict verdict(visit);
  if (!verdict.go_on(required_holds(rules, visit))) return false;
  if (object.size() < rules.count.min &&
      !verdict.go_on(refuse_at(
          visit.place, visit, Kind::other, [&] { return "at least " + count_of(rules.count.min, "property"); }, got))) {
    return false;
  }
  if (object.size() > rules.count.max &&
      !verdict.go_on(refuse_at(
          visit.place, visit, Kind::other, [&] { return "at most " + count_of(rules.count.max, "property"); }, got))) {
    return false;
  }
  if (!verdict.go_on(members_hold(rules, visit))) return false;
  if (!rules.dependencies.empty() && !verdict.go_on(dependencies_hold(rules, visit))) return false;
  return verdict.ok();
}

const ObjectRules::Property* find_property(const ObjectRules& rules, std::string_view name) {
  const auto found = std::ranges::lower_bound(rules.properties, name, {}, [](const ObjectRules::Property& property) {
    return std::string_view(property.name);
  });
  return found != rules.properties.end() && found->name == name ? &*found : nullptr;
}

bool Evaluation::required_holds(const ObjectRules& rules, const Visit& visit) {
  const JsonObject& object = visit.value.get_object();
  if (!budget_.spend(rules.required.size())) return false;
  Verdict verdict(visit);
  for (const std::string& name : rules.required) {
    if (object.if_contains(name)) continue;
    const Place place = visit.place.member(name);
    const ObjectRules::Property* property = find_property(rules, name);
    const auto expected = [&] { return (property ? expected_of(property->node) : "a value") + " (required)"; };
    // Without the constant that tells alternatives apart it is none of them.
    const Kind kind = property && program_.nodes[property->node].values ? Kind::constant : Kind::other;
    if (!verdict.go_on(refuse_at(place, visit, kind, expected, [] { return "nothing: it is missing"; }))) return false;
  }
  return verdict.ok();
}

bool Evaluation::members_hold(const ObjectRules& rules, const Visit& visit) {
  const bool looks = !rules.properties.empty() || !rules.pattern_properties.empty() || rules.additional != kNoNode ||
                     rules.names != kNoNode;
  if (!looks) return true;
  Verdict verdict(visit);
  std::size_t position = 0;
  for (const auto& [key, member] : visit.value.get_object()) {
    bool evaluated = false;
    if (!budget_.spend(1)) return false;
    if (!verdict.go_on(member_holds(rules, {key.data(), key.size()}, member, evaluated, visit))) return false;
    if (evaluated && visit.marks) visit.marks->set(position);
    ++position;
  }
  return verdict.ok();
}

bool Evaluation::member_holds(const ObjectRules& rules, std::string_view key, const Json& member, bool& evaluated,
                              const Visit& visit) {
  const Place place = visit.place.member(key);
  const Visit inside{member, place, visit.scope, nullptr, visit.problems};
  Verdict verdict(visit);
  if (rules.names != kNoNode && !verdict.go_on(name_holds(rules.names, key, inside))) return false;
  if (const ObjectRules::Property* property = find_property(rules, key)) {
    evaluated = true;
    if (!verdict.go_on(holds(property->node, inside))) return false;
  }
  for (const auto& [pattern, node] : rules.pattern_properties) {
    if (!pattern_matches(pattern, key)) continue;
    evaluated = true;
    if (!verdict.go_on(holds(node, inside))) return false;
  }
  if (evaluated || rules.additional == kNoNode) return verdict.ok();

  evaluated = true;
  const bool forbidden = program_.nodes[rules.additional].kind == SchemaNode::Kind::nothing;
  const bool held = forbidden ? unknown_member(&rules, inside) : holds(rules.additional, inside);
  return verdict.go_on(held) && verdict.ok();
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
  SchemaProblems problems(1);
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
  Verdict verdict(visit);
  for (const auto& [name, required, node] : rules.dependencies) {
    if (!budget_.spend(1 + required.size())) return false;
    if (!object.if_contains(name)) continue;
    for (const std::string& other : required) {
      if (object.if_contains(other)) continue;
      const Place place = visit.place.member(other);
      const auto expected = [&] { return "a value (required because " + short_text(name) + " is given)"; };
      if (!verdict.go_on(refuse_at(place, visit, Kind::other, expected, [] { return "nothing: it is missing"; }))) {
        return false;
      }
    }
    if (node != kNoNode && !verdict.go_on(holds(node, visit))) return false;
  }
  return verdict.ok();
}

bool Evaluation::applied_holds(const Applied& applied, const Visit& visit) {
  Verdict verdict(visit);
  if (applied.reference != kNoNode && !verdict.go_on(holds(applied.reference, visit))) return false;
  if (applied.dynamic_reference != kNoNode && !verdict.go_on(holds(dynamic_target(applied, visit.scope), visit))) {
    return false;
  }
  for (const NodeId node : applied.all_of) {
    if (!verdict.go_on(holds(node, visit))) return false;
  }
  if (!applied.any_of.empty() && !verdict.go_on(any_holds(applied.any_of, visit))) return false;
  if (!applied.one_of.empty() && !verdict.go_on(one_holds(applied.one_of, visit))) return false;
  if (applied.negated != kNoNode && holds(applied.negated, {visit.value, visit.place, visit.scope})) {
    const auto expected = [&] { return "anything but this: " + expected_of(applied.negated); };
    if (!verdict.go_on(refuse(visit, expected))) return false;
  }
  if (applied.condition != kNoNode && !verdict.go_on(condition_holds(applied, visit))) return false;
  return verdict.ok();
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
bool Evaluation::branch_holds(NodeId id, const Visit& visit, SchemaProblems* problems) {
  Visit inside = visit;
  inside.problems = problems;
  if (!visit.marks) return holds(id, inside);

  if (!budget_.spend(visit.marks->count() / kMarksPerStep)) return false;
  SchemaMarks marks(visit.marks->count());
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
  std::vector<std::size_t> held;
  for (std::size_t i = 0; i < branches.size() && held.size() < 2; ++i) {
    if (branch_holds(branches[i], visit, nullptr)) held.push_back(i + 1);
  }
  if (held.size() == 1) return true;
  if (held.empty()) {
    explain_alternatives(branches, visit);
    return false;
  }
  return refuse_at(
      visit.place, visit, Kind::other,
      [&] { return "a value that fits exactly one of " + count_of(branches.size(), "alternative"); },
      [&] {
        return describe_value(visit.value) + ", which fits alternatives " + std::to_string(held[0]) + " and " +
               std::to_string(held[1]);
      });
}

void Evaluation::explain_alternatives(const std::vector<NodeId>& branches, const Visit& visit) {
  if (!visit.problems || visit.problems->full()) return;
  std::vector<SchemaProblems> attempts;
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

bool Evaluation::unevaluated_holds(const SchemaNode& node, const Visit& visit) {
  Verdict verdict(visit);
  if (visit.value.is_array()) {
    const JsonArray& array = visit.value.get_array();
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (visit.marks->has(i)) continue;
      const Place place = visit.place.item(i);
      const Visit inside{array[i], place, visit.scope, nullptr, visit.problems};
      if (!verdict.go_on(holds(node.unevaluated_items, inside))) return false;
    }
  } else {
    const bool forbidden = program_.nodes[node.unevaluated_properties].kind == SchemaNode::Kind::nothing;
    std::size_t position = 0;
    for (const auto& [key, member] : visit.value.get_object()) {
      if (visit.marks->has(position++)) continue;
      const Place place = visit.place.member({key.data(), key.size()});
      const Visit inside{member, place, visit.scope, nullptr, visit.problems};
      const bool held =
          forbidden ? unknown_member(node.object.get(), inside) : holds(node.unevaluated_properties, inside);
      if (!verdict.go_on(held)) return false;
    }
  }
  visit.marks->set_all();
  return verdict.ok();
}

// A few words on what a subschema wants, for a place where there is nothing to hold against it.
std::string Evaluation::expected_of(NodeId id) const {
  constexpr int kReferencesFollowedMax = 8;
  for (int i = 0; i < kReferencesFollowedMax; ++i) {
    const SchemaNode& node = program_.nodes[id];
    if (node.values && node.values->constant) return short_json(*node.values->constant);
    if (node.values && node.values->listed) return "one of " + list_of(*node.values->listed);
    if (node.types != kAnyType) return describe_types(node.types);
    if (!node.applied || node.applied->reference == kNoNode) break;
    id = node.applied->reference;
  }
  return "a value";
}

SchemaProblem undecided(const std::string& why) {
  return {"", "a check that ends within its limits",
          why.empty() ? "one that is too complex for this schema or this input" : why};
}

}  // namespace

bool evaluate(const SchemaProgram& program, const Json& value) { return Evaluation(program).run(value, nullptr); }

std::vector<SchemaProblem> explain(const SchemaProgram& program, const Json& value) {
  Evaluation first(program);
  if (first.run(value, nullptr)) return {};
  if (first.gave_up()) return {undecided(first.why_gave_up())};

  SchemaProblems problems(kSchemaProblemsMax);
  Evaluation(program).run(value, &problems);
  auto found = problems.take();
  if (found.empty()) found.push_back({"", "a value that fits the schema", describe_value(value)});
  return found;
}

bool Schema::accepts(const Json& value) const { return evaluate(*program_, value); }

std::vector<SchemaProblem> Schema::validate(const Json& value) const { return explain(*program_, value); }

}  // namespace deft
