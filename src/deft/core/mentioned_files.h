#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace deft {

inline constexpr std::size_t kMentionedFilesMax = 20;

// The files that a text names as "@src/main.cc" or @"with blanks.txt", each once, in their order: at the start of a
// line or after a blank or a bracket, outside of code. Only what can be a file: it has a dot or a slash.
std::vector<std::string> mentioned_files(std::string_view text);

}  // namespace deft
