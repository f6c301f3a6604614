#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deft/base/http_answer.h"
#include "deft/os/http_client.h"
#include "deft/os/unique_fd.h"

namespace deft {

// Where a server listens, in the order of trying: `localhost` has two addresses.
struct SocketPlace {
  std::string host;  // as the URL says it, with its port: what the Host header says
  std::string target;
  std::vector<std::string> addresses;
  std::uint16_t port = 80;

  // Who listens there: 127.0.0.1 alone is somebody else than `localhost`, which may have been reached at ::1.
  std::string key() const;
};
// Nothing for whatever is not plain HTTP to an address or to this machine.
std::optional<SocketPlace> socket_place(const HttpRequest& request);

// Begins to connect, without waiting. Nothing: not even that was possible, and errno says why.
UniqueFd begin_to_connect(const std::string& address, std::uint16_t port);

// One request and its answer on one connection, of SocketHttpClient: begun by whoever asks, then the thread's alone.
// Nothing here waits.
class SocketTransfer {
 public:
  // A connection that another request may use, and to whom it leads.
  using KeepConnection = std::function<void(const std::string& key, UniqueFd connection)>;
  SocketTransfer(HttpRequest request, std::shared_ptr<HttpReceiver> receiver, SocketPlace place, KeepConnection keep);

  // On a connection that is there, or on one that is made for it.
  void begin(UniqueFd kept);

  int socket() const { return socket_.get(); }
  short awaited_events() const;
  // The socket is ready for what was awaited, or something is wrong with it.
  void advance();
  bool has_more() const { return has_more_; }  // the last read was as large as it could be
  bool is_over() const { return outcome_.has_value(); }
  std::optional<TimePoint> next_deadline() const;
  void end_if_overdue(TimePoint now);

  // Exactly once, as the last.
  void finish(Result<void> result);
  Result<void> outcome() const { return *outcome_; }

 private:
  enum class State { connecting, sending, receiving };

  void connect_next();
  void take_connected();
  void send_some();
  void receive_some();
  void take_bytes(std::string_view bytes);
  void read_bytes(std::string_view bytes, std::vector<std::string_view>& said);
  void take_head();
  void give_connection_back();
  void fail_with(Errc code, std::string message);
  const std::optional<Duration>& patience() const;

  HttpRequest request_;
  std::shared_ptr<HttpReceiver> receiver_;
  const SocketPlace place_;
  const KeepConnection keep_;
  UniqueFd socket_;
  State state_ = State::connecting;
  std::size_t next_address_ = 0;
  std::string head_;      // of the request
  std::size_t sent_ = 0;  // of head and body together
  HttpAnswerReader reader_;
  bool has_head_ = false;
  std::size_t body_bytes_ = 0;
  std::size_t received_at_once_;
  bool has_more_ = false;
  TimePoint began_;
  TimePoint last_activity_;
  std::optional<Result<void>> outcome_;
};

}  // namespace deft
