#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/base/result.h"
#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::size_t kGitOutputBytesMax = std::size_t{8} << 20;
inline constexpr Duration kGitTimeMax = std::chrono::minutes(10);

// Git, run for our own purposes and not for the model's. Nothing that a repository brings along is executed by it: its
// hooks are off, and so is every program that configuration can name for what we do. Of a folder that the user has not
// trusted that includes the filters of its own configuration (an LFS set up in the user's own still works).
class GitCommand {
 public:
  // `directory`: canonical. `environment`: what deft has itself, NAME=VALUE each.
  GitCommand(Os os, std::string directory, bool trusted, std::vector<std::string> environment);

  // What it printed. The error has git's own words.
  Result<std::string> run(const std::vector<std::string>& arguments, std::stop_token stop);

 private:
  using Setting = std::pair<std::string, std::string>;
  Result<std::string> run_with(const std::vector<Setting>& settings, const std::vector<std::string>& arguments,
                               std::stop_token stop);
  Result<void> turn_off_filters(std::stop_token stop);

  Os os_;
  std::string directory_;
  bool filters_are_off_;
  std::vector<std::string> environment_;
  std::vector<Setting> settings_;
};

}  // namespace deft
