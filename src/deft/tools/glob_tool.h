#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "deft/tools/search_root.h"
#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::size_t kGlobFilesMax = 100;
inline constexpr Duration kGlobTimeMax = std::chrono::seconds(20);

// Finds files by a pattern for their names, the newest first.
std::shared_ptr<Tool> make_glob_tool(SearchOptions options = {});

// Where a pattern begins to be one: "/p/src" and "**/*.h" of "/p/src/**/*.h", whatever `folder` is; "/" and "*.h" of
// "../*.h" seen from "/p". Only what is plain at the beginning moves; the rest is for the search.
struct GlobTarget {
  std::string folder;
  std::string pattern;
};
GlobTarget glob_target(std::string_view pattern, std::string_view folder);

}  // namespace deft
