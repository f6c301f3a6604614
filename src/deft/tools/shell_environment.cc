#include "deft/tools/shell_environment.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "deft/base/path.h"
#include "deft/os/environment.h"
#include "deft/os/processes.h"

extern char** environ;

namespace deft {
namespace {

constexpr std::string_view kMark = "deft-environment-follows:";
constexpr std::size_t kProfileBytesMax = std::size_t{4} << 20;

std::string value_of(const std::vector<std::string>& variables, std::string_view name) {
  for (const std::string& variable : variables) {
    const auto equals = variable.find('=');
    if (equals != variable.npos && std::string_view(variable).substr(0, equals) == name)
      return variable.substr(equals + 1);
  }
  return {};
}

// Shells that are known to take -l -i -c; others keep their profile to themselves.
std::string login_shell(const std::vector<std::string>& own) {
  const std::string shell = value_of(own, "SHELL");
  const bool is_known = shell.ends_with("/bash") || shell.ends_with("/zsh");
  return is_known && shell.starts_with('/') && ::access(shell.c_str(), X_OK) == 0 ? shell : "/bin/bash";
}

// What stands behind the last mark: profiles print things of their own.
Result<std::vector<std::string>> parse_environment(std::string_view output) {
  const auto mark = output.rfind(kMark);
  if (mark == output.npos || !output.ends_with('\0')) return fail(Errc::failed, "the profile did not come to its end");
  output.remove_prefix(mark + kMark.size());
  std::vector<std::string> variables;
  for (std::size_t end = 0; (end = output.find('\0')) != output.npos; output.remove_prefix(end + 1)) {
    if (output.substr(0, end).find('=') != output.npos) variables.emplace_back(output.substr(0, end));
  }
  return variables;
}

}  // namespace

Result<std::vector<std::string>> profile_environment(Processes& processes, const Clock& clock,
                                                     const std::vector<std::string>& own, std::stop_token stop) {
  const std::string home = value_of(own, "HOME");
  const Command command{.argv = {login_shell(own), "-l", "-i", "-c",
                                 "/usr/bin/printf %s " + std::string(kMark) + "; exec /usr/bin/env -0"},
                        .environment = command_environment(own),
                        .directory = home.starts_with('/') ? home : "/",  // never in a project
                        .separate_errors = true};
  std::string output;
  const auto keep = [&](OutputStream stream, std::string_view bytes) {
    if (stream == OutputStream::output && output.size() < kProfileBytesMax) output += bytes;
  };
  const auto end = processes.run(command, keep, {.cancel = stop, .deadline = clock.now() + kProfileTimeMax});
  if (!end) return std::unexpected(end.error());
  if (end->cause != CommandEnd::Cause::itself) return fail(Errc::timeout, "the profile took too long");
  return parse_environment(output);
}

std::vector<std::string> ShellEnvironment::own() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  return variables;
}

bool ShellEnvironment::runs_profile(const std::vector<std::string>& own) const {
  return use_ == UseProfile::always || (use_ == UseProfile::if_needed && value_of(own, "SHLVL").empty());
}

bool ShellEnvironment::withholds(std::string_view name) {
  std::optional<std::vector<std::string>> known;
  {
    // Who runs the profile holds the lock for long; then nothing is known yet.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) known = base_;
  }
  const bool is_settled = known.has_value();
  if (!known) known = own();
  const std::string given = value_of(read_only_environment(*known), name);
  if (!is_settled && runs_profile(*known)) return given.empty();
  return given != value_of(command_environment(*known), name);
}

const std::vector<std::string>& ShellEnvironment::base(const Os& os, std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  if (base_) return *base_;
  std::vector<std::string> variables = own();
  if (runs_profile(variables)) {
    auto captured = profile_environment(os.processes, os.clock, variables, std::move(stop));
    if (captured) variables = std::move(*captured);
  }
  base_ = std::move(variables);
  return *base_;
}

std::vector<std::string> ShellEnvironment::for_command(const Os& os, std::stop_token stop) {
  return command_environment(base(os, std::move(stop)));
}

std::vector<std::string> ShellEnvironment::for_read_only_command(const Os& os, std::stop_token stop) {
  return read_only_environment(base(os, std::move(stop)));
}

}  // namespace deft
