#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/core/hook_config.h"
#include "deft/core/hook_event.h"

// What a hook's program is given beside its input, as pure functions.

namespace deft {

// The session in which hooks run.
struct HookSession {
  std::string id = {};
  std::string transcript_path = {};
  std::string folder = {};   // the session's own; empty: what is too long to be passed on is not kept
  std::string project = {};  // where the session was started
  std::string effort = {};
  std::string environment_file = {};  // what SessionStart hooks write there, later shell commands find; empty: none
};

// From `own` (NAME=VALUE each): what any command gets, without OTEL_*, and with what tells the hook where it is, under
// Claude Code's names and under deft's.
std::vector<std::string> hook_environment(std::span<const std::string> own, const HookSession& session,
                                          HookEvent event);

// ${CLAUDE_PROJECT_DIR} and ${DEFT_PROJECT_DIR}, wherever they stand.
std::string with_placeholders(std::string_view text, const HookSession& session);
// The same in a text that a shell reads. A folder whose name means something to a shell is left to the variable of the
// same name, which the shell does not read as code.
std::string with_shell_placeholders(std::string_view text, const HookSession& session);

// $NAME and ${NAME} of a header. A name that is not allowed is empty; and so is a secret of the model's API, whoever
// allows it.
std::string with_variables(std::string_view text, std::span<const std::string> own, const Hook& hook,
                           const HookConfig& config);

// May an http hook go there? Patterns have "*" for any text; one in the host's place stays within it.
bool is_allowed_url(std::string_view url, const HookConfig& config);

// ${tool_input.file_path} and the like in every text of `input`, from what the hook would read. Missing ones are empty.
JsonObject with_fields(const JsonObject& input, const Json& hook_input);

}  // namespace deft
