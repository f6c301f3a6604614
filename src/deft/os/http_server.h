#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "deft/base/clock.h"
#include "deft/base/http_message.h"
#include "deft/base/result.h"

// The seam for serving HTTP. One thread serves all clients; none of them can hold up another, however slowly it sends
// or reads.

namespace deft {

// One request, to be answered once, from any thread, now or later. What is said after the client has gone is dropped.
class HttpAnswer {
 public:
  virtual ~HttpAnswer() = default;
  // A whole answer.
  virtual void send(int status, HttpFields fields, std::string body) = 0;
  // One in pieces: begin, write…, end. False: the client has gone, or reads so slowly that it was given up.
  virtual void begin(int status, HttpFields fields) = 0;
  virtual bool write(std::string_view bytes) = 0;
  virtual void end() = 0;
  // Called once, on the server's thread, if the client goes before the answer has ended; at once, if it has gone. There
  // may be several.
  virtual void when_gone(std::function<void()> told) = 0;
};

// On the server's thread: returns at once.
using HttpHandler = std::function<void(ReadRequest request, std::shared_ptr<HttpAnswer> answer)>;
// Is the body of a request with this head read at all? Where not, the request is handled without it, and the connection
// ends with the answer: so strangers cannot fill the memory.
using HttpTakesBody = std::function<bool(const ReadRequest& head)>;

struct HttpServerOptions {
  std::string address = "127.0.0.1";  // an IPv4 or IPv6 address
  std::uint16_t port = 0;             // 0: any that is free
  HttpReadLimits limits = {};
  std::size_t connections_max = 512;
  std::size_t unsent_bytes_max = std::size_t{64} << 20;  // of one client that does not read
  Duration request_timeout = std::chrono::seconds(60);   // from the first byte to the last
  Duration head_timeout = std::chrono::seconds(10);      // the same of its head
  Duration idle_timeout = std::chrono::minutes(5);       // between requests
  Duration stalled_timeout = std::chrono::minutes(1);    // an answer of which the client takes nothing
  HttpTakesBody takes_body = {};                         // empty: of every request
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;  // ends all connections
  virtual std::uint16_t port() const = 0;
  virtual std::size_t connections() const = 0;  // open now
};

// `clock` outlives it.
Result<std::unique_ptr<HttpServer>> start_http_server(HttpServerOptions options, const Clock& clock,
                                                      HttpHandler handler);

}  // namespace deft
