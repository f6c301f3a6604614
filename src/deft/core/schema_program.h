#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/match.h"
#include "deft/core/schema.h"

// The compiled form of a schema: one node for each subschema that can be reached, rules grouped by the type of value
// they look at, so that a string never meets the rules for objects.

namespace deft::schema {

using NodeId = std::uint32_t;
using ResourceId = std::uint32_t;
inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();
inline constexpr std::uint64_t kNoCountMax = std::numeric_limits<std::uint64_t>::max();

// A set of JSON types. 3 and 3.0 are both, a number and an integer.
using TypeSet = std::uint8_t;
inline constexpr TypeSet kString = 1;
inline constexpr TypeSet kNumber = 2;
inline constexpr TypeSet kInteger = 4;
inline constexpr TypeSet kBoolean = 8;
inline constexpr TypeSet kObject = 16;
inline constexpr TypeSet kArray = 32;
inline constexpr TypeSet kNull = 64;
inline constexpr TypeSet kAnyType = 127;

struct TypeName {
  std::string_view name;
  TypeSet bit;
};
inline constexpr TypeName kTypeNames[] = {{"string", kString},   {"number", kNumber}, {"integer", kInteger},
                                          {"boolean", kBoolean}, {"object", kObject}, {"array", kArray},
                                          {"null", kNull}};

struct CountRange {
  std::uint64_t min = 0;
  std::uint64_t max = kNoCountMax;
};

struct ValueRules {
  std::optional<Json> constant;
  std::optional<std::vector<Json>> listed;
};

struct NumberRules {
  std::optional<Json> minimum;
  std::optional<Json> maximum;
  std::optional<Json> exclusive_minimum;
  std::optional<Json> exclusive_maximum;
  std::optional<Json> multiple_of;
};

struct StringRules {
  CountRange length;
  std::optional<Pattern> pattern;
};

struct ArrayRules {
  CountRange count;
  bool unique = false;
  std::vector<NodeId> prefix;
  NodeId rest = kNoNode;  // for the items after the prefix
  NodeId contains = kNoNode;
  CountRange contained{.min = 1};
  bool contained_is_evaluated = false;  // since 2020-12, for unevaluatedItems
};

struct ObjectRules {
  struct Property {
    std::string name;
    NodeId node;
  };
  struct PatternProperty {
    Pattern pattern;
    NodeId node;
  };
  struct Dependency {  // applies when `name` is present
    std::string name;
    std::vector<std::string> required;
    NodeId node = kNoNode;
  };

  CountRange count;
  std::vector<std::string> required;
  std::vector<Property> properties;  // sorted by name
  std::vector<PatternProperty> pattern_properties;
  NodeId additional = kNoNode;
  NodeId names = kNoNode;
  std::vector<Dependency> dependencies;
};

// What applies other schemas to the very same value.
struct Applied {
  NodeId reference = kNoNode;
  NodeId dynamic_reference = kNoNode;  // where it points before the dynamic scope is looked at
  std::string dynamic_anchor;          // empty: an ordinary reference after all
  std::vector<NodeId> all_of;
  std::vector<NodeId> any_of;
  std::vector<NodeId> one_of;
  NodeId negated = kNoNode;
  NodeId condition = kNoNode;
  NodeId consequence = kNoNode;
  NodeId alternative = kNoNode;
};

struct Node {
  enum class Kind : std::uint8_t { anything, nothing, rules };

  Kind kind = Kind::anything;
  TypeSet types = kAnyType;
  ResourceId resource = 0;
  NodeId unevaluated_items = kNoNode;
  NodeId unevaluated_properties = kNoNode;
  std::unique_ptr<ValueRules> values;
  std::unique_ptr<NumberRules> number;
  std::unique_ptr<StringRules> string;
  std::unique_ptr<ArrayRules> array;
  std::unique_ptr<ObjectRules> object;
  std::unique_ptr<Applied> applied;
};

struct Program {
  using DynamicAnchors = std::map<std::string, NodeId, std::less<>>;

  std::vector<Node> nodes;
  std::vector<DynamicAnchors> resources;  // by ResourceId
  NodeId root = 0;
  std::uint64_t steps_max = kSchemaStepsMax;
};

// Nothing if the schema accepts the value; otherwise why not.
bool evaluate(const Program& program, const Json& value);
std::vector<SchemaProblem> explain(const Program& program, const Json& value);

}  // namespace deft::schema
