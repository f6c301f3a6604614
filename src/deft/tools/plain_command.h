#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deft {

// A command of the few that are known to only read, written so plainly that no shell could read it in another way: one
// program, its harmless flags and plain words. Nothing: not known to be harmless.
struct PlainReadOnlyCommand {
  std::vector<std::string> paths;  // that it reads, as written
};
std::optional<PlainReadOnlyCommand> plain_read_only_command(std::string_view command);

}  // namespace deft
