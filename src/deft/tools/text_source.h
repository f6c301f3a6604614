#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace deft {

// The text of an open file, in UTF-8 as far as the file is: what begins with the byte order mark of UTF-16 is
// converted, and a mark at the beginning is left out. Everything else comes as it is.
class TextSource {
 public:
  explicit TextSource(int fd) : fd_(fd) {}

  // At most `size` bytes, which must be at least 4; 0 at the end, -1 if it cannot be read (errno).
  std::ptrdiff_t read(char* out, std::size_t size);

 private:
  enum class Encoding : std::uint8_t { unknown, as_it_is, utf16_little, utf16_big };

  std::ptrdiff_t read_file(char* out, std::size_t size) const;
  std::ptrdiff_t read_first(char* out, std::size_t size);
  std::ptrdiff_t read_utf16(char* out, std::size_t size);
  bool fill();
  char32_t unit(std::size_t at) const;

  int fd_;
  Encoding encoding_ = Encoding::unknown;
  std::string raw_ = {};  // UTF-16 that is not yet converted
  bool ended_ = false;
};

}  // namespace deft
