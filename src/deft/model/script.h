#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "deft/base/result.h"
#include "deft/model/model.h"

// What a scripted model says (docs/scripted-model.md): a file of JSON lines, one for each answer. Parsing it, and
// choosing the answer to a request. Pure.

namespace deft {

inline constexpr std::size_t kScriptBytesMax = std::size_t{64} << 20;
inline constexpr Duration kScriptDelayMax = std::chrono::hours(1);

struct ScriptPause {
  Duration length{};
};
struct ScriptBreak {  // the stream ends here, as if the connection broke
  std::string message;
};
struct ScriptError {  // an error event inside the stream
  std::string type;
  std::string message;
};
using ScriptStep = std::variant<Block, ScriptPause, ScriptBreak, ScriptError>;

struct ScriptAnswer {
  std::string when;                     // in the last message of the request; empty: any
  std::vector<ScriptStep> steps;        // of a message
  std::optional<ModelFailure> failure;  // instead of one
  std::string stop_reason;              // empty: what the blocks say
  Json usage;
  std::optional<Duration> pace;  // between the words of a text
  std::size_t times = 1;         // how often it may be given; 0: without end
};

class Script {
 public:
  // An error names the line.
  static Result<Script> parse(std::string_view text);

  // The first answer that is left and fits the last message of the request; it is used up by that. Nothing: none.
  std::optional<ScriptAnswer> next(const ModelRequest& request);

 private:
  std::vector<ScriptAnswer> answers_;
  std::vector<std::size_t> given_;  // how often each was
};

}  // namespace deft
