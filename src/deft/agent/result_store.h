#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "deft/base/result.h"
#include "deft/core/tool_result.h"

namespace deft {

inline constexpr std::size_t kStoredResultCharactersMin = 50'000;  // above this every bounded result is stored
inline constexpr std::size_t kPreviewBytesMax = 2'000;

// Keeps results that are too large for the model's context in `tool-results/` of the session's folder (0700, 0600) and
// leaves a preview with the path in their place.
class ResultStore {
 public:
  explicit ResultStore(std::string session_folder) : folder_(std::move(session_folder) + "/tool-results") {}

  // Stores the text if it is longer than the tool's maximum. If it cannot be stored, the result says so and keeps
  // the preview: a call is always answered.
  void bound(ToolResult& result, std::string_view call_id, std::size_t characters_max) const;

 private:
  Result<std::string> store(std::string_view call_id, std::string_view text) const;

  std::string folder_;
};

// The first part of `text`, at most `bytes_max` bytes: cut at a line end in its second half if there is one, and never
// inside a character.
std::string_view preview_of(std::string_view text, std::size_t bytes_max);

}  // namespace deft
