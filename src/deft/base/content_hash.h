#pragma once

#include <string>
#include <string_view>

namespace deft {

// What stands for the content of a file: BLAKE2b with 256 bits (RFC 7693), as 64 hexadecimal digits.
//
// Cryptographic, because a model writes what is hashed: it must not be able to make two contents that count as the
// same. BLAKE2b, because it is the fastest such hash without special instructions (over 700 MB a second) and short
// enough to need no library.
std::string content_hash(std::string_view bytes);

}  // namespace deft
