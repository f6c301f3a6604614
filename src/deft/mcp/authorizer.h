#pragma once

#include <stop_token>

#include "deft/base/result.h"
#include "deft/os/http_client.h"

namespace deft {

// Who we are to a server on the web. Called on threads that may block, several at once.
class McpAuthorizer {
 public:
  virtual ~McpAuthorizer() = default;

  // The headers that say it, for a request that is about to be sent. A token may have to be refreshed first.
  virtual Result<HttpHeaders> headers(std::stop_token stop) = 0;
  // The server refused a request that went out with `sent` by 401, or 403 for a lack of scope. Gets what is needed, if
  // that can be had: then the request is sent again. An error says what a person has to do.
  virtual Result<void> refused(const HttpHead& head, const HttpHeaders& sent, std::stop_token stop) = 0;
};

}  // namespace deft
