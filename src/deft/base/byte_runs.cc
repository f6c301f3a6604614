#include "deft/base/byte_runs.h"

#include <cstdint>

namespace deft {
namespace {

bool is_printable(std::uint8_t byte) { return static_cast<std::uint8_t>(byte - 0x20) < 0x7F - 0x20; }

// Some at a time, without a branch in between and in bytes all through: compilers make one instruction of many.
template <class IsWanted>
std::size_t run_of(std::string_view text, const IsWanted& is_wanted) {
  constexpr std::size_t kStep = 32;
  std::size_t count = 0;
  for (; count + kStep <= text.size(); count += kStep) {
    std::uint8_t unwanted = 0;
    for (std::size_t i = 0; i < kStep; ++i) {
      unwanted |= static_cast<std::uint8_t>(!is_wanted(static_cast<std::uint8_t>(text[count + i])));
    }
    if (unwanted != 0) break;
  }
  while (count < text.size() && is_wanted(static_cast<std::uint8_t>(text[count]))) ++count;
  return count;
}

}  // namespace

std::size_t printable_run(std::string_view text) { return run_of(text, is_printable); }

std::size_t json_plain_run(std::string_view text) {
  // Without && and ||, which are branches.
  return run_of(text, [](std::uint8_t byte) {
    return (static_cast<unsigned>(is_printable(byte)) & static_cast<unsigned>(byte != '"') &
            static_cast<unsigned>(byte != '\\')) != 0;
  });
}

}  // namespace deft
