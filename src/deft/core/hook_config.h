#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/core/hook_event.h"
#include "deft/core/hook_matcher.h"
#include "deft/core/rule.h"

// Hooks as settings name them: {"<Event>": [{"matcher"?, "hooks": [handler …]}]}.

namespace deft {

inline constexpr Duration kHookTimeoutDefault = std::chrono::seconds(600);
inline constexpr Duration kHookTimeoutMax = std::chrono::hours(24);
inline constexpr Duration kPromptSubmitTimeoutDefault = std::chrono::seconds(30);
inline constexpr Duration kPromptHookTimeoutDefault = std::chrono::seconds(30);
inline constexpr Duration kAgentHookTimeoutDefault = std::chrono::seconds(60);
inline constexpr Duration kCallbackHookTimeoutDefault = std::chrono::seconds(60);
inline constexpr Duration kSessionEndBudgetMin = std::chrono::milliseconds(1500);
inline constexpr Duration kSessionEndBudgetMax = std::chrono::seconds(60);
inline constexpr std::size_t kHooksPerEventMax = 200;  // of one settings file: none crowds out those of another

// The last one is a function of the host's own program: only a host can name it, no settings file.
enum class HookType : std::uint8_t { command, http, mcp_tool, prompt, agent, callback };
std::string_view to_string(HookType type);

// One handler, checked.
struct Hook {
  HookEvent event = HookEvent::pre_tool_use;
  HookMatcher matcher = {};
  SettingSource source = SettingSource::user;
  std::string origin = {};  // the settings file
  HookType type = HookType::command;
  std::string identity = {};  // the same for handlers that do the same
  std::string name = {};      // for people: its command, its address …

  std::string command = {};                                     // command
  std::optional<std::vector<std::string>> args = std::nullopt;  // given: no shell
  bool is_async = false;
  bool wakes_model = false;  // async, and exit code 2 makes the turn go on
  std::string url = {};      // http
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::vector<std::string> allowed_variables = {};  // that its headers may hold
  std::string server = {}, tool = {};               // mcp_tool
  JsonObject input = {};
  std::string prompt = {}, model = {};  // prompt, agent
  bool continue_on_block = false;
  std::string callback = {};  // callback: the host's name for it

  std::optional<Rule> condition = std::nullopt;  // "if"
  std::optional<Duration> timeout = std::nullopt;
  std::string status_message = {};
  bool blocks_on_failure = false;  // whatever goes wrong with it counts as its exit code 2
  // It cannot be used, and is one that must not be left out: it blocks whatever it is for. Why.
  std::optional<std::string> broken = std::nullopt;

  bool is_managed() const { return source == SettingSource::managed; }
};

// All hooks in force. Of one event: the weakest source first, in the order of its file; so that of several who replace
// something, the strongest has the last word.
struct HookConfig {
  std::array<std::vector<Hook>, kHookEventCount> by_event = {};
  // Addresses that http hooks may go to, with "*" for any text; nothing: any.
  std::optional<std::vector<std::string>> http_urls = std::nullopt;
  // Variables that any http hook may send; nothing: what each of them names.
  std::optional<std::vector<std::string>> http_variables = std::nullopt;
  // What all SessionEnd hooks have together; nothing: kSessionEndBudgetMin, or the longest that one of them asks for.
  std::optional<Duration> session_end_budget = std::nullopt;
  std::vector<std::string> problems = {};  // for people
  bool takes_no_others = false;            // skills at work may not bring their own

  const std::vector<Hook>& of(HookEvent event) const { return by_event[static_cast<std::size_t>(event)]; }
  std::vector<Hook>& of(HookEvent event) { return by_event[static_cast<std::size_t>(event)]; }
  bool empty() const;
};

// Adds the hooks of one settings file. What is wrong is left out and said in `problems`, with event, place and reason;
// managed hooks and those with "onFailure": "block" then block what they are for.
void add_hooks(const Json& hooks, SettingSource source, std::string_view origin, HookConfig& config);

// The same for the functions of a host: {"<Event>": [{"matcher"?, "hookCallbackIds": [id …], "timeout"?}]}. One that
// does not answer in time, or at all, blocks a call or a prompt that it was asked about.
void add_host_hooks(const Json& hooks, HookConfig& config);

// How long it may take. SessionEnd hooks share a budget, so that nobody waits long for the end.
Duration timeout_of(const Hook& hook, const HookConfig& config);

// Whether "block on failure" means anything for it: not in the background, nor where blocking means to go on for ever.
bool can_block_on_failure(const Hook& hook);

}  // namespace deft
