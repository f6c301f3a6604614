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
  enum class Kind : std::uint8_t { prompt, text, thinking, call, result, compaction, went_back, cleared };
  Kind kind = Kind::prompt;
  std::size_t turn = 0;
  std::size_t message = 0;  // of the model
  std::int64_t time_ms = 0;
  std::string text;  // of a call: its input as JSON; of what went back: to what
  std::string call_id = {};
  std::string tool = {};
  bool is_error = false;
};
std::string_view to_string(TranscriptItem::Kind kind);

// What a block of a prompt says; "" for what says nothing to a person.
std::string text_of_block(const Json& block);

// What happened in a session, oldest first. Results come after the message with their calls, in the order in which they
// became known. What was said between a point and where the session went back to it is told too: it happened. Pictures
// and documents are named.
Result<void> read_transcript(const std::string& journal, const std::function<void(const TranscriptItem&)>& take);

}  // namespace deft
