#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "deft/base/json.h"
#include "deft/core/schema_fault.h"
#include "deft/core/schema_program.h"

namespace deft::schema {

enum class Draft { draft7, draft2019, draft2020 };

// The name under which 2019-09's nameless $recursiveAnchor is kept; no anchor can be called so.
inline constexpr std::string_view kRecursiveAnchor = "#recursive";

// A schema document or a part of one with an $id of its own: what a URI names and what anchors are local to.
struct Resource {
  using Anchors = std::map<std::string, const Json*, std::less<>>;

  std::string uri;
  const Json* root = nullptr;
  Draft draft = Draft::draft2020;
  Anchors anchors;          // both kinds
  Anchors dynamic_anchors;  // those that a $dynamicRef looks for
};

// Knows which subschema belongs to which resource and where references lead. Looks only where the draft says that
// subschemas are: an "$id" inside an enum is just a value. The documents must outlive it.
class Resources {
 public:
  struct Target {
    const Json* schema = nullptr;
    std::string dynamic_anchor;  // set if the reference was to a dynamic anchor
  };

  Resources(const Json& document, Fault& fault);

  const Resource& of(const Json& schema) const { return resources_[id_of(schema)]; }
  ResourceId id_of(const Json& schema) const { return homes_.at(&schema); }
  const std::vector<Resource>& all() const { return resources_; }

  // What `reference`, a value inside the resource `from`, refers to. Notes a fault and answers nothing if that is
  // not in reach.
  std::optional<Target> resolve(const Json& reference, ResourceId from);

 private:
  void add_document(const Json& document);
  void walk(const Json& schema, ResourceId home);
  ResourceId enter(const Json& schema, ResourceId home);
  ResourceId add_resource(const Json& root, std::string uri, Draft draft);
  void add_anchors(const Json& schema, ResourceId home);
  void add_anchor(Resource::Anchors& anchors, std::string_view name, const Json& schema);
  Draft draft_of(const Json& schema, Draft inherited);
  std::optional<ResourceId> find_resource(const std::string& uri);
  const Json* follow_pointer(const Json& reference, std::string_view pointer, ResourceId resource);

  Fault& fault_;
  std::vector<Resource> resources_;
  std::map<std::string, ResourceId, std::less<>> by_uri_;
  std::unordered_map<const Json*, ResourceId> homes_;
};

}  // namespace deft::schema
