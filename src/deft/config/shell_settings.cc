#include "deft/config/shell_settings.h"

#include <string_view>

#include "deft/config/wrong_setting.h"

namespace deft {
namespace {

constexpr std::uint64_t kLimitMax = std::uint64_t{1} << 40;
constexpr std::uint64_t kCommandsAtOnceMax = 100'000;
constexpr std::int64_t kOutputCharactersMin = 4'000;
constexpr std::int64_t kOutputCharactersMax = 128'000;

Result<void> parse_number(const Json& object, std::string_view key, std::string_view full_key, std::uint64_t most,
                          std::optional<std::uint64_t>& into) {
  const Json* value = find(object, key);
  if (!value) return {};
  const auto number = find_int(object, key);
  if (!number || *number < 0 || static_cast<std::uint64_t>(*number) > most) {
    return wrong_setting(full_key, "a whole number from 0 to " + std::to_string(most), *value);
  }
  into = static_cast<std::uint64_t>(*number);
  return {};
}

Result<void> parse_shell_limits(const Json& limits, ShellSettings& shell) {
  if (!limits.is_object()) return wrong_setting("shell.limits", "an object", limits);
  const struct {
    std::string_view key;
    std::optional<std::uint64_t>& into;
  } numbers[] = {{"memoryMb", shell.memory_mb},
                 {"processes", shell.processes},
                 {"fileMb", shell.file_mb},
                 {"openFiles", shell.open_files}};
  for (const auto& [key, into] : numbers) {
    auto parsed = parse_number(limits, key, "shell.limits." + std::string(key), kLimitMax, into);
    if (!parsed) return parsed;
  }
  return {};
}

Result<void> parse_shell(const Json& object, ShellSettings& shell) {
  if (!object.is_object()) return wrong_setting("shell", "an object", object);
  if (const Json* profile = find(object, "profile")) {
    const std::string_view word = profile->is_string() ? view(profile->get_string()) : "";
    if (word != "auto" && word != "always" && word != "never") {
      return wrong_setting("shell.profile", "\"auto\", \"always\" or \"never\"", *profile);
    }
    shell.profile = word == "auto"     ? ShellSettings::Profile::if_needed
                    : word == "always" ? ShellSettings::Profile::always
                                       : ShellSettings::Profile::never;
  }
  if (const Json* limits = find(object, "limits")) {
    if (auto parsed = parse_shell_limits(*limits, shell); !parsed) return parsed;
  }
  auto at_once =
      parse_number(object, "commandsAtOnce", "shell.commandsAtOnce", kCommandsAtOnceMax, shell.commands_at_once);
  if (!at_once) return at_once;
  if (const Json* daemons = find(object, "daemons")) {
    if (!daemons->is_array()) return wrong_setting("shell.daemons", "a list of program names", *daemons);
    for (const Json& name : daemons->get_array()) {
      if (!name.is_string() || name.get_string().empty()) {
        return wrong_setting("shell.daemons", "a list of program names", *daemons);
      }
      shell.daemons.emplace_back(view(name.get_string()));
    }
  }
  if (const Json* trusted = find(object, "readOnlyWithoutSandbox")) {
    if (!trusted->is_bool()) return wrong_setting("shell.readOnlyWithoutSandbox", "true or false", *trusted);
    shell.read_only_without_sandbox = trusted->get_bool();
  }
  return {};
}

Result<void> parse_output_limit(const Json& settings, ShellSettings& shell) {
  const Json* value = find(settings, "bashOutputMaxChars");
  if (!value) return {};
  const auto number = find_int(settings, "bashOutputMaxChars");
  if (!number || *number < kOutputCharactersMin || *number > kOutputCharactersMax) {
    return wrong_setting("bashOutputMaxChars", "a whole number from 4000 to 128000", *value);
  }
  shell.output_characters_max = *number;
  return {};
}

}  // namespace

Result<ShellSettings> parse_shell_settings(const Json& settings) {
  ShellSettings shell;
  if (const Json* object = find(settings, "shell")) {
    if (auto parsed = parse_shell(*object, shell); !parsed) return std::unexpected(parsed.error());
  }
  if (auto parsed = parse_output_limit(settings, shell); !parsed) return std::unexpected(parsed.error());
  return shell;
}

}  // namespace deft
