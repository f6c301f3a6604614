#pragma once

#include <string>
#include <string_view>

#include "deft/core/assembler.h"
#include "deft/model/openai_chat_calls.h"

namespace deft {

// Chunks of an OpenAI-compatible chat completions stream to steps of the assembler. The protocol has no blocks: text,
// reasoning and calls are fields of each delta. So a message has at most one text, one thinking and one refusal
// block, each where its first piece came, and its calls. Only the first choice is read.
class OpenAiChatStream {
 public:
  explicit OpenAiChatStream(Assembler& assembler) : assembler_(assembler), calls_(assembler) {}

  static bool recognises(const Json& event);
  // `text` is the JSON text of `event`. A whole completion (choices[].message) is read like one chunk.
  Result<void> handle(const Json& event, std::string_view text);
  // The bytes have ended, or [DONE] has come, which also says that the last call is complete. A message without
  // finish_reason has failed in either case.
  Result<void> end(bool said_done);

 private:
  void start_message();
  void read_head(const Json& event);
  Result<void> read_choice(const Json& choice, std::string_view text, std::size_t position);
  // A delta, and where it stands in the text of its event.
  struct Delta {
    const Json& json;
    std::string_view event_text;
    std::size_t choice;
    std::string_view name;  // "delta", or "message" in a whole completion
    std::string piece(std::string_view key) const;
  };
  Result<void> read_delta(const Delta& delta);
  Result<void> read_calls(const Delta& delta);
  Result<void> read_content(const Delta& delta);
  Result<void> read_reasoning(const Delta& delta);
  Result<void> read_reasoning_details(const JsonArray& details, bool with_text);
  Result<void> read_finish_reason(std::string_view reason);
  // Appends to the block with this key, which begins with its first piece.
  Result<void> append(Assembler::Key key, Block empty, std::string_view piece);

  Assembler& assembler_;
  OpenAiChatCalls calls_;
  Assembler::Key next_other_key_ = 0;
};

}  // namespace deft
