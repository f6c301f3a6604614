#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deft/core/path_pattern.h"
#include "deft/core/shell_line.h"

namespace deft {

// What nobody should lose by a rule: the root and its folders, the home, the working directories and what they are in.
struct CriticalPlaces {
  std::string home;
  std::vector<std::string> directories;
  ResolvePath resolve;
};

// Is this such a place, as written or as links lead?
bool is_critical_place(const std::string& path, const CriticalPlaces& places);

// Does the line remove such a place, or something that cannot be told? Says what. rm, rmdir, and find that removes; in
// any spelling and behind any wrapper.
std::optional<std::string> removes_critical(const ShellLine& line, const CriticalPlaces& places);

}  // namespace deft
