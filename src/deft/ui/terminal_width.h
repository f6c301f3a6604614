#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace deft {

inline constexpr std::size_t kTerminalWidthMin = 40;
inline constexpr std::size_t kTerminalWidthMax = 300;

// How many characters a line of standard output has room for; `otherwise` if that is no terminal.
inline std::size_t terminal_width(std::size_t otherwise) {
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::clamp<std::size_t>(size.ws_col, kTerminalWidthMin, kTerminalWidthMax) : otherwise;
}

}  // namespace deft
