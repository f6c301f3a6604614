#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "deft/agent/executor.h"
#include "deft/core/assembler.h"
#include "deft/core/message.h"
#include "deft/model/stream_decoder.h"

namespace deft {

inline constexpr std::size_t kInputLineBytesMax = std::size_t{64} << 20;

// Something in the input that cannot be used; the rest goes on.
struct InputProblem {
  std::size_t line = 0;  // 0: not lines but a provider's stream
  Error error;
  std::string provider_code;  // what the provider called it, if it did
};

// Feed is for the executor; MessageDone is the whole message again, for who only wants to look (--dry-run).
using InputItem = std::variant<Feed, MessageDone, InputProblem>;

// What `deft exec` reads: lines of JSON, or a provider's raw stream, recognised by how it begins. Bytes come in pieces
// of any size. Pure: whoever reads standard input feeds it.
class ExecInput {
 public:
  std::vector<InputItem> feed(std::string_view bytes);
  std::vector<InputItem> finish();  // the bytes have ended

 private:
  void feed_lines(std::string_view bytes);
  void take_line(std::string_view line);
  void take_object(const Json& object, std::string_view text);
  void take_tool_use(const Json& block, std::string_view text);
  void take_message(std::string_view text);
  void take_tools(const Json& object);
  void take_permission(const Json& object);
  std::optional<AlwaysAllow> read_always(const Json& always);  // nothing: it was reported
  void take_call_result(const Json& object);
  void take_background(const Json& object);
  void add_call(ToolCall call);
  void end_loose_calls();
  void take_stream_events(std::vector<StreamEvent> events);
  void problem(Errc code, std::string message);

  InputKind kind_ = InputKind::undecided;
  std::string pending_;         // bytes not decided on, or a line not complete
  bool skipping_line_ = false;  // it was too long
  std::size_t line_ = 0;
  std::unique_ptr<StreamDecoder> stream_;
  Message loose_;  // calls that came one by one since the last message ended
  std::vector<InputItem> items_;
};

}  // namespace deft
