#include "deft/core/schema_resources.h"

#include "deft/base/utf8.h"
#include "deft/core/schema_metaschemas.h"
#include "deft/core/schema_uri.h"
#include "deft/core/schema_words.h"

namespace deft::schema {
namespace {

constexpr std::size_t kUriBytesMax = 2'048;

enum class Holds { schema, list, map };
constexpr unsigned kOld = 1;     // drafts up to 07
constexpr unsigned kModern = 2;  // 2019-09 and later
constexpr unsigned kEvery = kOld | kModern;

// Where subschemas are. A value of another form is no subschema; if it is an error, the compiler says so.
struct Holder {
  std::string_view keyword;
  Holds holds;
  unsigned drafts;
};
constexpr Holder kHolders[] = {
    {"$defs", Holds::map, kModern},
    {"definitions", Holds::map, kEvery},
    {"properties", Holds::map, kEvery},
    {"patternProperties", Holds::map, kEvery},
    {"additionalProperties", Holds::schema, kEvery},
    {"propertyNames", Holds::schema, kEvery},
    {"dependencies", Holds::map, kEvery},
    {"dependentSchemas", Holds::map, kModern},
    {"prefixItems", Holds::list, kModern},
    {"items", Holds::schema, kEvery},
    {"items", Holds::list, kEvery},
    {"additionalItems", Holds::schema, kEvery},
    {"contains", Holds::schema, kEvery},
    {"unevaluatedItems", Holds::schema, kModern},
    {"unevaluatedProperties", Holds::schema, kModern},
    {"allOf", Holds::list, kEvery},
    {"anyOf", Holds::list, kEvery},
    {"oneOf", Holds::list, kEvery},
    {"not", Holds::schema, kEvery},
    {"if", Holds::schema, kEvery},
    {"then", Holds::schema, kEvery},
    {"else", Holds::schema, kEvery},
    {"contentSchema", Holds::schema, kModern},
};

bool is_schema(const Json& value) { return value.is_object() || value.is_bool(); }

// Up to draft 07 a $ref hides everything beside it, an $id too; but what lies below can still be referred to.
bool hides_siblings(const Json& schema, Draft draft) { return draft == Draft::draft7 && find(schema, "$ref"); }

std::optional<Draft> draft_named(std::string_view uri) {
  uri = split_fragment(uri).uri;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (uri.starts_with(scheme)) uri.remove_prefix(scheme.size());
  }
  if (uri == "json-schema.org/draft/2020-12/schema") return Draft::draft2020;
  if (uri == "json-schema.org/draft/2019-09/schema") return Draft::draft2019;
  // Draft 07 only added to 06 and 04. What 04 wrote otherwise (a boolean exclusiveMinimum) is refused when compiled.
  for (const std::string_view old : {"07", "06", "04"}) {
    if (uri == "json-schema.org/draft-" + std::string(old) + "/schema") return Draft::draft7;
  }
  return std::nullopt;
}

// One step of a JSON pointer, decoded: "~1" is '/', "~0" is '~'.
std::optional<std::string> decoded_token(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
      continue;
    }
    if (++i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    out += token[i] == '0' ? '~' : '/';
  }
  return out;
}

const Json* child(const Json& value, std::string_view token) {
  if (value.is_object()) return find(value, token);
  if (!value.is_array() || token.empty() || token.size() > 9) return nullptr;
  if (token.size() > 1 && token.front() == '0') return nullptr;
  std::size_t index = 0;
  for (const char c : token) {
    if (c < '0' || c > '9') return nullptr;
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return index < value.get_array().size() ? &value.get_array()[index] : nullptr;
}

}  // namespace

Resources::Resources(const Json& document, Fault& fault) : fault_(fault) { add_document(document); }

void Resources::add_document(const Json& document) {
  const Draft draft = draft_of(document, Draft::draft2020);
  const auto id = hides_siblings(document, draft) ? std::nullopt : find_string(document, "$id");
  const ResourceId home = add_resource(document, resolve_uri("", split_fragment(id.value_or("")).uri), draft);
  walk(document, home);
}

void Resources::walk(const Json& schema, ResourceId home) {
  if (fault_ || !is_schema(schema) || homes_.contains(&schema)) return;
  if (!schema.is_object()) {
    homes_.emplace(&schema, home);
    return;
  }
  const bool hidden = hides_siblings(schema, resources_[home].draft);
  if (!hidden) home = enter(schema, home);
  if (fault_) return;
  homes_.emplace(&schema, home);
  if (!hidden) add_anchors(schema, home);

  const unsigned draft = resources_[home].draft == Draft::draft7 ? kOld : kModern;
  for (const auto& [keyword, holds, drafts] : kHolders) {
    const Json* value = (drafts & draft) != 0 ? find(schema, keyword) : nullptr;
    if (!value) continue;
    if (holds == Holds::schema) walk(*value, home);
    if (holds == Holds::list && value->is_array()) {
      for (const Json& item : value->get_array()) walk(item, home);
    }
    if (holds == Holds::map && value->is_object()) {
      for (const auto& member : value->get_object()) walk(member.value(), home);
    }
  }
}

// The resource that `schema`, found inside `home`, belongs to: a new one if it has an $id.
ResourceId Resources::enter(const Json& schema, ResourceId home) {
  const Json* id = find(schema, "$id");
  if (!id) return home;
  if (!id->is_string()) {
    fault_.note(*id, "expected a URI, got " + short_json(*id));
    return home;
  }
  const auto [uri, fragment] = split_fragment(view(id->get_string()));
  const Resource& parent = resources_[home];
  if (!fragment.empty() && parent.draft != Draft::draft7) {
    fault_.note(*id, "expected a URI without a fragment, got " + short_json(*id));
    return home;
  }
  if (!uri.empty() && parent.root != &schema) {
    home = add_resource(schema, resolve_uri(parent.uri, uri), draft_of(schema, parent.draft));
  }
  if (!fault_ && !fragment.empty()) add_anchor(resources_[home].anchors, fragment, schema);  // draft 07's anchors
  return home;
}

ResourceId Resources::add_resource(const Json& root, std::string uri, Draft draft) {
  const auto id = static_cast<ResourceId>(resources_.size());
  if (id >= kSchemaResourcesMax) {
    fault_.note(root, "there are more than " + std::to_string(kSchemaResourcesMax) + " subschemas with an $id",
                Errc::limit);
    return 0;
  }
  if (uri.size() > kUriBytesMax) {
    fault_.note(root, "the $id is longer than " + std::to_string(kUriBytesMax) + " bytes", Errc::limit);
    return 0;
  }
  if (!by_uri_.emplace(uri, id).second) {
    fault_.note(root, "the $id " + json_quote(uri) + " is given to two schemas");
    return 0;
  }
  resources_.push_back({.uri = std::move(uri), .root = &root, .draft = draft, .anchors = {}, .dynamic_anchors = {}});
  return id;
}

void Resources::add_anchors(const Json& schema, ResourceId home) {
  Resource& resource = resources_[home];
  if (resource.draft == Draft::draft7) return;
  for (const std::string_view keyword : {"$anchor", "$dynamicAnchor"}) {
    const Json* name = find(schema, keyword);
    if (!name) continue;
    if (!name->is_string() || name->get_string().empty()) {
      fault_.note(*name, "expected a name, got " + short_json(*name));
      return;
    }
    const std::string_view text = view(name->get_string());
    add_anchor(resource.anchors, text, schema);
    if (keyword == "$dynamicAnchor") add_anchor(resource.dynamic_anchors, text, schema);
  }
  // 2019-09 has one nameless dynamic anchor for each resource.
  const Json* recursive = find(schema, "$recursiveAnchor");
  if (resource.draft == Draft::draft2019 && resource.root == &schema && recursive && *recursive == Json(true)) {
    add_anchor(resource.dynamic_anchors, kRecursiveAnchor, schema);
  }
}

void Resources::add_anchor(Resource::Anchors& anchors, std::string_view name, const Json& schema) {
  const auto [entry, added] = anchors.emplace(name, &schema);
  if (!added && entry->second != &schema)
    fault_.note(schema, "the anchor " + json_quote(name) + " is given to two schemas");
}

Draft Resources::draft_of(const Json& schema, Draft inherited) {
  const Json* uri = find(schema, "$schema");
  if (!uri) return inherited;
  if (uri->is_string()) {
    if (const auto draft = draft_named(view(uri->get_string()))) return *draft;
  }
  fault_.note(*uri, "expected \"https://json-schema.org/draft/2020-12/schema\" or another published draft, got " +
                        short_json(*uri));
  return inherited;
}

std::optional<Resources::Target> Resources::resolve(const Json& reference, ResourceId from) {
  const auto [relative, encoded_fragment] = split_fragment(view(reference.get_string()));
  const std::string uri = resolve_uri(resources_[from].uri, relative);
  const auto resource = find_resource(uri);
  if (!resource) {
    fault_.note(reference, "refers to " + json_quote(utf8_prefix(uri, kUriBytesMax)) +
                               ", which is not part of this document; other documents are never fetched");
    return std::nullopt;
  }
  const auto fragment = percent_decode(encoded_fragment);
  if (!fragment) {
    fault_.note(reference, "the fragment " + short_json(reference) + " is not well formed");
    return std::nullopt;
  }
  const Resource& found = resources_[*resource];
  if (fragment->empty()) return Target{found.root, ""};
  if (fragment->front() == '/') {
    const Json* schema = follow_pointer(reference, *fragment, *resource);
    return schema ? std::optional(Target{schema, ""}) : std::nullopt;
  }
  const auto anchor = found.anchors.find(*fragment);
  if (anchor == found.anchors.end()) {
    fault_.note(reference, "refers to " + short_json(reference) + ", but there is no such anchor");
    return std::nullopt;
  }
  return Target{anchor->second, found.dynamic_anchors.contains(*fragment) ? *fragment : ""};
}

std::optional<ResourceId> Resources::find_resource(const std::string& uri) {
  if (const auto found = by_uri_.find(uri); found != by_uri_.end()) return found->second;
  const Json* metaschema = find_metaschema(uri);
  if (!metaschema) return std::nullopt;
  add_document(*metaschema);
  const auto found = by_uri_.find(uri);
  return found == by_uri_.end() ? std::nullopt : std::optional(found->second);
}

const Json* Resources::follow_pointer(const Json& reference, std::string_view pointer, ResourceId resource) {
  const Json* at = resources_[resource].root;
  ResourceId home = resource;
  while (at && !pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view step = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(step.size());
    const auto token = decoded_token(step);
    at = token ? child(*at, *token) : nullptr;
    if (const auto known = homes_.find(at); known != homes_.end()) home = known->second;
  }
  if (!at || !is_schema(*at)) {
    fault_.note(reference, "refers to " + short_json(reference) + ", but there is no schema");
    return nullptr;
  }
  if (!homes_.contains(at)) walk(*at, home);  // below a keyword that we do not know
  return fault_ ? nullptr : at;
}

}  // namespace deft::schema
