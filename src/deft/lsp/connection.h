#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "deft/base/clock.h"
#include "deft/base/json_rpc.h"
#include "deft/base/result.h"
#include "deft/lsp/framing.h"
#include "deft/os/processes.h"

namespace deft::lsp {

inline constexpr std::size_t kOutboxBytesMax = std::size_t{32} << 20;  // of messages that the server does not take
inline constexpr std::size_t kErrorOutputBytesKept = 2'000;            // the end of its standard error

// How long somebody waits for an answer.
struct RequestUntil {
  TimePoint deadline;
  std::stop_token stop = {};
};

// What the server says by itself. Called on the connection's own thread, one at a time; must not wait for an answer of
// the same server.
struct ServerWords {
  std::function<void(std::string_view method, const Json& params)> on_notification;
  std::function<std::expected<Json, RpcError>(std::string_view method, const Json& params)> on_request;
  std::function<void()> on_end;  // it says nothing any more
};

// Messages to and from a language server that runs. Nobody who calls here waits for the server to take what is written,
// only for answers, and no longer than they say. A server that ends, writes something that is no message, or takes no
// messages any more is gone: everybody who waits is told so, and from then on every request fails at once. Any thread
// may call.
class Connection {
 public:
  // `name` of the server, for people.
  Connection(std::string name, std::unique_ptr<Child> child, ServerWords words, const Clock& clock);
  ~Connection();  // the server is gone then
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Errors: `timeout`, `cancelled` (the server is told in both cases), `io` if it is gone, `stale` if it says that the
  // content has changed meanwhile or that it gave up (asking again may help), `unsupported` if it
  // does not know the request, `failed` for whatever else it answered.
  Result<Json> request(std::string_view method, Json params, const RequestUntil& until);
  void notify(std::string_view method, Json params);

  // Why it is gone, in words for people; nothing while it is there.
  std::optional<std::string> ended() const;
  // Says goodbye, without waiting.
  void ask_to_end();
  // Waits until it is gone. False: it is not, in time.
  bool wait_for_end(TimePoint deadline);

 private:
  using Pending = std::optional<Result<Json>>;

  void read_all(const std::stop_token& stop);
  void write_all(const std::stop_token& stop);
  void handle(std::string_view body);
  void handle(RpcResponse response);
  Result<Json> outcome_of(RpcResponse response) const;
  void put(std::string message);               // under mutex_
  void break_off(std::string because);         // the server is no use any more
  void set_ended(const std::string& because);  // under mutex_

  const std::string name_;
  const ServerWords words_;
  const Clock& clock_;
  const std::unique_ptr<Child> child_;
  FrameReader frames_;  // of the reading thread

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;      // an answer came, or the end
  std::condition_variable_any unsent_;       // the writing thread has something to do
  std::int64_t last_id_ = 0;                 // under mutex_, as all below
  std::map<std::int64_t, Pending> pending_;  // requests that somebody waits for
  std::deque<std::string> outbox_;
  std::size_t outbox_bytes_ = 0;
  bool is_writing_ = false;  // the writing thread is at it
  std::string error_output_;
  std::optional<std::string> ended_;
  bool is_over_ = false;  // the process is gone too

  std::jthread writer_;
  std::jthread reader_;
};

}  // namespace deft::lsp
