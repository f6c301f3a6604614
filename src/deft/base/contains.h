#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace deft {

// Where a part stands in a long text; its end: nowhere. The library's own search is several times as fast as
// string_view::find(), which stops at every first letter: at every quote, in JSON.
inline std::size_t find_in(std::string_view text, std::string_view part) {
  const void* found = ::memmem(text.data(), text.size(), part.data(), part.size());
  return found ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) : text.size();
}
inline bool contains(std::string_view text, std::string_view part) {
  return ::memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

}  // namespace deft
