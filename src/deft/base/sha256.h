#pragma once

#include <string>
#include <string_view>

namespace deft {

// FIPS 180-4: the 32 bytes themselves. For protocols that ask for it (OAuth's PKCE); our own hash is content_hash().
std::string sha256(std::string_view bytes);

}  // namespace deft
