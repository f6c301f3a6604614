#include "deft/mcp/tool_definition.h"

#include <algorithm>
#include <map>
#include <set>

#include "deft/base/content_hash.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/core/result_limits.h"
#include "deft/core/schema.h"
#include "deft/shell/hidden_characters.h"

namespace deft {
namespace {

constexpr std::string_view kCut = "… [cut]";
constexpr std::size_t kHashCharacters = 8;

std::set<std::string> required_of(const Json& schema) {
  std::set<std::string> out;
  if (const JsonArray* required = find_array(schema, "required")) {
    for (const Json& name : *required) {
      if (name.is_string()) out.emplace(view(name.get_string()));
    }
  }
  return out;
}

// A property that several branches have may be what any of them says.
void add_property(JsonObject& properties, std::string_view name, const Json& schema) {
  Json* there = properties.if_contains(name);
  if (there == nullptr) {
    properties[name] = schema;
  } else if (*there != schema) {
    if (find_array(*there, "anyOf") == nullptr || there->get_object().size() != 1) {
      *there = JsonObject{{"anyOf", JsonArray{*there}}};
    }
    JsonArray& choices = there->get_object()["anyOf"].get_array();
    if (std::ranges::find(choices, schema) == choices.end()) choices.push_back(schema);
  }
}

void add_branches(const JsonArray& branches, bool all_hold, JsonObject& properties, std::set<std::string>& required) {
  std::optional<std::set<std::string>> in_every_branch;
  for (const Json& branch : branches) {
    if (const JsonObject* own = find_object(branch, "properties")) {
      for (const auto& [name, schema] : *own) add_property(properties, {name.data(), name.size()}, schema);
    }
    const std::set<std::string> needed = required_of(branch);
    if (all_hold) {
      required.insert(needed.begin(), needed.end());
    } else if (!in_every_branch) {
      in_every_branch = needed;
    } else {
      std::erase_if(*in_every_branch, [&](const std::string& name) { return !needed.contains(name); });
    }
  }
  if (in_every_branch) required.insert(in_every_branch->begin(), in_every_branch->end());
}

}  // namespace

std::string tamed_text(std::string_view text, std::size_t bytes_max) {
  // Character by character: what nobody would see is not for the model either.
  std::string out;
  const std::string valid = to_valid_utf8(text);
  std::string_view rest = valid;
  while (!rest.empty()) {
    const std::size_t length = utf8_sequence_length(rest);
    const std::string_view character = rest.substr(0, std::max<std::size_t>(length, 1));
    rest.remove_prefix(character.size());
    if (shell::find_hidden_character(character)) continue;
    if (out.size() + character.size() > bytes_max) {
      out = std::string(utf8_prefix(out, bytes_max - std::min(bytes_max, kCut.size())));
      return out + std::string(kCut);
    }
    out += character;
  }
  return out;
}

Json flattened_schema(const Json& schema) {
  JsonObject out = schema.is_object() ? schema.get_object() : JsonObject{};
  JsonObject properties;
  if (const JsonObject* own = find_object(schema, "properties")) properties = *own;
  std::set<std::string> required = required_of(schema);
  bool is_changed = false;
  for (const std::string_view key : {"allOf", "anyOf", "oneOf"}) {
    const JsonArray* branches = find_array(schema, key);
    if (branches == nullptr) continue;
    add_branches(*branches, key == "allOf", properties, required);
    out.erase(key);
    is_changed = true;
  }
  out["type"] = "object";
  if (!is_changed) return out;
  out.erase("additionalProperties");
  out.erase("unevaluatedProperties");
  out["properties"] = std::move(properties);
  JsonArray names;
  for (const std::string& name : required) names.emplace_back(name);
  if (names.empty()) {
    out.erase("required");
  } else {
    out["required"] = std::move(names);
  }
  return out;
}

Result<McpToolDefinition> read_tool_definition(const Json& entry) {
  McpToolDefinition out;
  const auto name = find_string(entry, "name");
  if (!name || name->empty()) return fail(Errc::invalid_input, "a tool without a name");
  if (name->size() > kMcpToolNameBytesMax) {
    return fail(Errc::limit, "the tool " + json_quote(utf8_prefix(*name, 60)) + "… has a name of more than " +
                                 std::to_string(kMcpToolNameBytesMax) + " bytes");
  }
  const auto refuse = [&](Errc code, std::string_view why) {
    return fail(code, "the tool " + json_quote(tamed_text(*name, 100)) + " is left out: " + std::string(why));
  };
  if (shell::find_hidden_character(*name) || name->find('\n') != std::string_view::npos) {
    return refuse(Errc::invalid_input, "its name has invisible characters");
  }
  out.name = *name;
  const Json* schema = find(entry, "inputSchema");
  if (schema == nullptr || !schema->is_object()) return refuse(Errc::invalid_input, "it has no input schema");
  if (const Json* type = find(*schema, "type"); type != nullptr && *type != Json("object")) {
    return refuse(Errc::invalid_input, "its input is no object");
  }
  auto headers = param_headers(*schema);
  if (!headers) return refuse(Errc::invalid_input, headers.error().message);
  out.param_headers = *std::move(headers);
  out.input_schema = flattened_schema(*schema);
  if (const Json* output = find(entry, "outputSchema"); output != nullptr && output->is_object()) {
    out.output_schema = *output;
  }
  if (const Json* execution = find(entry, "execution")) {
    out.needs_task = find_string(*execution, "taskSupport") == "required";
  }
  out.description = tamed_text(find_string(entry, "description").value_or(""), kMcpDescriptionBytesMax);
  std::string_view title = find_string(entry, "title").value_or("");
  if (const Json* hints = find(entry, "annotations")) {
    out.read_only_hint = find_bool(*hints, "readOnlyHint").value_or(false);
    out.destructive_hint = find_bool(*hints, "destructiveHint").value_or(true);
    if (title.empty()) title = find_string(*hints, "title").value_or("");
  }
  out.title = tamed_text(title, 200);
  if (const Json* meta = find(entry, "_meta")) {
    out.always_load = find_bool(*meta, "anthropic/alwaysLoad").value_or(false);
    out.requires_user_interaction = find_bool(*meta, "anthropic/requiresUserInteraction").value_or(false);
    out.search_hint = tamed_text(find_string(*meta, "anthropic/searchHint").value_or(""), kMcpSearchHintCharactersMax);
    out.result_characters_max = declared_result_maximum(meta);
  }
  // Where there is no description the title stands for it.
  const std::string told = out.description.empty() ? out.title : out.description;
  const std::string takes = to_json(out.input_schema);
  if (takes.size() > kMcpInputSchemaBytesMax) {
    return refuse(Errc::limit, "its input schema is longer than " + human_bytes(kMcpInputSchemaBytesMax));
  }
  if (const auto usable = Schema::compile(out.input_schema); !usable) {
    return refuse(Errc::invalid_input, usable.error().message);
  }
  out.identity = content_hash(told + '\n' + takes);
  out.bytes = told.size() + takes.size();
  return out;
}

std::string mcp_api_name(const McpToolName& name) {
  std::string api_name = name.plain();
  if (api_name.size() <= kMcpApiNameCharactersMax && name.is_alone) return api_name;
  const std::string hash = content_hash(name.server + '\0' + name.tool).substr(0, kHashCharacters);
  api_name.resize(std::min(api_name.size(), kMcpApiNameCharactersMax - kHashCharacters - 1));
  return api_name + '_' + hash;
}

std::vector<McpToolName> mcp_tool_names(std::string_view server, const std::vector<std::string>& tools) {
  std::map<std::string, std::set<std::string_view>> alike;  // by their plain characters
  for (const std::string& tool : tools) alike[plain_mcp_word(tool)].insert(tool);
  std::vector<McpToolName> names;
  for (const std::string& tool : tools) {
    const std::string plain = plain_mcp_word(tool);
    names.push_back(
        {.server = plain_mcp_word(server), .tool = tool, .is_alone = plain == tool || alike.at(plain).size() == 1});
  }
  return names;
}

}  // namespace deft
