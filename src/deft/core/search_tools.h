#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Finding tools by what the model says it needs. Pure.

namespace deft {

inline constexpr std::size_t kToolQueryWordsMax = 32;
inline constexpr std::size_t kToolQueryNamesMax = 50;

// The three ways to ask:
//   select:Read,Edit   exactly these
//   notebook jupyter   words, ranked over name, hint and description
//   +slack send        the same, but the first word must be in the name
struct ToolQuery {
  std::vector<std::string> names = {};     // of select:, as they were written
  std::vector<std::string> required = {};  // lower case
  std::vector<std::string> words = {};     // lower case
};
ToolQuery parse_tool_query(std::string_view text);

struct SearchableTool {
  std::string_view name;
  std::string_view hint;
  std::string_view description;
};

// Where the best ones stand in `tools`, best first, at most `count`; equally good ones in the order in which they came.
std::vector<std::size_t> search_tools(const ToolQuery& query, std::span<const SearchableTool> tools, std::size_t count);

}  // namespace deft
