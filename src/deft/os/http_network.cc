#include "deft/os/http_network.h"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>

#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::size_t kShownHostCharactersMax = 200;

// The value of the first of the names that is there and not empty.
std::string first_value(std::span<const std::string> environment, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (const std::string& variable : environment) {
      if (variable.size() <= name.size() + 1 || !variable.starts_with(name) || variable[name.size()] != '=') continue;
      return variable.substr(name.size() + 1);
    }
  }
  return {};
}

bool is_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool is_address(const std::string& text) {
  unsigned char bytes[sizeof(in6_addr)];
  return ::inet_pton(AF_INET, text.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

std::unexpected<Error> unusable(std::string what) { return fail(Errc::invalid_input, std::move(what)); }

}  // namespace

HttpNetwork http_network(std::span<const std::string> environment) {
  HttpNetwork network;
  // A web server hands the Proxy header of a stranger's request to its CGI programs as HTTP_PROXY.
  const bool is_cgi = !first_value(environment, {"REQUEST_METHOD"}).empty();
  network.http_proxy = is_cgi ? first_value(environment, {"http_proxy", "all_proxy", "ALL_PROXY"})
                              : first_value(environment, {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"});
  network.https_proxy = first_value(environment, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
  network.no_proxy = first_value(environment, {"no_proxy", "NO_PROXY"});
  network.ca_file = first_value(environment, {"SSL_CERT_FILE", "CURL_CA_BUNDLE"});
  const std::string folder = first_value(environment, {"SSL_CERT_DIR"});
  if (!folder.empty() || !network.ca_file.empty()) network.ca_folder = folder;
  // Beside those that are believed anyway, not in their place: if it is gone, that is no reason to reach nobody.
  const std::string more = first_value(environment, {"NODE_EXTRA_CA_CERTS"});
  if (network.ca_file.empty() && ::access(more.c_str(), R_OK) == 0) network.ca_file = more;
  return network;
}

Result<void> check_request(const HttpRequest& request) {
  if (!request.url.starts_with("http://") && !request.url.starts_with("https://")) {
    return unusable("the address must begin with http:// or https://");
  }
  if (std::ranges::any_of(request.url, [](char c) { return is_control(c) || c == ' '; })) {
    return unusable("the address holds a space or a control character: percent-encode it");
  }
  if (!is_token(request.method)) return unusable("the HTTP method is no word");
  for (const auto& [name, value] : request.headers) {
    if (!is_token(name)) return unusable("a header's name holds a character that none may have");
    if (std::ranges::any_of(value, [](char c) { return is_control(c) && c != '\t'; })) {
      return unusable("the value of header " + name + " holds a control character");
    }
  }
  if (request.address && !is_address(*request.address)) {
    return unusable("the address to dial is neither IPv4 nor IPv6: " + one_line(*request.address, 60));
  }
  return {};
}

std::string shown_host(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  const std::size_t user = url.rfind('@');
  if (user != std::string_view::npos) url.remove_prefix(user + 1);
  return one_line(url, kShownHostCharactersMax);
}

}  // namespace deft
