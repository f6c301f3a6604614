#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/base/pump.h"
#include "deft/base/result.h"
#include "deft/base/shared_text.h"
#include "deft/core/assembler.h"
#include "deft/core/history.h"

// The seam to language models. Requests are in the words of Anthropic's Messages API; each client puts them into those
// of its own API.

namespace deft {

struct ModelRequest {
  std::string model;
  std::size_t output_tokens_max = 0;
  SharedText system;                       // plain text; empty: none
  SharedText tools;                        // JSON array as ToolPool::definitions() gives it; empty: none
  std::shared_ptr<const History> history;  // never empty; the last message is the user's
  bool stream = true;
  std::optional<Json> tool_choice{};    // as in the Messages API
  std::optional<Json> thinking{};       // as in the Messages API; clients of other APIs take what they can
  std::string effort{};                 // low … max; empty: the model's own
  std::optional<Json> output_format{};  // {"type":"json_schema","schema":…}
  std::string session_id{};             // for the provider's own accounting
  bool raw_events = false;              // RawModelEvent too
  bool pumped_by_caller = false;        // whoever asks keeps ModelCall::pump() going, where there is one
};

// Why a request gave no message. What to do about it is the retry policy's (model/retry.h).
struct ModelFailure {
  enum class Kind : std::uint8_t {
    connection,      // refused, reset, no such host, time-outs: nothing is known of the request
    certificate,     // never tried again
    status,          // the server answered, with an error
    stream_broken,   // it began well and did not end
    not_understood,  // the answer is no answer of this API
    unusable,        // the request cannot be made: no key, no model, a body that is too large
  };
  Kind kind = Kind::connection;
  int status = 0;
  std::string type;     // overloaded_error, rate_limit_error …; empty: not said
  std::string message;  // for people; holds no secret
  std::string request_id;
  std::optional<Duration> retry_after;  // what the server asked for
  std::optional<bool> should_retry;     // x-should-retry
};

// What a request gives, in order. Ends in exactly one MessageDone or ModelFailed.
struct ModelBegan {
  std::string request_id;
};
struct ModelFailed {
  ModelFailure failure;
  Message message;  // of a stream that had begun: what was complete, exactly the calls that were reported, and all text
};
// One event of the stream in the words of Anthropic's Messages API, as JSON text: for hosts that asked for partial
// messages. The provider's own, or made from what another provider said.
struct RawModelEvent {
  std::string json;
};
using ModelEvent =
    std::variant<ModelBegan, TextDelta, ThinkingDelta, CallReady, MessageDone, ModelFailed, RawModelEvent>;

// A request under way. Destroying it cancels it: nothing more comes to the sink once the destructor has returned.
class ModelCall {
 public:
  virtual ~ModelCall() = default;
  // What carries it on, on the thread of whoever asked; null: the client does everything itself.
  virtual Pump* pump() { return nullptr; }
};

class ModelClient {
 public:
  virtual ~ModelClient() = default;
  using Sink = std::function<void(ModelEvent)>;  // on a thread of the client's, or the pump's; returns at once
  // One attempt, never repeated by itself.
  virtual std::unique_ptr<ModelCall> ask(const ModelRequest& request, Sink sink) = 0;
  // A request will follow soon: whatever can be done before it is known (open the connection) is begun.
  virtual void prepare() {}
  virtual std::string_view name() const = 0;  // of the provider, for people and telemetry: "anthropic"
};

}  // namespace deft
