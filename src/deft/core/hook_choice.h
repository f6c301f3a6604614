#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/core/hook_config.h"
#include "deft/core/mcp_tool_name.h"
#include "deft/core/message.h"
#include "deft/core/path_pattern.h"

namespace deft {

// What an event is about, as far as the choice of hooks depends on it.
struct HookSubject {
  std::string_view name;           // what matchers are compared with
  const ToolCall* call = nullptr;  // for "if"
  std::string_view directory = "/";
  std::string_view home = {};
  ResolvePath resolve = nullptr;  // empty: paths by text alone
  // Of a server's tool: `name` and that of `call` are the full one; matchers may know it by others.
  std::optional<McpToolName> mcp = std::nullopt;
  std::string_view api_name = {};  // by which models call it
};

struct ChosenHook {
  const Hook* hook = nullptr;
  bool blocks_on_failure = false;  // it, or one that does the same, is to block when it fails
};

// The hooks that run, in the order of the configuration; of those that do the same, the first.
std::vector<ChosenHook> choose_hooks(const HookConfig& config, HookEvent event, const HookSubject& subject);

// Whether the rule of an "if" is about this call. Of a shell command: any part of it, in substitutions and behind
// wrappers, too; a command that is not understood may be what the rule is about, so the answer is yes.
bool condition_holds(const Rule& rule, const HookSubject& subject);

}  // namespace deft
