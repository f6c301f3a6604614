#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "deft/base/result.h"
#include "deft/core/message.h"
#include "deft/core/message_head.h"
#include "deft/core/pair_joiner.h"

namespace deft {

inline constexpr std::size_t kMessageBytesMax = std::size_t{64} << 20;
// A call stands inside of a message, of an entry of the journal, of a request: all of them have to be read again.
inline constexpr std::size_t kCallInputDepthMax = kJsonDepthMax - 8;
inline constexpr std::size_t kMessageBlocksMax = 100'000;

// What a stream yields, in order. Every message ends in exactly one MessageDone or MessageFailed.
struct TextDelta {
  std::string text;
};
struct ThinkingDelta {
  std::string text;
};
struct CallReady {
  ToolCall call;
  std::vector<Block> before{};  // the blocks between the call before it and this one, as they are now
  MessageHead head{};           // of the message that it stands in
  JsonObject extra{};           // what its provider wants back with it: a signature, a caller
};
struct MessageDone {
  Message message;
};
struct MessageFailed {
  Error error;
  std::string provider_code;  // overloaded_error, rate_limit_exceeded …; empty if the provider said nothing
  Message message;            // what was complete: exactly the calls that were reported, and all text
};
using StreamEvent = std::variant<TextDelta, ThinkingDelta, CallReady, MessageDone, MessageFailed>;

// Builds a message out of a provider's steps and reports each call the moment it is complete: its block is closed and
// its input is known to be whole. Calls are reported in the order of their blocks, whichever closes first.
//
// Per message: begin, then open/append/close for its blocks and stop, then finish or fail. A step that makes no sense
// (an unknown block, a second start, input after the end) is an error and changes nothing; the caller then calls fail.
class Assembler {
 public:
  using Key = std::int64_t;  // names a block within one message; the provider's index, or the decoder's own number

  // Calls without an id get this prefix and a number.
  explicit Assembler(std::string call_id_prefix = "call_") : call_id_prefix_(std::move(call_id_prefix)) {}

  void begin(std::string id, std::string model);
  bool in_message() const { return in_message_; }
  std::size_t messages_begun() const { return messages_begun_; }
  Message& head() { return message_; }  // all of the message but its blocks
  const Message& head() const { return message_; }

  Result<void> open(Key key, Block block);
  // A piece of text, thinking or input, as the block is one or the other. Halves of characters at its edges (see
  // core/pair_joiner.h) wait for their other halves.
  Result<void> append(Key key, std::string_view piece);
  // The provider's last word on the same, where it differs from the pieces.
  Result<void> replace(Key key, std::string_view whole);
  // A piece of one text member of a block that is passed on as it is (a refusal).
  Result<void> append_to_member(Key key, std::string_view member, std::string_view piece);
  // The provider's last word on such a block.
  Result<void> replace_json(Key key, const Json& whole);
  // Counts what a decoder puts into a block by itself: ids, signatures, citations.
  Result<void> charge(std::size_t bytes);
  // A block that is still open, else null.
  Block* find_open(Key key);
  // Any block of the message, for what may be amended after its end: never a call.
  Block* find_any(Key key);
  // Is the input of this open call one whole JSON object already? Nothing could be added to it then.
  bool input_is_whole(Key key) const;
  // Closing a closed block changes nothing.
  Result<void> close(Key key);
  // Closes the open calls whose input is whole, of a message that is known to be complete.
  void close_whole_calls();

  void stop(std::string reason, std::string raw);
  void finish();
  void fail(Error error, std::string provider_code = {});

  std::vector<StreamEvent> take_events() { return std::exchange(events_, {}); }

 private:
  struct Entry {
    Block block;
    std::string input_text;        // of a block that is no call of ours but has an input: server_tool_use
    std::string text_member = {};  // of such a block: the member that gets pieces (a refusal)
    PairJoiner joiner = {};
    bool closed = false;
  };

  Entry* find_entry(Key key);
  void add_piece(Entry& entry, std::string_view piece);
  void add_text(Entry& entry, std::string_view text);
  void close(Entry& entry);
  static bool has_whole_input(const Entry& entry);
  bool is_last(std::size_t at) const { return at + 1 == entries_.size(); }
  bool is_cut_off(std::size_t at) const;
  void report_calls();
  std::vector<Block> blocks_before(std::size_t at) const;
  void settle(ToolCall& call, bool cut_off);
  void end_message();

  const std::string call_id_prefix_;
  std::size_t calls_without_id_ = 0;
  std::size_t messages_begun_ = 0;
  std::vector<StreamEvent> events_;

  // The message under way.
  bool in_message_ = false;
  bool finishing_ = false;
  Message message_;
  std::vector<Entry> entries_;
  std::unordered_map<Key, std::size_t> entry_of_key_;
  std::vector<std::size_t> calls_;  // positions in entries_
  std::size_t calls_reported_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace deft
