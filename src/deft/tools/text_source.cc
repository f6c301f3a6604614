#include "deft/tools/text_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kRawBytes = std::size_t{32} << 10;
constexpr std::size_t kUtf16BytesMax = 4;  // of one character

}  // namespace

std::ptrdiff_t TextSource::read(char* out, std::size_t size) {
  if (!began_) return read_first(out, size);
  return utf16_ ? read_utf16(out, size) : read_file(out, size);
}

std::ptrdiff_t TextSource::read_file(char* out, std::size_t size) const {
  ssize_t got = -1;
  do {
    got = ::read(fd_, out, size);
  } while (got < 0 && errno == EINTR);
  return got;
}

std::ptrdiff_t TextSource::read_first(char* out, std::size_t size) {
  began_ = true;
  const std::ptrdiff_t got = read_file(out, size);
  if (got <= 0) return got;
  const std::string_view text(out, static_cast<std::size_t>(got));
  for (const Encoding encoding : {Encoding::utf16_le, Encoding::utf16_be}) {
    const std::string_view mark = byte_order_mark({encoding, true});
    if (!text.starts_with(mark)) continue;
    utf16_ = encoding;
    raw_ = text.substr(mark.size());
    return read_utf16(out, size);
  }
  const std::string_view mark = byte_order_mark({Encoding::utf8, true});
  if (!text.starts_with(mark)) return got;
  const std::size_t left = text.size() - mark.size();
  std::memmove(out, out + mark.size(), left);
  return left > 0 ? static_cast<std::ptrdiff_t>(left) : read_file(out, size);
}

bool TextSource::fill() {
  const std::size_t old = raw_.size();
  raw_.resize(old + kRawBytes);
  const std::ptrdiff_t got = read_file(raw_.data() + old, kRawBytes);
  raw_.resize(old + static_cast<std::size_t>(std::max<std::ptrdiff_t>(got, 0)));
  ended_ = got <= 0;
  return got >= 0;
}

std::ptrdiff_t TextSource::read_utf16(char* out, std::size_t size) {
  std::string text;
  std::size_t at = 0;
  while (text.size() + kTextSourceBytesMin <= size) {
    if (raw_.size() - at < kUtf16BytesMax && !ended_) {
      raw_.erase(0, at);
      at = 0;
      if (!fill()) return -1;
      continue;
    }
    if (at == raw_.size()) break;
    const DecodedCharacter character = decode_character(std::string_view(raw_).substr(at), *utf16_);
    append_utf8(text, character.code_point);
    at += std::min(character.bytes, raw_.size() - at);  // the last one may be half a character
  }
  raw_.erase(0, at);
  std::memcpy(out, text.data(), text.size());
  return static_cast<std::ptrdiff_t>(text.size());
}

}  // namespace deft
