#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "deft/agent/executor.h"
#include "deft/base/result.h"
#include "deft/config/mcp_settings.h"
#include "deft/config/settings.h"
#include "deft/core/permission.h"
#include "deft/ui/flag_table.h"
#include "deft/ui/session_settings.h"

namespace deft {

struct ExecOptions {
  std::string working_directory;         // canonical
  std::vector<std::string> directories;  // canonical; further ones
  std::optional<std::string> session_folder;
  Settings settings;
  PermissionSetup permissions;  // rules of all sources, and the mode
  HookConfig hooks;
  std::vector<std::string> notices;  // about settings, for people
  std::size_t slots = kSlotsDefault;
  bool all_events = false;
  bool dry_run = false;
  Asking asking = Asking::nobody;
  SettingsRequest settings_request;
  std::string settings_signature;  // of the files, before they were read
  std::vector<LoadedFile> settings_files;
  McpRequestedFiles mcp;  // servers that the command line names
};

// Text to print instead of running, for --help.
struct ShowText {
  std::string text;
};

// From the command line, the settings it names and the environment. The error says what to change.
Result<std::variant<ExecOptions, ShowText>> parse_exec_options(int argc, const char* const* argv);

// The flags that say where calls work and what they may, for whoever has more of its own; and what they mean.
std::span<const Flag> session_flags();
Result<ExecOptions> session_options(const FlagValues& flags);

}  // namespace deft
