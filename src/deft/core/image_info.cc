#include "deft/core/image_info.h"

#include <cstddef>

namespace deft {

namespace {

using namespace std::string_view_literals;

struct Size {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// A number of `count` bytes; 0 beyond the end, which makes the size 0 as well.
std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  if (at + count > bytes.size()) return 0;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < count; ++i) number = (number << 8) | static_cast<std::uint8_t>(bytes[at + i]);
  return number;
}

std::uint32_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  if (at + count > bytes.size()) return 0;
  std::uint32_t number = 0;
  for (std::size_t i = count; i > 0; --i) number = (number << 8) | static_cast<std::uint8_t>(bytes[at + i - 1]);
  return number;
}

Size png_size(std::string_view bytes) {
  if (bytes.substr(12, 4) != "IHDR") return {};
  return {big_endian(bytes, 16, 4), big_endian(bytes, 20, 4)};
}

// Segment by segment to the one that begins a frame.
Size jpeg_size(std::string_view bytes) {
  for (std::size_t at = 2; at + 4 <= bytes.size();) {
    if (bytes[at] != '\xFF') return {};
    const std::uint32_t marker = big_endian(bytes, at + 1, 1);
    if (marker == 0xFF) {  // padding
      ++at;
      continue;
    }
    const bool begins_frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (begins_frame) return {big_endian(bytes, at + 7, 2), big_endian(bytes, at + 5, 2)};
    const bool ends_header = marker == 0xDA || marker == 0xD9;
    const std::uint32_t length = big_endian(bytes, at + 2, 2);
    if (ends_header || length < 2) return {};
    at += 2 + length;
  }
  return {};
}

Size webp_size(std::string_view bytes) {
  const std::string_view kind = bytes.substr(12, 4);
  if (kind == "VP8X") return {little_endian(bytes, 24, 3) + 1, little_endian(bytes, 27, 3) + 1};
  if (kind == "VP8L") {
    const std::uint32_t bits = little_endian(bytes, 21, 4);
    return {(bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1};
  }
  if (kind == "VP8 ") return {little_endian(bytes, 26, 2) & 0x3FFF, little_endian(bytes, 28, 2) & 0x3FFF};
  return {};
}

}  // namespace

std::optional<ImageInfo> image_info(std::string_view bytes) {
  const auto with = [](std::string_view type, Size size) { return ImageInfo{type, size.width, size.height}; };
  constexpr std::size_t kWebpHeaderBytes = 30;
  if (bytes.starts_with("\x89PNG\r\n\x1A\n"sv)) return with("image/png", bytes.size() < 24 ? Size{} : png_size(bytes));
  if (bytes.starts_with("\xFF\xD8\xFF"sv)) return with("image/jpeg", jpeg_size(bytes));
  if (bytes.starts_with("GIF87a"sv) || bytes.starts_with("GIF89a"sv)) {
    return with("image/gif", {little_endian(bytes, 6, 2), little_endian(bytes, 8, 2)});
  }
  if (bytes.starts_with("RIFF"sv) && bytes.size() > 12 && bytes.substr(8, 4) == "WEBP") {
    return with("image/webp", bytes.size() < kWebpHeaderBytes ? Size{} : webp_size(bytes));
  }
  return std::nullopt;
}

}  // namespace deft
