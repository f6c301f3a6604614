#include "deft/tools/web_page.h"

#include <algorithm>

#include "deft/base/text.h"

namespace deft {
namespace {

constexpr Duration kConnectTimeMax = std::chrono::seconds(10);
constexpr std::size_t kAddressesTriedMax = 3;

std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

Result<HttpResponse> get(const WebUrl& url, const WebOptions& options, TimePoint deadline,
                         const std::stop_token& stop) {
  return fetch_checked(url,
                       {.headers = {{"Accept", "text/html, text/markdown;q=0.9, text/plain;q=0.8, */*;q=0.5"}},
                        .deadline = deadline,
                        .body_bytes_max = kPageBytesMax},
                       options, stop);
}

void read_content_type(const HttpHeaders& headers, WebPage& page) {
  const std::string type = lowered(find_header(headers, "content-type").value_or(std::string_view()));
  page.content_type = type.substr(0, type.find_first_of("; \t"));
  constexpr std::string_view kKey = "charset=";
  const std::size_t at = type.find(kKey);
  if (at == std::string::npos) return;
  std::string charset = type.substr(at + kKey.size());
  std::erase(charset, '"');
  page.charset = charset.substr(0, charset.find_first_of("; \t"));
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

bool may_be_private(const WebUrl& url, const WebOptions& options) {
  const std::string port = url.port.empty() ? (url.scheme == "http" ? "80" : "443") : url.port;
  return std::ranges::any_of(options.private_hosts, [&](const std::string& given) {
    const std::string host = lowered(given);
    return host == url.host || host == url.host + ":" + port;
  });
}

Result<WebUrl> page_url(std::string_view text, const WebOptions& options) {
  if (text.size() > kPageUrlBytesMax) return fail(Errc::invalid_input, "The address is longer than 2000 characters.");
  std::string whole(text);
  if (whole.find("://") == std::string::npos) whole = "https://" + whole;
  auto url = parse_web_url(whole);
  if (!url) {
    return fail(Errc::invalid_input,
                "\"" + one_line(text, 200) + "\"" +
                    " is no usable address: give a whole http or https address, without a user name, blanks "
                    "percent-encoded.");
  }
  if (url->scheme == "http" && url->port.empty() && !may_be_private(*url, options)) url->scheme = "https";
  return *url;
}

Result<WebUrl> socket_url(std::string_view text, const WebOptions& options) {
  const std::size_t colon = text.find("://");
  const std::string scheme = colon == std::string_view::npos ? "wss" : lowered(text.substr(0, colon));
  if (scheme != "ws" && scheme != "wss") {
    return fail(Errc::invalid_input,
                "\"" + one_line(text, 200) + "\" is no address of a WebSocket: give wss://host/path.");
  }
  const std::string_view rest = colon == std::string_view::npos ? text : text.substr(colon + 3);
  return page_url((scheme == "ws" ? "http://" : "https://") + std::string(rest), options);
}

Result<std::vector<std::string>> checked_addresses(const WebUrl& url, const WebOptions& options) {
  auto addresses = options.resolve(url.host);
  if (!addresses) return addresses;
  if (!may_be_private(url, options)) {
    std::erase_if(*addresses, [](const std::string& address) { return !is_public_address(address); });
  }
  if (addresses->empty()) {
    return fail(Errc::denied, url.host +
                                  " is on this machine or in a private network, where nothing is fetched from or sent "
                                  "to. The user can allow it: "
                                  "add the host to webFetch.privateHosts in the settings.");
  }
  if (addresses->size() > kAddressesTriedMax) addresses->resize(kAddressesTriedMax);
  return addresses;
}

Result<HttpResponse> fetch_checked(const WebUrl& url, HttpRequest request, const WebOptions& options,
                                   std::stop_token stop) {
  if (!options.http) return fail(Errc::unsupported, "There is no way to the network here.");
  const auto addresses = checked_addresses(url, options);
  if (!addresses) return std::unexpected(addresses.error());
  request.url = url.text();
  request.connect_timeout = kConnectTimeMax;
  Result<HttpResponse> response = fail(Errc::io, "not tried");
  for (const std::string& address : *addresses) {
    request.address = address;
    response = fetch(*options.http, request, stop);
    const bool unreachable = !response && (response.error().code == Errc::io || response.error().code == Errc::timeout);
    if (!unreachable || request.method != "GET") return response;
  }
  return response;
}

Result<WebPage> fetch_page(const WebUrl& first, const WebOptions& options, std::stop_token stop) {
  if (!options.http) return fail(Errc::unsupported, "There is no way to the network here.");
  const TimePoint deadline = SystemClock().now() + kPageTimeMax;
  WebPage page{.url = first};
  for (std::size_t hops = 0; hops <= kPageRedirectsMax; ++hops) {
    auto response = get(page.url, options, deadline, stop);
    if (!response) return std::unexpected(response.error());
    page.status = response->status;
    read_content_type(response->headers, page);
    const auto location = find_header(response->headers, "location");
    if (!is_redirect(page.status) || !location) {
      page.bytes = std::move(response->body);
      return page;
    }
    const std::string target = resolve_link(page.url, *location);
    const auto next = parse_web_url(target);
    if (!next) return fail(Errc::invalid_input, page.url.host + " redirects to something that is no web address.");
    // Another host is another question of permission; from https back to http nobody goes unasked.
    const bool elsewhere =
        next->authority() != page.url.authority() || (page.url.scheme == "https" && next->scheme != "https");
    if (elsewhere) {
      page.moved_to = next->text();
      return page;
    }
    page.url = *next;
  }
  return fail(Errc::limit, first.host + " redirects more than " + std::to_string(kPageRedirectsMax) + " times.");
}

}  // namespace deft
