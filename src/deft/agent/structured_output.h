#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/event.h"
#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::size_t kStructuredOutputRetriesMax = 5;
inline constexpr std::string_view kStructuredOutputTool = "StructuredOutput";
inline constexpr std::string_view kStructuredOutputReminder =
    "<system-reminder>Your answer is expected as a call of the tool StructuredOutput, and you have not called it. Call "
    "it now, with the whole answer as its input.</system-reminder>";

// An answer in a shape that somebody wants: the model gives it as the input of a tool whose schema is that shape. Every
// answer that does not fit counts, whoever notices it, and so does an end without one; so a turn always ends.
// On the turn's thread.
class StructuredOutput {
 public:
  // The error says what is wrong with the schema.
  static Result<std::shared_ptr<StructuredOutput>> make(Json schema);

  std::shared_ptr<Tool> tool() const { return tool_; }

  enum class State : std::uint8_t { open, given, given_up };
  void begin_turn();
  // The answers to the calls of a message.
  State take(const std::vector<CallAnswered>& answers);
  // The model has said its last word without a call.
  State ended_without();
  const std::optional<Json>& value() const { return value_; }
  std::string explanation() const;  // why it was given up

 private:
  explicit StructuredOutput(std::shared_ptr<Tool> tool) : tool_(std::move(tool)) {}
  State state() const;

  const std::shared_ptr<Tool> tool_;
  std::optional<Json> value_;
  std::size_t failures_ = 0;
  std::string last_failure_;
};

}  // namespace deft
