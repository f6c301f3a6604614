#include "deft/tools/numbered_lines.h"

#include <algorithm>

namespace deft {

namespace {
constexpr std::size_t kNumberWidth = 6;
}

void append_numbered(std::string& out, std::uint64_t number, std::string_view line) {
  if (!out.empty()) out += '\n';
  const std::string digits = std::to_string(number);
  if (digits.size() < kNumberWidth) out.append(kNumberWidth - digits.size(), ' ');
  out += digits;
  out += '\t';
  out += line;
}

std::size_t numbered_characters(std::uint64_t number) {
  constexpr std::size_t kTabAndLineEnd = 2;
  return std::max(std::to_string(number).size(), kNumberWidth) + kTabAndLineEnd;
}

}  // namespace deft
