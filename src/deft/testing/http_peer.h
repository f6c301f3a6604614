#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "deft/os/http_client.h"
#include "deft/os/unique_fd.h"

// A real HTTP/1.1 server on loopback for tests, whose answers are a function of the test's own:
//
//   HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) { answer.send(200, {}, "hello " + request.body);
//   }); client.start({.method = "POST", .url = peer.url("/v1/messages"), .body = "you"}, receiver);
//   peer.requests()[0].body == "you"
//
// The function is called on a thread of each connection. It may misbehave in any way that PeerAnswer offers; a function
// that returns without an answer leaves the client waiting until one of them hangs up.

namespace deft::testing {

struct PeerRequest {
  std::string method;
  std::string path;  // with its query
  HttpHeaders headers;
  std::string body;
  std::size_t connection = 0;  // which one it came on: 0 is the first that was opened

  std::string header(std::string_view name) const;  // empty: there is none
};

// Closed until open() is called, once and for all: how a test says when a handler may go on.
class PeerGate {
 public:
  void open();
  // False: the server ends before.
  bool wait(std::stop_token stop);

 private:
  std::mutex mutex_;
  std::condition_variable_any opened_;
  bool open_ = false;  // under mutex_
};

class PeerAnswer {
 public:
  PeerAnswer(int socket, std::stop_token stop) : socket_(socket), stop_(std::move(stop)) {}

  // A whole answer, with its length.
  void send(int status, const HttpHeaders& headers, std::string_view body);
  // One in pieces: head, chunk…, end.
  void head(int status, const HttpHeaders& headers = {});
  void chunk(std::string_view bytes);
  void end();

  void raw(std::string_view bytes);  // exactly these on the wire
  void cut();                        // closes the connection: also in the middle of an answer
  void reset();                      // the same by RST
  // Waits. False: the server ends, give up.
  bool wait(PeerGate& gate) { return gate.wait(stop_); }
  // Waits until the client has hung up. False: the server ends.
  bool wait_until_gone();

  bool is_open() const { return open_; }
  bool has_answered() const { return answered_; }

 private:
  int socket_;
  std::stop_token stop_;
  bool open_ = true;
  bool answered_ = false;  // whole: the connection may serve another request
};

// A port on loopback that nobody listens on, for as long as this is there: no other test gets it meanwhile.
class SilentPort {
 public:
  SilentPort();
  std::string url(std::string_view path = "/") const;

 private:
  UniqueFd socket_;
  std::uint16_t port_ = 0;
};

using PeerHandler = std::function<void(const PeerRequest&, PeerAnswer&)>;

class HttpPeer {
 public:
  explicit HttpPeer(PeerHandler handler);
  ~HttpPeer();  // ends all connections
  HttpPeer(const HttpPeer&) = delete;
  HttpPeer& operator=(const HttpPeer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(std::string_view path = "/") const;  // http://127.0.0.1:PORT/…
  // What has come in so far, each before its handler was called.
  std::vector<PeerRequest> requests() const;
  // How many connections were opened, whether or not a request came on them; how many are open now.
  std::size_t connections() const;
  std::size_t open_connections() const;

 private:
  struct Connection {
    UniqueFd socket;
    bool ended = false;
  };

  void accept_all(const std::stop_token& stop);
  void serve(std::size_t number, const std::stop_token& stop);
  std::optional<PeerRequest> read_request(int socket, std::string& unread, const std::stop_token& stop) const;

  const PeerHandler handler_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;

  mutable std::mutex mutex_;
  std::vector<PeerRequest> requests_;                     // under mutex_
  std::vector<std::unique_ptr<Connection>> connections_;  // under mutex_
  std::vector<std::jthread> servers_;                     // under mutex_
  std::jthread acceptor_;
};

}  // namespace deft::testing
