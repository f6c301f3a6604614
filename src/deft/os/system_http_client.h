#pragma once

#include "deft/os/curl_http_client.h"
#include "deft/os/socket_http_client.h"

namespace deft {

// HTTP as this machine does it: what goes to an address in the clear and past no proxy by our own sockets, all else by
// libcurl, which is loaded when the first such request is made.
class SystemHttpClient final : public HttpClient {
 public:
  explicit SystemHttpClient(HttpNetwork network);

  std::unique_ptr<HttpTransfer> start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver) override;
  void connect_ahead(const std::string& url) override;

 private:
  HttpClient& client_for(const HttpRequest& request);

  const bool has_proxy_;  // for plain HTTP
  SocketHttpClient sockets_;
  CurlHttpClient curl_;
};

}  // namespace deft
