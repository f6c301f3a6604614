#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "deft/base/encoding.h"

namespace deft {

inline constexpr std::size_t kTextSourceBytesMin = 4;  // room for any character

// The text of an open file, in UTF-8 as far as the file is: what begins with the byte order mark of UTF-16 is
// converted, and a mark at the beginning is left out. Everything else comes as it is.
class TextSource {
 public:
  explicit TextSource(int fd) : fd_(fd) {}

  // At most `size` bytes, which must be at least kTextSourceBytesMin; 0 at the end, -1 if it cannot be read (errno).
  std::ptrdiff_t read(char* out, std::size_t size);

 private:
  std::ptrdiff_t read_file(char* out, std::size_t size) const;
  std::ptrdiff_t read_first(char* out, std::size_t size);
  std::ptrdiff_t read_utf16(char* out, std::size_t size);
  bool fill();

  int fd_;
  bool began_ = false;
  std::optional<Encoding> utf16_ = std::nullopt;
  std::string raw_ = {};  // UTF-16 that is not yet converted
  bool ended_ = false;
};

}  // namespace deft
