#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/core/message.h"
#include "deft/core/permission.h"
#include "deft/core/tool_result.h"

namespace deft {

// What the hooks of one event said together.
struct BeforeCall {
  std::optional<Verdict> verdict;
  std::string reason;
  std::optional<Json> replaced_input;
  std::vector<std::string> context;  // added to the conversation
  bool cancelled = false;            // stopped by an abort: the call ends as cancelled
};
struct AfterCall {
  std::vector<std::string> context;
};

// Runs the user's hooks around a call. On the call's worker; ends soon after a stop is requested.
class HookRunner {
 public:
  virtual ~HookRunner() = default;
  virtual BeforeCall before_call(const ToolCall& call, std::stop_token stop) = 0;
  virtual AfterCall after_call(const ToolCall& call, const ToolResult& result, std::stop_token stop) = 0;
};

// No hooks configured: none run.
class NoHooks final : public HookRunner {
 public:
  BeforeCall before_call(const ToolCall&, std::stop_token) override { return {}; }
  AfterCall after_call(const ToolCall&, const ToolResult&, std::stop_token) override { return {}; }
};

}  // namespace deft
