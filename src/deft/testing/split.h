#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace deft::testing {

// The parts of a text, each of which ends with the separator; the last one need not.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace deft::testing
