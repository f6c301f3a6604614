#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/sse.h"
#include "deft/core/assembler.h"
#include "deft/model/anthropic_stream.h"
#include "deft/model/openai_chat_stream.h"
#include "deft/model/openai_responses_stream.h"

namespace deft {

enum class InputKind : std::uint8_t { undecided, event_stream, lines };
// What bytes of unknown origin are, by how they begin: a provider's event stream, or lines of JSON (or of anything
// else: whoever reads lines says what is wrong with them). "undecided" means: ask again with more bytes.
InputKind sniff_input(std::string_view beginning);

enum class StreamApi : std::uint8_t { unknown, anthropic_messages, openai_chat, openai_responses };

// The bytes of a provider's stream, in pieces of any size, to stream events. Which API it is shows in the events. More
// than one message may follow on the same stream; a broken one is skipped up to the beginning of the next.
// Nothing that comes in can make it throw or grow without bound.
class StreamDecoder {
 public:
  // Calls that come without an id get this prefix and a number; make it unique if results of several streams meet.
  explicit StreamDecoder(std::string call_id_prefix = "call_");
  StreamDecoder(const StreamDecoder&) = delete;
  StreamDecoder& operator=(const StreamDecoder&) = delete;

  std::vector<StreamEvent> feed(std::string_view bytes);
  // The bytes have ended. A message that is not complete then has failed.
  std::vector<StreamEvent> finish();
  // The transport has failed: what is under way, or was still to come, fails with this error.
  std::vector<StreamEvent> abandon(Error error);

  StreamApi api() const { return api_; }
  bool message_began() const { return assembler_.messages_begun() > 0; }
  MessageHead head() const { return head_of(assembler_.head()); }  // of the message under way
  // Told of each event before it is decoded, as a value and as text; what came of those before it can be taken then.
  using Watcher = std::function<void(const Json& event, std::string_view text)>;
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }
  std::vector<StreamEvent> take_events() { return assembler_.take_events(); }

 private:
  void handle(const SseEvent& event);
  void handle_error(const Json& json);
  void handle_done();
  void handle_json(const Json& json, std::string_view text);
  Result<void> dispatch(const Json& json, std::string_view text);
  Result<void> end_message();
  void fail(Error error, std::string provider_code = {});
  bool nothing_came() const { return assembler_.messages_begun() == 0 && !any_failed_; }

  SseReader reader_;
  Watcher watcher_;
  Assembler assembler_;
  AnthropicStream anthropic_;
  OpenAiChatStream chat_;
  OpenAiResponsesStream responses_;
  StreamApi api_ = StreamApi::unknown;
  bool skipping_ = false;  // the message under way has failed: what is left of it says nothing
  bool any_failed_ = false;
};

// A whole answer that was not streamed, of any of the three APIs: what its stream would have given, and the message.
Result<std::vector<StreamEvent>> events_from_body(std::string_view json_text);
Result<Message> message_from_body(std::string_view json_text);

}  // namespace deft
