#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "deft/agent/turn.h"
#include "deft/base/json.h"
#include "deft/core/message.h"
#include "deft/core/message_head.h"

// What happens between the model and us in a turn, beside its calls (agent/event.h).

namespace deft {

struct TurnBegan {};
struct RequestSent {
  std::string model;
  std::size_t attempt = 1;
  bool stream = true;
  std::string uuid = {};  // of the message that answers it: agent/journal_branch.h says what is named after it
};
struct MessageBegan {
  std::string request_id;
};
struct TextArrived {
  std::string text;
};
struct ThinkingArrived {
  std::string text;
};
struct RawEventArrived {  // the provider's own, for hosts that want those
  std::string json;
};
// A block is whole: in the order of the message. A text is told when what follows it has come.
struct BlockCompleted {
  Block block;
  MessageHead message = {};  // that it belongs to
  bool is_cut_off = false;   // by the user: it may end in the middle of a word
};
struct MessageCompleted {
  enum class How : std::uint8_t {
    whole,
    kept,     // the stream broke, and what had come by then counts
    aborted,  // by the user
  };
  Message message;
  How how = How::whole;
};
// What the model is told next, after its calls: their results, in order, and what follows them. JSON array of blocks.
struct ResultsGiven {
  std::string content;
};
struct PromptGiven {
  std::string content;
  std::string uuid = {};  // of what a person said; empty: it was somebody else
};
struct RetryScheduled {
  std::size_t failures = 0;  // in a row, this one included
  std::size_t retries_max = 0;
  Duration delay{};
  ModelFailure failure;
};
struct ModelSwitched {  // for the rest of the turn
  std::string from;
  std::string to;
  std::string why;
};
// What hooks said to the model's last word: {hookCount, hookInfos, hookErrors, preventedContinuation, stopReason}.
struct StopHooksRan {
  JsonObject summary;
};
// The conversation grows too long for the model and is made shorter (agent/compaction.h). Ends in CompactionDone.
struct CompactionBegan {
  std::string trigger;              // "manual" or "auto"
  std::uint64_t tokens_before = 0;  // estimated
};
struct CompactionDone {
  std::string trigger;
  std::uint64_t tokens_before = 0;
  std::uint64_t tokens_after = 0;
  std::string summary = {};
  std::string problem = {};  // why it was not made shorter; empty: it was
};
struct TurnEnded {
  TurnEnd end;
};

}  // namespace deft
