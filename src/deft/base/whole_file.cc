#include "deft/base/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

Error unreadable(const std::string& path, int error_number) {
  if (error_number == EISDIR) return {Errc::invalid_input, path + " is a folder, not a file"};
  const Errc code = error_number == ENOENT || error_number == ENOTDIR ? Errc::not_found : Errc::io;
  return system_error(code, "cannot read " + path, error_number);
}

Result<std::string> read_all(int descriptor, const std::string& path, std::size_t bytes_max) {
  std::string text;
  for (;;) {
    const std::size_t had = text.size();
    text.resize(had + std::min(kPieceBytes, bytes_max - had + 1));
    const ssize_t got = ::read(descriptor, text.data() + had, text.size() - had);
    if (got < 0 && errno != EINTR) return std::unexpected(unreadable(path, errno));
    text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return text;
    if (text.size() > bytes_max) return fail(Errc::limit, path + " is longer than " + human_bytes(bytes_max));
  }
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return std::unexpected(unreadable(path, errno));
  auto text = read_all(descriptor, path, bytes_max);
  ::close(descriptor);
  return text;
}

}  // namespace deft
