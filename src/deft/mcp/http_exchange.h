#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "deft/base/clock.h"
#include "deft/os/http_client.h"

namespace deft {

// What has arrived and was not read yet. A server that sends faster than it is read, for so long, is hung up on.
inline constexpr std::size_t kHttpUnreadBytesMax = std::size_t{128} << 20;

// One HTTP exchange for a thread that may block: the head, then the body piece by piece as it arrives. Destroying it
// hangs up.
class HttpExchange {
 public:
  HttpExchange(HttpClient& client, HttpRequest request);
  ~HttpExchange();
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  // Waits for the answer's head; called once.
  Result<HttpHead> head(std::stop_token stop);
  // The next bytes of the body; nothing at its end.
  Result<std::optional<std::string>> next(std::stop_token stop);
  // The rest of the body. Error `limit` if it is longer than that.
  Result<std::string> rest(std::size_t bytes_max, std::stop_token stop);

 private:
  class Inbox;
  std::shared_ptr<Inbox> inbox_;
  std::unique_ptr<HttpTransfer> transfer_;
};

// "application/json; charset=utf-8" is the type "application/json".
bool has_content_type(const HttpHeaders& headers, std::string_view type);

}  // namespace deft
