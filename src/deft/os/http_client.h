#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/pump.h"
#include "deft/base/result.h"

// The seam to servers that speak HTTP. All transfers of a process share one thread (os/curl_http_client); a cancel
// takes effect at once, also while nothing arrives.

namespace deft {

inline constexpr std::size_t kHttpHeadBytesMax = std::size_t{256} << 10;

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;  // in the order of the wire; names in any case

// The value of the first header of that name, whatever its case.
std::optional<std::string_view> find_header(const HttpHeaders& headers, std::string_view name);

struct HttpRequest {
  std::string method = "GET";
  std::string url{};
  HttpHeaders headers{};
  std::string body{};
  Duration connect_timeout = std::chrono::seconds(30);
  std::optional<Duration> idle_timeout{};       // no byte for so long, from the request's end on
  std::optional<Duration> head_timeout{};       // the same for the first byte of the answer; nothing: idle_timeout
  std::optional<TimePoint> deadline{};          // of the whole transfer
  std::optional<std::size_t> body_bytes_max{};  // after decompression; more is error `limit`
  // Dial this address (of the URL's host, which still names the server to TLS and in Host) and no other: for those who
  // have checked it. No proxy then.
  std::optional<std::string> address{};
  bool use_proxy = true;  // HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY
  // Whoever starts it keeps HttpTransfer::pump() going, where there is one; the receiver is told on that thread then.
  bool pumped_by_caller = false;
};

struct HttpHead {
  int status = 0;
  HttpHeaders headers{};
};

// What happens to one transfer, on the client's thread (see HttpRequest::pumped_by_caller): every function returns at
// once. `ended` is the last, and comes exactly once; also after a cancel, with error `cancelled`. Redirects are not
// followed: a 3xx is an answer.
class HttpReceiver {
 public:
  virtual ~HttpReceiver() = default;
  virtual void began(HttpHead head) = 0;
  virtual void received(std::string_view bytes) = 0;  // decompressed
  virtual void ended(Result<void> result) = 0;
};

// A transfer under way. Destroying it cancels it; the receiver is kept alive until `ended`.
class HttpTransfer {
 public:
  virtual ~HttpTransfer() = default;
  virtual void cancel() = 0;  // from any thread, at any time; if the caller pumps, from that one
  // Null: the client does everything itself.
  virtual Pump* pump() { return nullptr; }
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  virtual std::unique_ptr<HttpTransfer> start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver) = 0;
  // Opens a connection to the URL's server that the next request to it will use: before the request is known.
  virtual void connect_ahead(const std::string& url) = 0;
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers{};
  std::string body{};
};

// One whole exchange, for threads that may block. Needs `body_bytes_max`.
Result<HttpResponse> fetch(HttpClient& client, HttpRequest request, std::stop_token stop);

}  // namespace deft
