#pragma once

#include <string>
#include <string_view>

#include "deft/base/result.h"

namespace deft {

// Signs a text as JSON Web Signatures do (RFC 7515). `algorithm` is ES256 or RS256, `pem` the private key, without a
// password. By OpenSSL's library, which is loaded on first use; without it an error says so.
Result<std::string> sign_for_jws(std::string_view algorithm, const std::string& pem, std::string_view text);

}  // namespace deft
