#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "deft/base/result.h"
#include "deft/ui/agent_session.h"
#include "deft/ui/exec_options.h"
#include "deft/ui/headless_output.h"

namespace deft {

// What the command line of `deft -p` says.
struct HeadlessOptions {
  AgentSessionOptions session;
  std::optional<std::string> prompt = std::nullopt;
  std::string list_before_prompt = {};  // the flag that has taken the prompt, perhaps, if there is none
  HeadlessOutputOptions output = {};
  bool stream_input = false;  // lines of JSON, one for each message of the user
  bool replay_user_messages = false;
  bool host_decides = false;         // --permission-prompt-tool stdio
  std::string permission_tool = {};  // --permission-prompt-tool mcp__server__tool
  std::optional<std::string> events_file = std::nullopt;
  std::vector<std::string> notices = {};  // for people
};

// `arguments`: without the program's name. The error says what to change.
Result<std::variant<HeadlessOptions, ShowText>> parse_headless_options(std::span<const char* const> arguments);

}  // namespace deft
