#pragma once

#include <memory>
#include <mutex>
#include <thread>

#include "deft/os/http_client.h"
#include "deft/os/http_network.h"

namespace deft {

// HTTP by libcurl. One thread for all transfers, started with the first one; libcurl too is loaded there and then.
// Connections are kept and shared (HTTP/2 over TLS); certificates are always verified; nothing is read from .netrc,
// no cookie is kept, no redirect followed. Destroying it cancels what is under way.
//
// Errors: `io` the connection failed or broke · `timeout` connecting, idle or deadline · `denied` the certificate ·
// `limit` head or body · `invalid_input` a request that cannot be made · `unsupported` no libcurl · `cancelled`.
class CurlHttpClient final : public HttpClient {
 public:
  explicit CurlHttpClient(HttpNetwork network);
  ~CurlHttpClient() override;
  CurlHttpClient(const CurlHttpClient&) = delete;
  CurlHttpClient& operator=(const CurlHttpClient&) = delete;

  std::unique_ptr<HttpTransfer> start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver) override;
  void connect_ahead(const std::string& url) override;

  class Inbox;  // shared with the transfers' handles, which may outlive the client

 private:
  void need_thread();

  const HttpNetwork network_;
  const std::shared_ptr<Inbox> inbox_;
  std::mutex mutex_;
  std::jthread thread_;  // under mutex_
};

}  // namespace deft
