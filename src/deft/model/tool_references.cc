#include "deft/model/tool_references.h"

#include <vector>

#include "deft/base/contains.h"
#include "deft/base/json.h"
#include "deft/core/message_content.h"
#include "deft/model/event_json.h"

namespace deft {
namespace {

constexpr std::string_view kMark = R"("defer_loading":true)";
constexpr std::string_view kReference = R"("type":"tool_reference")";

bool is_deferred(std::string_view tool) {
  if (!contains(tool, kMark)) return false;
  const auto json = parse_json(tool);
  return json && find_bool(*json, "defer_loading").value_or(false);
}

Json referred(const Json& block, const std::set<std::string, std::less<>>& known) {
  if (find_string(block, "type") != "tool_reference") return block;
  const std::string own = string_or_empty(block, "tool_name");
  for (const std::string& name : {api_tool_name(own), hashed_tool_name(own)}) {
    if (known.contains(name)) return JsonObject{{"type", "tool_reference"}, {"tool_name", name}};
  }
  return JsonObject{{"type", "text"}, {"text", "The tool " + own + " was loaded here."}};
}

}  // namespace

std::size_t end_of_listed(std::string_view tools) {
  if (!contains(tools, kMark)) return tools.empty() ? 0 : tools.size() - 1;
  std::size_t end = 0;
  for (const std::string_view tool : raw_elements(tools)) {
    if (!is_deferred(tool)) end = static_cast<std::size_t>(tool.data() - tools.data()) + tool.size();
  }
  return end;
}

std::set<std::string, std::less<>> deferred_names(std::string_view tools) {
  std::set<std::string, std::less<>> names;
  if (!contains(tools, kMark)) return names;
  for (const std::string_view tool : raw_elements(tools)) {
    if (!is_deferred(tool)) continue;
    if (const auto json = parse_json(tool)) names.insert(string_or_empty(*json, "name"));
  }
  return names;
}

bool has_references(std::string_view content) { return contains(content, kReference); }

std::string with_known_references(std::string_view content, const std::set<std::string, std::less<>>& known) {
  if (!has_references(content)) return std::string(content);
  std::vector<std::string> blocks;
  for (const std::string_view block : raw_elements(content)) {
    auto json = block.find(kReference) == std::string_view::npos ? parse_json("null") : parse_json(block);
    JsonArray* parts = nullptr;
    if (json && find_string(*json, "type") == "tool_result") {
      if (Json* inner = json->get_object().if_contains("content")) parts = inner->if_array();
    }
    if (!parts) {
      blocks.emplace_back(block);
      continue;
    }
    for (Json& part : *parts) part = referred(part, known);
    blocks.push_back(to_json(*json));
  }
  return content_of(blocks);
}

}  // namespace deft
