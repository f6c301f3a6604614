#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deft/agent/call_ids.h"
#include "deft/core/assembler.h"
#include "deft/core/message.h"

namespace deft {

// The message that is streaming in, as far as it has come, with our ids for its calls.
class StreamedMessage {
 public:
  void add_text(std::string_view text) { text_since_call_ += text; }
  // Returns the blocks that are new: those before the call, then the call itself.
  std::vector<Block> add_call(CallReady ready, CallIds& ids);

  bool has_calls() const { return !call_ids_.empty(); }
  bool has_text() const { return !blocks_.empty() || !text_since_call_.empty(); }
  const std::vector<std::string>& call_ids() const { return call_ids_; }
  std::optional<ToolCall> first_call() const;

  // What an API would be told if it ended here, and what it is once the provider has said its last word.
  Message so_far() const;
  Message whole(Message provided) const;
  // Of a stream that broke: up to the last call, which is the last block known to be complete.
  Message kept(Message provided) const;
  // The blocks of the whole message that add_call() has not returned yet.
  std::vector<Block> rest_of(const Message& message) const;

 private:
  std::vector<Block> blocks_;
  std::vector<std::string> call_ids_;
  std::string text_since_call_;
  MessageHead head_;  // as it was with the last call
};

}  // namespace deft
