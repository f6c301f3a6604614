#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deft {

// The host of a plain http or https (ws, wss) address, in lower case, without a dot at its end; an address in numbers
// as four of them. Nothing for whatever could be read in two ways: user names, backslashes, blanks, percent signs,
// other alphabets.
std::optional<std::string> web_host(std::string_view url);

}  // namespace deft
