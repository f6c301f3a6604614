#pragma once

#include <cstddef>
#include <string_view>

// How much of a text, from its beginning, needs no closer look: nearly all of most files, requests and results.

namespace deft {

std::size_t ascii_run(std::string_view text);
std::size_t printable_run(std::string_view text);   // ASCII, no control characters
std::size_t json_plain_run(std::string_view text);  // ASCII that stands in a JSON string as it is

}  // namespace deft
