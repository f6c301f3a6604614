#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/url.h"
#include "deft/os/http_client.h"
#include "deft/os/web_address.h"
#include "deft/os/web_socket_link.h"

// Getting a page of the web, carefully: the address of the host is looked up, checked and then dialled, at every hop.

namespace deft {

inline constexpr std::size_t kPageBytesMax = std::size_t{10} << 20;  // after decompression
inline constexpr std::size_t kPageRedirectsMax = 5;
inline constexpr std::size_t kPageUrlBytesMax = 2'000;
inline constexpr Duration kPageTimeMax = std::chrono::seconds(60);

struct WebOptions {
  std::shared_ptr<HttpClient> http = nullptr;  // nothing: there is no network
  ResolveHost resolve = resolve_host;
  OpenWebSocket open_socket = nullptr;  // nothing: there are no WebSockets
  // Hosts that may have a private address: servers of one's own. "localhost", "127.0.0.1", with or without ":3000".
  std::vector<std::string> private_hosts = {};
  // A question about a text, for a small model; nothing: the text itself is given.
  std::function<Result<std::string>(const std::string& question, const std::string& text, std::stop_token)> ask =
      nullptr;
};

struct WebPage {
  WebUrl url;  // where it came from in the end
  int status = 0;
  std::string content_type;  // in lower case, without its parameters
  std::string charset;       // as the header says; empty: it does not
  std::string bytes;
  std::string moved_to;  // not empty: it is on another host, and was not fetched
};

// Whether the settings name the host as one of the user's own, which may have a private address.
bool may_be_private(const WebUrl& url, const WebOptions& options);
// The address that is meant: https where nothing is said, and instead of plain http.
Result<WebUrl> page_url(std::string_view text, const WebOptions& options);
// The same of a ws or wss address, whose schemes become http and https: wss where nothing is said, and instead of ws.
Result<WebUrl> socket_url(std::string_view text, const WebOptions& options);
// The addresses of the host that may be dialled, a few at most. Error `denied`: it has none but private ones.
Result<std::vector<std::string>> checked_addresses(const WebUrl& url, const WebOptions& options);
// One exchange with a server whose address was checked, and that very address is dialled. What is not a GET is tried at
// one address only: it might have been understood where no answer came. Redirects are answers.
Result<HttpResponse> fetch_checked(const WebUrl& url, HttpRequest request, const WebOptions& options,
                                   std::stop_token stop);
// Errors: `denied` a private address · `limit` too large · `timeout`, `io`, `not_found`, `cancelled`.
Result<WebPage> fetch_page(const WebUrl& url, const WebOptions& options, std::stop_token stop);

}  // namespace deft
