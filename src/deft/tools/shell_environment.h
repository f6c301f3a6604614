#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "deft/tools/tool.h"

namespace deft {

inline constexpr Duration kProfileTimeMax = std::chrono::seconds(5);

enum class UseProfile : std::uint8_t {
  if_needed,  // unless deft was started from a shell (SHLVL), which has run it already
  always,
  never,
};

// The environment of the session's commands: deft's own, with what the user's login profile makes of it (the PATH of
// version managers, say). The profile is run once, before the first command, and never again: it may be slow. Any
// thread may call.
class ShellEnvironment {
 public:
  explicit ShellEnvironment(UseProfile use) : use_(use) {}

  std::vector<std::string> for_command(const Os& os, std::stop_token stop);
  // Of a call that was judged read-only: a few harmless variables (os/environment.h).
  std::vector<std::string> for_read_only_command(const Os& os, std::stop_token stop);

  // Would a read-only call find this variable missing, or other than the others do? Quick: runs no profile. As long as
  // one is still to be run, every variable that such a call does not get counts.
  bool withholds(std::string_view name);

  static std::vector<std::string> own();

 private:
  const std::vector<std::string>& base(const Os& os, std::stop_token stop);
  bool runs_profile(const std::vector<std::string>& own) const;

  const UseProfile use_;
  std::mutex mutex_;
  std::optional<std::vector<std::string>> base_;  // under mutex_ until it is set, then constant
};

// What the user's shell has in its environment after its profile has run: NAME=VALUE each. Error: it failed, took too
// long or printed something else.
Result<std::vector<std::string>> profile_environment(Processes& processes, const Clock& clock,
                                                     const std::vector<std::string>& own, std::stop_token stop);

}  // namespace deft
