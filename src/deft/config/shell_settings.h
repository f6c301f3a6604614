#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

// "shell": how commands are run. Nothing: deft's own defaults.
struct ShellSettings {
  enum class Profile : std::uint8_t { if_needed, always, never };  // "profile": "auto" | "always" | "never"
  Profile profile = Profile::if_needed;
  // "limits": {"memoryMb", "processes", "fileMb", "openFiles"}: for each command; 0: none.
  std::optional<std::uint64_t> memory_mb{};
  std::optional<std::uint64_t> processes{};
  std::optional<std::uint64_t> file_mb{};
  std::optional<std::uint64_t> open_files{};
  // "commandsAtOnce": of all deft processes of the user together; 0: as many as there are.
  std::optional<std::uint64_t> commands_at_once{};
  std::vector<std::string> daemons{};                   // "daemons": programs that a command may leave running
  bool read_only_without_sandbox = false;               // "readOnlyWithoutSandbox"
  std::optional<std::int64_t> output_characters_max{};  // "bashOutputMaxChars"
};

// From the whole settings object. Strict: a known key with a wrong value is an error that names it.
Result<ShellSettings> parse_shell_settings(const Json& settings);

}  // namespace deft
