#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deft {

// A web address in its parts. The host is in lower case, the path never empty.
struct WebUrl {
  std::string scheme;  // http or https
  std::string host;
  std::string port;  // empty: the scheme's own
  std::string path = "/";
  std::string query;  // with its '?'; empty: none

  std::string text() const;       // without a fragment
  std::string authority() const;  // host, and the port if it is said
};

// Nothing for whatever is no plain web address: other schemes, users and passwords, blanks, odd hosts.
std::optional<WebUrl> parse_web_url(std::string_view text);

// What a link of a page means (RFC 3986). Empty: it leads nowhere on the web.
std::string resolve_link(const WebUrl& page, std::string_view link);

}  // namespace deft
