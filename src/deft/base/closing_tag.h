#pragma once

#include <string>
#include <string_view>

namespace deft {

// What stands between `<tag>` and `</tag>` is somebody's words, and whoever wrote them does not say where they end: a
// closing tag within them, however it is written, is shown as "&lt;/tag".
std::string without_closing_tag(std::string_view text, std::string_view tag);

}  // namespace deft
