#include "deft/os/command_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "warden/protocol.h"

namespace deft {

namespace {

bool is_program(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

bool holds_nul(std::string_view text) { return text.find('\0') != text.npos; }

Result<void> check(const Command& command, std::string_view program) {
  if (command.argv.empty()) return fail(Errc::invalid_input, "a command needs a program to run");
  if (!command.directory.empty() && !command.directory.starts_with('/')) {
    return fail(Errc::invalid_input, "the working directory " + command.directory + " must be an absolute path");
  }
  bool any_nul = holds_nul(program) || holds_nul(command.directory) || holds_nul(command.writable_file);
  any_nul = any_nul || std::ranges::any_of(command.argv, holds_nul);
  any_nul = any_nul || std::ranges::any_of(command.environment, holds_nul);
  any_nul = any_nul || std::ranges::any_of(command.daemons, holds_nul);
  if (any_nul) return fail(Errc::invalid_input, "a command can't hold a NUL byte: leave it out");
  for (const std::string_view variable : command.environment) {
    if (variable.find('=') == 0 || variable.find('=') == variable.npos) {
      return fail(Errc::invalid_input, "an environment variable must be NAME=VALUE");
    }
  }
  return {};
}

}  // namespace

std::uint64_t millis_of(Duration duration) {
  return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

std::string_view value_of(std::string_view name, std::span<const std::string> environment) {
  for (const std::string_view variable : environment) {
    if (variable.size() > name.size() && variable.starts_with(name) && variable[name.size()] == '=') {
      return variable.substr(name.size() + 1);
    }
  }
  return {};
}

Result<std::string> find_program(std::string_view name, std::span<const std::string> environment) {
  if (name.empty()) return fail(Errc::invalid_input, "a command needs a program to run");
  if (name.starts_with('/')) return std::string(name);
  if (name.find('/') != name.npos) {
    return fail(Errc::invalid_input, "the program " + std::string(name) + " must be a name or an absolute path");
  }
  std::string_view path = value_of("PATH", environment);
  while (!path.empty()) {
    const std::string_view directory = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(path.size(), directory.size() + 1));
    if (!directory.starts_with('/')) continue;
    std::string candidate = std::string(directory) + "/" + std::string(name);
    if (is_program(candidate)) return candidate;
  }
  return fail(Errc::not_found, "the program " + std::string(name) + " is in no directory of PATH");
}

Result<std::string> encode_command(const Command& command, std::string_view program, std::optional<Duration> timeout) {
  if (const auto checked = check(command, program); !checked) return std::unexpected(checked.error());
  std::size_t bytes =
      sizeof(warden::CommandHeader) + program.size() + command.directory.size() + command.writable_file.size() + 3;
  for (const auto& argument : command.argv) bytes += argument.size() + 1;
  for (const auto& variable : command.environment) bytes += variable.size() + 1;
  for (const auto& daemon : command.daemons) bytes += daemon.size() + 1;
  if (bytes > warden::kCommandBytesMax) {
    return fail(Errc::limit, "the command and its environment are too long: put long text into a file");
  }

  warden::CommandHeader header;
  header.argument_count = static_cast<std::uint32_t>(command.argv.size());
  header.variable_count = static_cast<std::uint32_t>(command.environment.size());
  header.daemon_count = static_cast<std::uint32_t>(command.daemons.size());
  if (timeout && *timeout <= kTimeoutMax) header.timeout_millis = millis_of(std::max(*timeout, Duration::zero()));
  header.grace_millis = millis_of(std::clamp(command.end_grace, Duration::zero(), kEndGraceMax));
  header.memory_bytes = command.limits.memory_bytes.value_or(warden::kNoLimit);
  header.processes = command.limits.processes.value_or(warden::kNoLimit);
  header.file_bytes = command.limits.file_bytes.value_or(warden::kNoLimit);
  header.open_files = command.limits.open_files.value_or(warden::kNoLimit);
  if (command.restriction == Restriction::read_only) header.restriction = warden::Restriction::read_only;

  std::string file(sizeof header, '\0');
  std::memcpy(file.data(), &header, sizeof header);
  file.reserve(bytes);
  const auto append = [&file](std::string_view text) { file.append(text).push_back('\0'); };
  append(program);
  append(command.directory);
  append(command.writable_file);
  for (const auto& argument : command.argv) append(argument);
  for (const auto& variable : command.environment) append(variable);
  for (const auto& daemon : command.daemons) append(daemon);
  return file;
}

}  // namespace deft
