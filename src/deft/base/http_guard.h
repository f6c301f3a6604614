#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/http_message.h"

// Who may talk to a server on this machine. A page in a browser can send requests to loopback, and a name of its own
// can be made to mean loopback (DNS rebinding): so the names that a request uses are checked, and who has the token is
// let in.

namespace deft {

class HttpGuard {
 public:
  // `names`: hosts that the server goes by beside those of loopback. `token`: empty: nobody needs one.
  HttpGuard(const std::vector<std::string>& names, std::uint16_t port, std::string token);

  // Nothing: let in. Else what is answered; 401 asks for a token.
  std::optional<HttpFault> refusal(const ReadRequest& request) const;

 private:
  bool is_own_name(std::string_view host) const;
  bool is_own_origin(std::string_view origin) const;

  std::vector<std::string> names_;  // in lower case, without a port
  std::uint16_t port_;
  std::string token_;
};

bool is_loopback_host(std::string_view host);  // localhost, 127.x.x.x, ::1
// Takes as long for a near miss as for a far one.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace deft
