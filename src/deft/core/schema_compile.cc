#include <algorithm>
#include <set>
#include <unordered_map>

#include "deft/core/schema.h"
#include "deft/core/schema_fault.h"
#include "deft/core/schema_keywords.h"
#include "deft/core/schema_program.h"
#include "deft/core/schema_resources.h"
#include "deft/core/schema_values.h"
#include "deft/core/schema_words.h"

// From document to program: a list of subschemas still to be compiled, which begins with the root and grows with
// whatever they apply or refer to. So there is no recursion, a cycle of references is nothing special, and
// definitions that nobody uses cost nothing.

namespace deft::schema {
namespace {

// Notes a fault if the document is larger or deeper than allowed; everything after may then recurse.
class Measure {
 public:
  Measure(const SchemaLimits& limits, Fault& fault) : limits_(limits), fault_(fault) {}

  void add(const Json& value, std::size_t depth = 1) {
    if (fault_) return;
    if (depth > limits_.depth_max) return exceeded(value, "nested deeper than", limits_.depth_max, "levels");
    if (++values_ > limits_.values_max) return exceeded(value, "larger than", limits_.values_max, "values");
    if (bytes_ > limits_.text_bytes_max) return exceeded(value, "longer than", limits_.text_bytes_max, "bytes of text");
    if (value.is_string()) bytes_ += value.get_string().size();
    if (value.is_array()) {
      for (const Json& item : value.get_array()) add(item, depth + 1);
    }
    if (value.is_object()) {
      for (const auto& [key, member] : value.get_object()) {
        bytes_ += key.size();
        add(member, depth + 1);
      }
    }
  }

 private:
  void exceeded(const Json& value, std::string_view how, std::size_t limit, std::string_view unit) {
    fault_.note(value, std::string(how) + " " + std::to_string(limit) + " " + std::string(unit), Errc::limit);
  }

  const SchemaLimits& limits_;
  Fault& fault_;
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
};

class Compiler {
 public:
  Compiler(const Json& document, Fault& fault) : document_(document), fault_(fault), resources_(document, fault) {}

  std::shared_ptr<Program> run() {
    if (fault_) return nullptr;
    program_->root = node_for(document_);
    do {
      compile_pending();
    } while (!fault_ && add_dynamic_anchors());
    program_->resources.resize(resources_.all().size());
    return fault_ ? nullptr : program_;
  }

 private:
  NodeId node_for(const Json& schema) {
    const auto [entry, is_new] = ids_.emplace(&schema, static_cast<NodeId>(program_->nodes.size()));
    if (is_new) {
      program_->nodes.emplace_back().resource = resources_.id_of(schema);
      pending_.push_back(&schema);
    }
    return entry->second;
  }

  NodeId optional_node(const Json* schema) { return schema ? node_for(*schema) : kNoNode; }

  std::vector<NodeId> nodes_for(const JsonArray* schemas) {
    std::vector<NodeId> nodes;
    if (!schemas || fault_) return nodes;
    for (const Json& schema : *schemas) nodes.push_back(node_for(schema));
    return nodes;
  }

  void compile_pending() {
    while (!pending_.empty() && !fault_) {
      const Json& schema = *pending_.back();
      pending_.pop_back();
      Node node = compile(schema);  // may add nodes: so not in place
      program_->nodes[ids_.at(&schema)] = std::move(node);
    }
  }

  Node compile(const Json& schema);
  void compile_references(Node& node, const Keywords& keywords, Draft draft);
  void compile_values(Node& node, const Keywords& keywords);
  void compile_number(Node& node, const Keywords& keywords);
  void compile_string(Node& node, const Keywords& keywords);
  void compile_array(Node& node, const Keywords& keywords, Draft draft);
  void compile_items(ArrayRules& rules, const Keywords& keywords, Draft draft);
  void compile_object(Node& node, const Keywords& keywords, Draft draft);
  void compile_dependencies(ObjectRules& rules, const Keywords& keywords, Draft draft);
  void compile_applied(Node& node, const Keywords& keywords);
  std::optional<Pattern> compile_pattern(std::string_view text, const Json& where);
  bool add_dynamic_anchors();

  const Json& document_;
  Fault& fault_;
  Resources resources_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  std::unordered_map<const Json*, NodeId> ids_;
  std::vector<const Json*> pending_;
  std::set<std::string> dynamic_names_;  // that some $dynamicRef looks for
  std::size_t pattern_bytes_ = 0;
};

template <class T>
T& ensure(std::unique_ptr<T>& rules) {
  if (!rules) rules = std::make_unique<T>();
  return *rules;
}

CountRange count_range(const Keywords& keywords, std::string_view min, std::string_view max,
                       std::uint64_t default_min = 0) {
  return {keywords.count(min).value_or(default_min), keywords.count(max).value_or(kNoCountMax)};
}

bool has_any(const Keywords& keywords, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return keywords.find(name) != nullptr; });
}

Node Compiler::compile(const Json& schema) {
  Node node;
  node.resource = resources_.id_of(schema);
  if (schema.is_bool()) {
    node.kind = schema.get_bool() ? Node::Kind::anything : Node::Kind::nothing;
    return node;
  }
  const Draft draft = resources_.of(schema).draft;
  const Keywords keywords(schema.get_object(), fault_);
  compile_references(node, keywords, draft);
  if (draft != Draft::draft7 || !keywords.find("$ref")) {  // there it hides what stands beside it
    compile_values(node, keywords);
    compile_number(node, keywords);
    compile_string(node, keywords);
    compile_array(node, keywords, draft);
    compile_object(node, keywords, draft);
    compile_applied(node, keywords);
  }
  const bool rules = node.types != kAnyType || node.values || node.number || node.string || node.array || node.object ||
                     node.applied || node.unevaluated_items != kNoNode || node.unevaluated_properties != kNoNode;
  node.kind = rules ? Node::Kind::rules : Node::Kind::anything;
  return node;
}

void Compiler::compile_references(Node& node, const Keywords& keywords, Draft draft) {
  if (const Json* reference = keywords.text("$ref")) {
    const auto target = resources_.resolve(*reference, node.resource);
    if (!target) return;
    ensure(node.applied).reference = node_for(*target->schema);
  }
  const Json* dynamic = nullptr;
  if (draft == Draft::draft2020) dynamic = keywords.text("$dynamicRef");
  if (draft == Draft::draft2019) dynamic = keywords.text("$recursiveRef");
  if (!dynamic) return;

  auto target = resources_.resolve(*dynamic, node.resource);
  if (!target) return;
  const Resource& resource = resources_.of(*target->schema);
  if (draft == Draft::draft2019 && resource.dynamic_anchors.contains(kRecursiveAnchor)) {
    target->dynamic_anchor = kRecursiveAnchor;
  }
  Applied& applied = ensure(node.applied);
  applied.dynamic_reference = node_for(*target->schema);
  applied.dynamic_anchor = target->dynamic_anchor;
  if (!applied.dynamic_anchor.empty()) dynamic_names_.insert(applied.dynamic_anchor);
}

// A $dynamicRef may lead to any anchor of its name, also to one that nothing else refers to. True if that added nodes.
bool Compiler::add_dynamic_anchors() {
  program_->resources.resize(resources_.all().size());
  for (std::size_t i = 0; i < resources_.all().size(); ++i) {
    for (const auto& [name, schema] : resources_.all()[i].dynamic_anchors) {
      if (dynamic_names_.contains(name)) program_->resources[i].emplace(name, node_for(*schema));
    }
  }
  return !pending_.empty();
}

void Compiler::compile_values(Node& node, const Keywords& keywords) {
  if (const Json* constant = keywords.find("const")) ensure(node.values).constant = *constant;
  if (const JsonArray* listed = keywords.array("enum")) {
    ensure(node.values).listed = std::vector<Json>(listed->begin(), listed->end());
  }
  const Json* type = keywords.find("type");
  if (!type) return;

  node.types = 0;
  const auto add = [&](const Json& name) {
    const auto* known = std::ranges::find_if(
        kTypeNames, [&](const TypeName& each) { return name.is_string() && view(name.get_string()) == each.name; });
    if (known == std::end(kTypeNames)) {
      return fault_.note(name, "expected the name of a JSON type, got " + describe_value(name));
    }
    node.types |= known->bit;
  };
  if (!type->is_array()) return add(*type);
  if (type->get_array().empty()) fault_.note(*type, "expected at least one type, got none");
  for (const Json& name : type->get_array()) add(name);
}

void Compiler::compile_number(Node& node, const Keywords& keywords) {
  if (!has_any(keywords, {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})) return;
  NumberRules& rules = ensure(node.number);
  rules.minimum = keywords.number("minimum");
  rules.maximum = keywords.number("maximum");
  rules.exclusive_minimum = keywords.number("exclusiveMinimum");
  rules.exclusive_maximum = keywords.number("exclusiveMaximum");
  rules.multiple_of = keywords.number("multipleOf");
  if (rules.multiple_of && compare_numbers(*rules.multiple_of, Json(0)) != std::strong_ordering::greater) {
    fault_.note(*keywords.find("multipleOf"),
                "expected a number greater than 0, got " + short_json(*rules.multiple_of));
  }
}

void Compiler::compile_string(Node& node, const Keywords& keywords) {
  if (!has_any(keywords, {"minLength", "maxLength", "pattern"})) return;
  StringRules& rules = ensure(node.string);
  rules.length = count_range(keywords, "minLength", "maxLength");
  if (const Json* pattern = keywords.text("pattern")) {
    rules.pattern = compile_pattern(view(pattern->get_string()), *pattern);
  }
}

std::optional<Pattern> Compiler::compile_pattern(std::string_view text, const Json& where) {
  auto pattern = Pattern::compile(text);
  if (!pattern) {
    fault_.note(where, pattern.error().message + ", in " + short_text(text), pattern.error().code);
    return std::nullopt;
  }
  pattern_bytes_ += pattern->compiled_bytes();
  if (pattern_bytes_ > kSchemaPatternBytesMax) {
    fault_.note(where, "all patterns together take more than " + std::to_string(kSchemaPatternBytesMax) + " bytes",
                Errc::limit);
    return std::nullopt;
  }
  return std::move(*pattern);
}

void Compiler::compile_array(Node& node, const Keywords& keywords, Draft draft) {
  if (draft != Draft::draft7) node.unevaluated_items = optional_node(keywords.schema("unevaluatedItems"));
  if (!has_any(keywords,
               {"items", "prefixItems", "additionalItems", "contains", "minItems", "maxItems", "uniqueItems"})) {
    return;
  }
  ArrayRules& rules = ensure(node.array);
  rules.count = count_range(keywords, "minItems", "maxItems");
  rules.unique = keywords.flag("uniqueItems");
  compile_items(rules, keywords, draft);
  rules.contains = optional_node(keywords.schema("contains"));
  if (draft != Draft::draft7) rules.contained = count_range(keywords, "minContains", "maxContains", 1);
  rules.contained_is_evaluated = draft == Draft::draft2020;
}

void Compiler::compile_items(ArrayRules& rules, const Keywords& keywords, Draft draft) {
  if (draft == Draft::draft2020) {
    rules.prefix = nodes_for(keywords.schemas("prefixItems"));
    rules.rest = optional_node(keywords.schema("items"));
    return;
  }
  const Json* items = keywords.find("items");
  if (!items || !items->is_array()) {
    rules.rest = optional_node(keywords.schema("items"));  // then additionalItems means nothing
    return;
  }
  for (const Json& item : items->get_array()) {
    if (!keywords.check_schema(item)) return;
  }
  rules.prefix = nodes_for(&items->get_array());
  rules.rest = optional_node(keywords.schema("additionalItems"));
}

void Compiler::compile_object(Node& node, const Keywords& keywords, Draft draft) {
  if (draft != Draft::draft7) node.unevaluated_properties = optional_node(keywords.schema("unevaluatedProperties"));
  if (!has_any(keywords, {"properties", "patternProperties", "additionalProperties", "propertyNames", "required",
                          "minProperties", "maxProperties", "dependencies", "dependentRequired", "dependentSchemas"})) {
    return;
  }
  ObjectRules& rules = ensure(node.object);
  rules.count = count_range(keywords, "minProperties", "maxProperties");
  rules.required = keywords.names("required");
  if (const JsonObject* properties = keywords.map("properties")) {
    for (const auto& [name, schema] : *properties) {
      if (!keywords.check_schema(schema)) return;
      rules.properties.push_back({std::string(name.data(), name.size()), node_for(schema)});
    }
    std::ranges::sort(rules.properties, {}, &ObjectRules::Property::name);
  }
  if (const JsonObject* patterns = keywords.map("patternProperties")) {
    for (const auto& [text, schema] : *patterns) {
      if (!keywords.check_schema(schema)) return;
      auto pattern = compile_pattern({text.data(), text.size()}, schema);
      if (!pattern) return;
      rules.pattern_properties.push_back({std::move(*pattern), node_for(schema)});
    }
  }
  rules.additional = optional_node(keywords.schema("additionalProperties"));
  rules.names = optional_node(keywords.schema("propertyNames"));
  compile_dependencies(rules, keywords, draft);
}

void Compiler::compile_dependencies(ObjectRules& rules, const Keywords& keywords, Draft draft) {
  const auto add = [&](std::string_view keyword, bool schemas, bool names) {
    const JsonObject* map = keywords.map(keyword);
    if (!map) return;
    for (const auto& [name, value] : *map) {
      ObjectRules::Dependency dependency{.name = std::string(name.data(), name.size()), .required = {}};
      if (names && (!schemas || value.is_array())) {
        dependency.required = keywords.names_in(value);
      } else if (keywords.check_schema(value)) {
        dependency.node = node_for(value);
      }
      if (fault_) return;
      rules.dependencies.push_back(std::move(dependency));
    }
  };
  add("dependencies", true, true);  // no keyword any more after draft 07, but still met with its old meaning
  if (draft == Draft::draft7) return;
  add("dependentSchemas", true, false);
  add("dependentRequired", false, true);
}

void Compiler::compile_applied(Node& node, const Keywords& keywords) {
  if (!has_any(keywords, {"allOf", "anyOf", "oneOf", "not", "if"})) return;
  Applied& applied = ensure(node.applied);
  applied.all_of = nodes_for(keywords.schemas("allOf"));
  applied.any_of = nodes_for(keywords.schemas("anyOf"));
  applied.one_of = nodes_for(keywords.schemas("oneOf"));
  applied.negated = optional_node(keywords.schema("not"));
  applied.condition = optional_node(keywords.schema("if"));
  if (applied.condition == kNoNode) return;
  applied.consequence = optional_node(keywords.schema("then"));
  applied.alternative = optional_node(keywords.schema("else"));
}

}  // namespace
}  // namespace deft::schema

namespace deft {

Result<Schema> Schema::compile(const Json& document, const SchemaLimits& limits) {
  schema::Fault fault;
  schema::Measure(limits, fault).add(document);
  if (!fault && !document.is_object() && !document.is_bool()) {
    fault.note(document, "expected a schema (an object or a boolean), got " + schema::describe_value(document));
  }
  if (fault) return std::unexpected(fault.error(document));
  const auto program = schema::Compiler(document, fault).run();
  if (!program) return std::unexpected(fault.error(document));
  program->steps_max = limits.steps_max;
  return Schema(program);
}

}  // namespace deft
