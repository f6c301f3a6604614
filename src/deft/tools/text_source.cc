#include "deft/tools/text_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kRawBytes = std::size_t{32} << 10;
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LittleMark = "\xFF\xFE";
constexpr std::string_view kUtf16BigMark = "\xFE\xFF";
constexpr std::size_t kUtf8BytesPerUnitMax = 3;

}  // namespace

std::ptrdiff_t TextSource::read(char* out, std::size_t size) {
  switch (encoding_) {
    case Encoding::unknown: return read_first(out, size);
    case Encoding::as_it_is: return read_file(out, size);
    default: return read_utf16(out, size);
  }
}

std::ptrdiff_t TextSource::read_file(char* out, std::size_t size) const {
  ssize_t got = -1;
  do {
    got = ::read(fd_, out, size);
  } while (got < 0 && errno == EINTR);
  return got;
}

std::ptrdiff_t TextSource::read_first(char* out, std::size_t size) {
  const std::ptrdiff_t got = read_file(out, size);
  encoding_ = Encoding::as_it_is;
  if (got <= 0) return got;
  const std::string_view text(out, static_cast<std::size_t>(got));
  if (text.starts_with(kUtf8Mark)) {
    const std::size_t left = text.size() - kUtf8Mark.size();
    std::memmove(out, out + kUtf8Mark.size(), left);
    return left > 0 ? static_cast<std::ptrdiff_t>(left) : read_file(out, size);
  }
  if (text.starts_with(kUtf16LittleMark)) encoding_ = Encoding::utf16_little;
  if (text.starts_with(kUtf16BigMark)) encoding_ = Encoding::utf16_big;
  if (encoding_ == Encoding::as_it_is) return got;
  raw_ = text.substr(kUtf16LittleMark.size());
  return read_utf16(out, size);
}

bool TextSource::fill() {
  const std::size_t old = raw_.size();
  raw_.resize(old + kRawBytes);
  const std::ptrdiff_t got = read_file(raw_.data() + old, kRawBytes);
  raw_.resize(old + static_cast<std::size_t>(std::max<std::ptrdiff_t>(got, 0)));
  ended_ = got <= 0;
  return got >= 0;
}

char32_t TextSource::unit(std::size_t at) const {
  const auto first = static_cast<unsigned char>(raw_[at]);
  const auto second = static_cast<unsigned char>(raw_[at + 1]);
  return encoding_ == Encoding::utf16_little ? static_cast<char32_t>(second << 8 | first)
                                             : static_cast<char32_t>(first << 8 | second);
}

std::ptrdiff_t TextSource::read_utf16(char* out, std::size_t size) {
  std::string text;
  std::size_t at = 0;
  while (text.size() + kUtf8BytesPerUnitMax + 1 <= size) {
    if (raw_.size() - at < 4 && !ended_) {
      raw_.erase(0, at);
      at = 0;
      if (!fill()) return -1;
      continue;
    }
    if (raw_.size() - at < 2) {
      if (raw_.size() > at) append_utf8(text, 0xFFFD);  // half a character
      at = raw_.size();
      break;
    }
    const char32_t high = unit(at);
    at += 2;
    const bool is_pair =
        high >= 0xD800 && high <= 0xDBFF && raw_.size() - at >= 2 && unit(at) >= 0xDC00 && unit(at) <= 0xDFFF;
    if (!is_pair) {
      append_utf8(text, high);  // a lone surrogate becomes U+FFFD
      continue;
    }
    append_utf8(text, 0x10000 + ((high - 0xD800) << 10) + (unit(at) - 0xDC00));
    at += 2;
  }
  raw_.erase(0, at);
  std::memcpy(out, text.data(), text.size());
  return static_cast<std::ptrdiff_t>(text.size());
}

}  // namespace deft
