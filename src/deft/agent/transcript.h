#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

// One thing that was said or done in a session.
struct TranscriptItem {
  enum class Kind : std::uint8_t { prompt, text, thinking, call, result, compaction };
  Kind kind = Kind::prompt;
  std::size_t turn = 0;
  std::size_t message = 0;  // of the model
  std::int64_t time_ms = 0;
  std::string text;  // of a call: its input as JSON
  std::string call_id = {};
  std::string tool = {};
  bool is_error = false;
};
std::string_view to_string(TranscriptItem::Kind kind);

// What happened in a session, oldest first. Results come after the message with their calls, in the order in which they
// became known.
Result<void> read_transcript(const std::string& journal, const std::function<void(const TranscriptItem&)>& take);

}  // namespace deft
