#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "deft/core/assembler.h"

namespace deft {

// The tool calls of one chat completion, put together from the pieces in its deltas.
//
// The protocol gives each call an index and no end. A call ends when another call gets a piece and this one's input is
// a whole JSON object, because nothing could follow it; or when the message says that it is finished. An input that
// is not whole by then may still go on (some servers interleave), so it stays open.
class OpenAiChatCalls {
 public:
  explicit OpenAiChatCalls(Assembler& assembler) : assembler_(assembler) {}

  void clear();
  // One element of delta.tool_calls; `arguments` is the text of its arguments.
  Result<void> read(const Json& piece, std::string_view arguments);
  // delta.function_call, the older form: one call, without index and id.
  Result<void> read_legacy(const Json& function, std::string_view arguments);
  // The message is finished: so are its calls.
  Result<void> close_all();
  // The stream is over but the message is not: only what is whole counts.
  Result<void> close_whole();

 private:
  struct Call {
    Assembler::Key key = 0;
    std::string id;
    int whole_tries_left = 0;
  };
  struct Piece {
    std::optional<std::int64_t> index;
    std::string_view id;
    std::string_view name;
    std::string_view arguments;
    const JsonObject* extra = nullptr;  // of the server's own (Gemini's thought signatures), to be sent back
  };

  Result<void> add(const Piece& piece);
  std::optional<std::size_t> find_call(const Piece& piece);
  Result<std::size_t> start_call(const Piece& piece);
  bool begins_another(const Piece& piece, Call& call);
  Result<void> read_name(ToolUseBlock& use, std::string_view name);
  bool is_whole(Call& call);
  Result<void> move_to(std::size_t position);
  ToolUseBlock* find_open(const Call& call);

  Assembler& assembler_;
  std::vector<Call> calls_;
  std::unordered_map<std::int64_t, std::size_t> call_of_index_;  // the newest call at each index
  std::optional<std::size_t> current_;                           // the call that got the last piece
};

}  // namespace deft
