#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kHostRequestsOpenMax = 10'000;

// Our side of the control protocol: what we ask of the host that drives us, and its answers. Used from any thread.
class ControlPort {
 public:
  explicit ControlPort(std::function<void(JsonObject line)> put) : put_(std::move(put)) {}

  // Called once, on the thread that brings the answer; not after cancel().
  using Then = std::move_only_function<void(Result<Json> answer)>;
  // Returns the name of the request. When nobody can answer (any more), `then` hears so at once.
  std::string ask(JsonObject request, Then then);
  // Nobody wants the answer any more: the host is told. Nothing happens if it has answered.
  void cancel(const std::string& id);
  // Blocks. Errors: what the host said, `timeout`, `cancelled`, and `io` when it is gone.
  Result<Json> ask_and_wait(JsonObject request, std::optional<TimePoint> deadline, std::stop_token stop);

  // What the host said. False: nothing like that was asked.
  bool take_answer(const std::string& id, Result<Json> answer);
  // All requests of this kind that have no answer yet, as they were sent.
  JsonArray open_requests(std::string_view subtype);
  // Those of this kind are not waited for any more: the host has lost them. It is told.
  void give_up(std::string_view subtype, const Error& why);
  // It will say nothing more: whatever is open fails, and so does all that follows.
  void close();

  // Our answers to what it asks.
  void answer(std::string_view id, JsonObject response = {});
  // The same to whoever begins, perhaps anew: with what it was asked before and has not answered.
  void answer_begin(std::string_view id, JsonObject response);
  void refuse(std::string_view id, std::string_view error);

 private:
  struct Open {
    JsonObject request;
    Then then;
  };
  static JsonObject line_of(const std::string& id, JsonObject request);

  const std::function<void(JsonObject line)> put_;
  std::mutex mutex_;
  // Under mutex_:
  std::map<std::string, Open> open_;
  std::size_t asked_ = 0;
  bool closed_ = false;
};

}  // namespace deft
