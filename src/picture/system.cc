#include "picture/system.h"

#include <unistd.h>

#include <cerrno>

namespace picture {

Bytes read_input() {
  constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
  Bytes bytes;
  while (bytes.size() < kInputBytesMax) {
    const std::size_t filled = bytes.size();
    bytes.resize(filled + kChunkBytes);
    const ssize_t got = ::read(STDIN_FILENO, bytes.data() + filled, kChunkBytes);
    bytes.resize(filled + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
  }
  return bytes;
}

bool write_output(const Bytes& bytes) {
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t put = ::write(STDOUT_FILENO, bytes.data() + written, bytes.size() - written);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    written += static_cast<std::size_t>(put);
  }
  return true;
}

}  // namespace picture
