#include "deft/model/offered_tools.h"

#include <array>
#include <unordered_set>

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

std::shared_ptr<const OfferedTools::Written> OfferedTools::write(const std::string& tools) {
  const std::lock_guard lock(mutex_);
  if (last_ && last_tools_ == tools) return last_;

  auto written = std::make_shared<Written>();
  auto names = std::make_shared<OfferedNames>();
  std::unordered_set<std::string> taken;
  const auto parsed = parse_json(tools.empty() ? "[]" : tools);
  const JsonArray none;
  const JsonArray& list = parsed && parsed->is_array() ? parsed->get_array() : none;
  for (const Json& tool : list) {
    // One that the provider carries out itself: in its own words.
    if (find_string(tool, "type") && !find(tool, "input_schema")) {
      written->json += (written->json.empty() ? "[" : ",") + to_json(tool);
      continue;
    }
    const std::string own = string_or_empty(tool, "name");
    std::string name = api_tool_name(own);
    if (taken.contains(name)) name = hashed_tool_name(own);
    if (!taken.insert(name).second) continue;
    if (name != own) names->emplace(name, own);
    const Json* schema = find(tool, "input_schema");
    written->json += written->json.empty() ? '[' : ',';
    written->json += write_({name, string_or_empty(tool, "description"), plain_root(schema ? *schema : Json()),
                             find_bool(tool, "defer_loading").value_or(false)});
  }
  if (!written->json.empty()) written->json += ']';
  written->names = std::move(names);
  last_tools_ = tools;
  last_ = written;
  return last_;
}

}  // namespace deft
