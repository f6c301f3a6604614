#pragma once

#include <string>
#include <string_view>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/message.h"
#include "deft/core/tool_result.h"

namespace deft {

inline constexpr int kJournalVersion = 1;

// The truth about a session: append-only JSON lines in `journal.jsonl` of its folder. What may have an effect is
// written before it begins, its result when it is known; so after kill -9 nobody has to guess. Each entry is one write
// on an O_APPEND descriptor: safe from any thread, and whole or absent if the process is killed.
class Journal {
 public:
  // Creates the folder (0700) and the journal (0600), or goes on with the one that is there.
  static Result<Journal> open(const std::string& folder, const Clock& clock);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  // A person would have to be asked about the call; `deft permissions simulate` counts these.
  Result<void> asked(const ToolCall& call, std::string_view directory, std::string_view reason);
  Result<void> intent(const ToolCall& call);
  Result<void> result(const std::string& call_id, const std::string& tool, const ToolResult& result);
  Result<void> message_discarded();

  const std::string& folder() const { return folder_; }

 private:
  Journal(std::string folder, int descriptor, const Clock& clock);
  Result<void> append(std::string_view type, JsonObject entry) const;

  std::string folder_;
  int descriptor_;
  const Clock* clock_;
};

}  // namespace deft
