#include "deft/core/schema_evaluation.h"

namespace deft::schema {

bool Evaluation::give_up(std::string why) {
  if (why_gave_up_.empty()) why_gave_up_ = std::move(why);
  budget_.empty();
  return false;
}

bool Evaluation::holds(NodeId id, const Visit& visit) {
  const Node& node = program_.nodes[id];
  if (!budget_.spend(1)) return false;
  if (node.kind == Node::Kind::anything) return true;
  if (node.kind == Node::Kind::nothing) return refuse(visit, [] { return "no value here"; });
  if (visit.problems && visit.problems->full()) return false;
  if (depth_ >= kSchemaEvaluationDepthMax) {
    return give_up("the input is nested too deeply or the schema refers to itself without end");
  }

  ++depth_;
  const Scope scope{visit.scope, node.resource};
  Visit inside = visit;
  if (!visit.scope || visit.scope->resource != node.resource) inside.scope = &scope;
  const bool held = all_rules_hold(node, inside);
  --depth_;
  return held;
}

// What is unevaluated is known only after all other rules of the node have looked.
bool Evaluation::all_rules_hold(const Node& node, const Visit& visit) {
  const bool items = node.unevaluated_items != kNoNode && visit.value.is_array();
  const bool properties = node.unevaluated_properties != kNoNode && visit.value.is_object();
  if (!items && !properties) return rules_hold(node, visit);

  Marks marks(items ? visit.value.get_array().size() : visit.value.get_object().size());
  if (!budget_.spend(marks.count() / kMarksPerStep)) return false;
  Visit inside = visit;
  inside.marks = &marks;
  if (!rules_hold(node, inside)) return false;
  if (items && !unevaluated_items_hold(node.unevaluated_items, inside)) return false;
  if (properties && !unevaluated_properties_hold(node, inside)) return false;
  if (visit.marks) visit.marks->merge(marks);
  return true;
}

bool Evaluation::rules_hold(const Node& node, const Visit& visit) {
  const Json& value = visit.value;
  if (node.types != kAnyType && (node.types & types_of(value)) == 0) {
    return wrong_type(node.types, visit);  // the other rules would only add noise
  }
  Outcome outcome(visit);
  if (node.values && !outcome.go_on(values_hold(*node.values, visit))) return false;
  if (node.number && value.is_number() && !outcome.go_on(number_holds(*node.number, visit))) return false;
  if (node.string && value.is_string() && !outcome.go_on(string_holds(*node.string, visit))) return false;
  if (node.array && value.is_array() && !outcome.go_on(array_holds(*node.array, visit))) return false;
  if (node.object && value.is_object() && !outcome.go_on(object_holds(*node.object, visit))) return false;
  if (node.applied && !outcome.go_on(applied_holds(*node.applied, visit))) return false;
  return outcome.ok();
}

bool Evaluation::wrong_type(TypeSet types, const Visit& visit) {
  return refuse_at(
      visit.place, visit, Kind::type, [&] { return describe_types(types); },
      [&] {
        const std::string got = describe_value(visit.value);
        const bool wants_structure = (types & (kArray | kObject)) != 0;
        const bool is_quoted = got.starts_with("string \"[") || got.starts_with("string \"{");
        return wants_structure && is_quoted ? got + " (send the JSON itself, not a string with JSON in it)" : got;
      });
}

// A few words on what a subschema wants, for a place where there is nothing to hold against it.
std::string Evaluation::expected_of(NodeId id) const {
  constexpr int kReferencesFollowedMax = 8;
  for (int i = 0; i < kReferencesFollowedMax; ++i) {
    const Node& node = program_.nodes[id];
    if (node.values && node.values->constant) return short_json(*node.values->constant);
    if (node.values && node.values->listed) return "one of " + list_of(*node.values->listed);
    if (node.types != kAnyType) return describe_types(node.types);
    if (!node.applied || node.applied->reference == kNoNode) break;
    id = node.applied->reference;
  }
  return "a value";
}

namespace {

SchemaProblem undecided(const std::string& why) {
  return {"", "a check that ends within its limits",
          why.empty() ? "one that is too complex for this schema or this input" : why};
}

}  // namespace

bool evaluate(const Program& program, const Json& value) { return Evaluation(program).run(value, nullptr); }

std::vector<SchemaProblem> explain(const Program& program, const Json& value) {
  Evaluation first(program);
  if (first.run(value, nullptr)) return {};
  if (first.gave_up()) return {undecided(first.why_gave_up())};

  Problems problems(kSchemaProblemsMax);
  Evaluation(program).run(value, &problems);
  auto found = problems.take();
  if (found.empty()) found.push_back({"", "a value that fits the schema", describe_value(value)});
  return found;
}

}  // namespace deft::schema

namespace deft {

bool Schema::accepts(const Json& value) const { return schema::evaluate(*program_, value); }

std::vector<SchemaProblem> Schema::validate(const Json& value) const { return schema::explain(*program_, value); }

}  // namespace deft
