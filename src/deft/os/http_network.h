#pragma once

#include <span>
#include <string>
#include <string_view>

#include "deft/base/result.h"
#include "deft/os/http_client.h"

namespace deft {

// How this machine reaches others: proxies, and whose certificates it believes.
struct HttpNetwork {
  std::string http_proxy{};  // empty: none
  std::string https_proxy{};
  std::string no_proxy{};                    // hosts that are reached without one
  std::string ca_file{};                     // empty: only the folder counts
  std::string ca_folder = "/etc/ssl/certs";  // empty: only the file counts
};

// From NAME=VALUE texts: http_proxy, https_proxy, all_proxy, no_proxy (also in capitals; small letters win),
// SSL_CERT_FILE or CURL_CA_BUNDLE, SSL_CERT_DIR; without such a file NODE_EXTRA_CA_CERTS, if it can be read.
HttpNetwork http_network(std::span<const std::string> environment);

// Can it be put on the wire as it is? Refuses what would let a value become another header or another request (line
// ends and other control characters), URLs of other protocols, and addresses that are none.
Result<void> check_request(const HttpRequest& request);

// The host of a URL, for people: without user, password, path and query, which may hold secrets.
std::string shown_host(std::string_view url);

}  // namespace deft
