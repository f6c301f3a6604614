#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "deft/core/result_budget.h"
#include "deft/core/result_limits.h"
#include "deft/core/result_preview.h"
#include "deft/core/tool_result.h"
#include "deft/os/output_folder.h"

namespace deft {

inline constexpr std::size_t kFailurePreviewBytesMax = std::size_t{10} << 10;  // of a command: the error is in there

// Keeps what is too large for a model's context in `tool-results/` of the session's folder and leaves a preview with
// the path in its place. If it cannot be kept, the result says so and has the preview all the same: a call is always
// answered. Any thread may call.
//
// A result's text is stored by itself, so that Read and Grep can look into it; a picture or document that there is no
// room for becomes a file of its own kind.
class ResultStore {
 public:
  explicit ResultStore(const std::string& session_folder, OutputQuota quota = {}, Survives survives = Survives::killed)
      : folder_(std::make_shared<OutputFolder>(session_folder + "/tool-results", quota, survives)) {}

  // For output that is stored while it comes.
  const std::shared_ptr<OutputFolder>& folder() const { return folder_; }

  // A single result, within its limit.
  void bound(ToolResult& result, std::string_view call_id) const;

  // What it would cost in less room, for the budget of a message.
  ResultCost cost(const ToolResult& result) const;
  // Stores it, if that is not done, and leaves a preview or no more than the path.
  void put_away(ToolResult& result, std::string_view call_id, Showing showing) const;

 private:
  void store_text(ToolResult& result, std::string_view call_id) const;
  void store_blocks(ToolResult& result, std::string_view call_id, std::size_t characters_max) const;

  std::shared_ptr<OutputFolder> folder_;
};

}  // namespace deft
