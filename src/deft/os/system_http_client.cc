#include "deft/os/system_http_client.h"

#include <utility>

namespace deft {

SystemHttpClient::SystemHttpClient(HttpNetwork network)
    : has_proxy_(!network.http_proxy.empty()), curl_(std::move(network)) {}

// Who is exempt from the proxy is libcurl's to say.
HttpClient& SystemHttpClient::client_for(const HttpRequest& request) {
  const bool may_need_proxy = has_proxy_ && request.use_proxy && !request.address;
  if (!may_need_proxy && SocketHttpClient::serves(request)) return sockets_;
  return curl_;
}

std::unique_ptr<HttpTransfer> SystemHttpClient::start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver) {
  HttpClient& client = client_for(request);
  return client.start(std::move(request), std::move(receiver));
}

void SystemHttpClient::connect_ahead(const std::string& url) { client_for({.url = url}).connect_ahead(url); }

}  // namespace deft
