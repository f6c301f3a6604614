#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deft {

// RFC 4648, with padding.
std::string to_base64(std::string_view bytes);
// Nothing: it is not base64, to the last character.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace deft
