#pragma once

#include <memory>
#include <mutex>
#include <thread>

#include "deft/os/http_client.h"

namespace deft {

// Plain HTTP to servers that are named by their address or are on this machine: where there is no name to look up, no
// certificate to check and no proxy to pass, libcurl has nothing to do that would be worth the milliseconds that
// loading it takes. A request leaves on the caller's thread if a connection is there; its answer is read by the caller,
// if that is what it wants, or else by one thread, started with the first request that needs it. Connections are kept.
// Destroying it cancels what that thread has under way.
//
// Errors as of CurlHttpClient. A request is never sent twice: one whose connection the server closed meanwhile fails.
class SocketHttpClient final : public HttpClient {
 public:
  SocketHttpClient();
  ~SocketHttpClient() override;
  SocketHttpClient(const SocketHttpClient&) = delete;
  SocketHttpClient& operator=(const SocketHttpClient&) = delete;

  // Whether the URL is one of those; proxies are the caller's question.
  static bool serves(const HttpRequest& request);

  std::unique_ptr<HttpTransfer> start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver) override;
  void connect_ahead(const std::string& url) override;

  class Connections;
  class Inbox;  // shared with the transfers' handles, which may outlive the client

 private:
  void need_thread();

  const std::shared_ptr<Connections> connections_;
  const std::shared_ptr<Inbox> inbox_;
  std::mutex mutex_;
  std::jthread thread_;  // under mutex_
};

}  // namespace deft
