#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deft/core/path_pattern.h"

namespace deft {

inline constexpr std::size_t kPatternMatchesMax = 10'000;
inline constexpr std::size_t kPatternFoldersMax = 1'000;  // that are looked into

// The paths that a shell's pattern may stand for, as the folders are now. Rather too many than too few: names with a
// dot in front, names in other cases and whatever a bracket could mean are among them. `glob` is absolute. Nothing:
// too many, or a folder that cannot be listed.
std::optional<std::vector<std::string>> expand_pattern(const std::string& glob, const ListFolder& list);

}  // namespace deft
