#include "deft/model/offered_tools.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include "deft/core/message_content.h"
#include "deft/model/event_json.h"

namespace deft {
namespace {

constexpr std::array<std::string_view, 3> kChoices = {"anyOf", "oneOf", "allOf"};

void add_properties(JsonObject& properties, const Json& schema) {
  const JsonObject* more = find_object(schema, "properties");
  if (!more) return;
  for (const auto& [name, property] : *more) {
    if (!properties.contains(name)) properties.emplace(name, property);
  }
}

}  // namespace

Json plain_root(Json schema) {
  if (!schema.is_object()) return JsonObject{{"type", "object"}, {"properties", JsonObject{}}};
  JsonObject& root = schema.get_object();
  bool has_choices = false;
  for (const std::string_view key : kChoices) has_choices = has_choices || root.contains(key);
  if (!has_choices) {
    if (!root.contains("type")) root["type"] = "object";
    return schema;
  }
  JsonObject properties;
  add_properties(properties, schema);
  for (const std::string_view key : kChoices) {
    const JsonArray* parts = find_array(schema, key);
    for (std::size_t i = 0; parts && i < parts->size(); ++i) add_properties(properties, (*parts)[i]);
  }
  // What all of the parts require stays unsaid: the tool's own schema is checked when the call comes.
  JsonObject plain = without(root, {"anyOf", "oneOf", "allOf", "properties", "type"});
  plain["type"] = "object";
  plain["properties"] = std::move(properties);
  return plain;
}

namespace {

bool is_choice(std::string_view key) { return std::ranges::find(kChoices, key) != kChoices.end(); }

// The same as text. Nearly every root is a plain object as it stands, and is not taken apart for that.
std::string plain_root_of(std::string_view schema) {
  bool has_type = false;
  bool has_choices = false;
  for (const RawMember& member : raw_members(schema)) {
    has_type = has_type || member.key == "type";
    has_choices = has_choices || is_choice(member.key);
  }
  if (has_type && !has_choices) return std::string(schema);
  const auto parsed = parse_json(schema);
  return to_json(plain_root(parsed ? *parsed : Json()));
}

// The members of one definition, as they stand in its text.
struct Definition {
  explicit Definition(std::string_view tool) : members(raw_members(tool)) {}

  std::string_view raw(std::string_view key) const {
    const auto found = std::ranges::find(members, key, &RawMember::key);
    return found == members.end() ? std::string_view() : found->value;
  }
  std::string text(std::string_view key) const {
    const auto parsed = parse_json(raw(key));
    return parsed && parsed->is_string() ? std::string(view(parsed->get_string())) : std::string();
  }
  // A string as it is written there.
  std::string quoted(std::string_view key) const {
    const std::string_view value = raw(key);
    return value.starts_with('"') ? std::string(value) : "\"\"";
  }

  std::vector<RawMember> members;
};

}  // namespace

std::shared_ptr<const OfferedTools::Written> OfferedTools::write(const SharedText& tools) {
  const std::lock_guard lock(mutex_);
  if (last_ && last_tools_ == tools) return last_;

  auto written = std::make_shared<Written>();
  written->json.reserve(tools.size() + tools.size() / 8);
  auto names = std::make_shared<OfferedNames>();
  std::unordered_set<std::string> taken;
  for (const std::string_view tool : raw_elements(tools.str())) {
    const Definition definition(tool);
    const std::string_view schema = definition.raw("input_schema");
    // One that the provider carries out itself: in its own words.
    if (definition.raw("type").starts_with('"') && schema.empty()) {
      written->json += (written->json.empty() ? "[" : ",") + std::string(tool);
      continue;
    }
    const std::string own = definition.text("name");
    std::string name = api_tool_name(own);
    if (taken.contains(name)) name = hashed_tool_name(own);
    if (!taken.insert(name).second) continue;
    if (name != own) names->emplace(name, own);
    written->json += written->json.empty() ? '[' : ',';
    written->json += write_(
        {name, definition.quoted("description"), plain_root_of(schema), definition.raw("defer_loading") == "true"});
  }
  if (!written->json.empty()) written->json += ']';
  written->names = std::move(names);
  last_tools_ = tools;
  last_ = written;
  return last_;
}

}  // namespace deft
