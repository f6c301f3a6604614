#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/config/agent_settings.h"
#include "deft/config/auto_settings.h"
#include "deft/config/lsp_settings.h"
#include "deft/config/model_settings.h"
#include "deft/config/price_settings.h"
#include "deft/config/result_settings.h"
#include "deft/config/shell_settings.h"
#include "deft/config/telemetry_settings.h"
#include "deft/config/tool_settings.h"
#include "deft/config/web_settings.h"
#include "deft/config/worktree_settings.h"
#include "deft/core/permission.h"

namespace deft {

inline constexpr std::size_t kSettingsBytesMax = std::size_t{2} << 20;

// What a settings file says. Keys that deft does not know are left alone: other tools share these files.
struct Settings {
  PermissionRules rules;
  std::optional<Mode> default_mode;
  std::vector<std::string> additional_directories;
  bool exclusive_scheduling = false;       // "scheduling": "exclusive" | "footprints"
  bool streaming = true;                   // "streaming": "on" | "off"
  bool cancel_siblings_on_failure = true;  // "cancelSiblingsOnFailure"
  bool waits_for_disk = false;             // "durability": "disk" | "process"
  std::optional<Duration> question_time;   // "askUserQuestionTimeout": "60s" | "5m" | "10m" | "never"
  ShellSettings shell{};
  ResultSettings results{};
  ModelSettings model{};
  PriceSettings prices{};
  WebSettings web{};
  TelemetrySettings telemetry{};
  WorktreeSettings worktree{};
  LspSettings lsp{};
  ToolSettings tools{};
  AutoModeSettings auto_mode{};
  AgentSettings agent{};
};

// A rule that cannot be used: an error, or kept, so that it asks where it would have denied (core/rule.h).
enum class UnusableRules : std::uint8_t { refuse, keep };

// Strict: a known key with a wrong value is an error that names it.
Result<Settings> parse_settings(std::string_view json_text, UnusableRules unusable = UnusableRules::refuse);

// The number of calls that may work at once, from text that a person gave. `source` names it in the error.
Result<std::size_t> parse_concurrency(std::string_view text, std::string_view source);

}  // namespace deft
