#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

// A host that runs may be started at, and the environment variable with the secret that it wants.
struct RemoteTarget {
  std::string host;            // lower case
  std::string token_variable;  // empty: it wants none
};

// What the settings say about single tools.
struct ToolSettings {
  // "editTool": "auto" | "Edit" | "apply_patch". By itself what the model was trained on.
  enum class EditTool : std::uint8_t { by_model, edit, apply_patch };
  EditTool edit_tool = EditTool::by_model;
  // "advisor": {"enabled": true, "maxCalls": 20, "maxTokens": 200000}. Which model it is: "advisorModel".
  bool advisor_enabled = true;
  std::optional<std::int64_t> advisor_calls_max{};
  std::optional<std::int64_t> advisor_tokens_max{};
  // "skillOverrides": {"review": "off"}: who may use a skill, whatever its file says.
  enum class SkillUse : std::uint8_t { on, name_only, user_only, off };
  std::map<std::string, SkillUse, std::less<>> skill_overrides{};
  // "disableSkillShellExecution": commands in the texts of skills are left out; those of the machine's own still run.
  bool skill_commands = true;
  // "remoteTriggers": {"ci.example.com": {"tokenVariable": "CI_TOKEN"}}
  std::vector<RemoteTarget> remote_targets{};
};

// From the whole settings object. Strict: a known key with a wrong value is an error that names it.
Result<ToolSettings> parse_tool_settings(const Json& settings);

}  // namespace deft
