#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "deft/core/assembler.h"
#include "deft/model/plain_delta.h"

namespace deft {

// Events of an Anthropic Messages stream to steps of the assembler. Events of unknown types are ignored, as the API's
// contract asks, and so is what stands outside a message; a known event without the fields it must have is an error.
class AnthropicStream {
 public:
  explicit AnthropicStream(Assembler& assembler) : assembler_(assembler) {}

  static bool recognises(const Json& event);
  // `text` is the JSON text of `event`.
  Result<void> handle(const Json& event, std::string_view text);
  // One that somebody has read already, inside a message.
  Result<void> take(const PlainDelta& delta);
  // A whole message, as the API answers when nothing was to be streamed.
  Result<void> handle_body(const Json& body, std::string_view text);
  // The bytes have ended inside a message: that is an error.
  Result<void> end();

 private:
  Result<void> start_message(const Json& message, std::string_view text);
  Result<void> start_block(Assembler::Key index, const Json& block, std::string_view text);
  Result<void> stop_block(Assembler::Key index);
  Result<void> handle_delta(Assembler::Key index, const Json& delta, std::string_view text);
  void update_message(const Json& event);
  void set_stop(const Json& fields);

  Assembler& assembler_;
  std::unordered_map<Assembler::Key, std::string> whole_inputs_;  // that came with the start of their block
};

}  // namespace deft
