#include "deft/tools/registry.h"

#include <algorithm>
#include <tuple>

namespace deft {
namespace {

constexpr std::size_t kToolNameCharactersMax = 128;

bool is_tool_name(std::string_view name) {
  if (name.empty() || name.size() > kToolNameCharactersMax) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

bool comes_before(const RegisteredTool& a, const RegisteredTool& b) {
  const ToolSpec& left = a.tool->spec();
  const ToolSpec& right = b.tool->spec();
  return std::tuple(left.origin != Origin::built_in, std::string_view(left.name), left.origin) <
         std::tuple(right.origin != Origin::built_in, std::string_view(right.name), right.origin);
}

}  // namespace

const RegisteredTool* ToolPool::find(std::string_view name) const {
  auto found = by_name_.find(std::string(name));
  if (found == by_name_.end()) {
    const auto alias = name_of_alias_.find(std::string(name));
    if (alias == name_of_alias_.end()) return nullptr;
    found = by_name_.find(alias->second);
  }
  return found == by_name_.end() ? nullptr : &found->second;
}

std::string ToolPool::definitions(const SessionState& session) const {
  std::string out = "[";
  for (const RegisteredTool& entry : advertised_) {
    if (out.size() > 1) out += ',';
    out += to_json(JsonObject{{"name", entry.tool->spec().name},
                              {"description", entry.tool->description(session)},
                              {"input_schema", entry.tool->spec().input_schema}});
  }
  return out + "]";
}

Result<void> ToolRegistry::add(std::shared_ptr<Tool> tool) {
  const ToolSpec& spec = tool->spec();
  if (!is_tool_name(spec.name)) {
    return fail(Errc::invalid_input, "the tool name " + json_quote(spec.name.substr(0, kToolNameCharactersMax)) +
                                         " must be 1 to 128 letters, digits, '_', '-' or '.'");
  }
  auto schema = Schema::compile(spec.input_schema);
  if (!schema) {
    return fail(Errc::invalid_input, "the input schema of " + spec.name + " is unusable: " + schema.error().message);
  }
  RegisteredTool entry{std::move(tool), std::move(*schema)};
  const auto same = std::find_if(tools_.begin(), tools_.end(), [&](const RegisteredTool& other) {
    return other.tool->spec().name == spec.name && other.tool->spec().origin == spec.origin;
  });
  if (same == tools_.end()) {
    tools_.push_back(std::move(entry));
  } else {
    *same = std::move(entry);
  }
  return {};
}

std::shared_ptr<const ToolPool> ToolRegistry::pool(const Permissions& permissions) const {
  auto pool = std::make_shared<ToolPool>();
  std::vector<RegisteredTool> ordered = tools_;
  std::sort(ordered.begin(), ordered.end(), comes_before);  // so the first of a name is the built-in
  for (RegisteredTool& entry : ordered) {
    const ToolSpec& spec = entry.tool->spec();
    if (!pool->by_name_.emplace(spec.name, entry).second) continue;
    for (const std::string& alias : spec.aliases) pool->name_of_alias_.emplace(alias, spec.name);
    if (entry.tool->disabled() || permissions.forbids_wholly(spec.name, spec.aliases)) continue;
    pool->advertised_.push_back(std::move(entry));
  }
  return pool;
}

}  // namespace deft
