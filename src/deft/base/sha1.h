#pragma once

#include <string>
#include <string_view>

namespace deft {

// FIPS 180-4: the 20 bytes themselves. Broken as a hash; only for protocols that ask for it and need no strength of it
// (the handshake of WebSocket).
std::string sha1(std::string_view bytes);

}  // namespace deft
