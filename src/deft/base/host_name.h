#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deft {

// The name of a host as name servers know it: ASCII in lower case, other alphabets as "xn--…" (RFC 3492). Nothing for
// what is no UTF-8 and for characters that could be written in another way as well (wide forms, ligatures, signs made
// of letters, separate accents): which host they mean depends on who reads them. What is ASCII is not looked at.
std::optional<std::string> ascii_host(std::string_view host);

}  // namespace deft
