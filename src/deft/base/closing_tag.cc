#include "deft/base/closing_tag.h"

#include <algorithm>

namespace deft {

std::string without_closing_tag(std::string_view text, std::string_view tag) {
  const std::string end = "</" + std::string(tag);
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::string out;
  while (!text.empty()) {
    const auto found = std::ranges::search(text, end, {}, lower);
    out.append(text.begin(), found.begin());
    if (found.empty()) break;
    out += "&lt;";
    text.remove_prefix(static_cast<std::size_t>(found.begin() - text.begin()) + 1);
  }
  return out;
}

}  // namespace deft
