#include "picture/orientation.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace picture {

namespace {

constexpr int kUpright = 1;
constexpr std::size_t kChannels = 4;
constexpr unsigned kOrientationTag = 0x0112;

// A part of the picture; reading beyond its end gives zeros.
class View {
 public:
  View(const std::uint8_t* bytes, std::size_t size) : bytes_(bytes), size_(size) {}
  std::size_t size() const { return size_; }
  View from(std::size_t at, std::size_t count) const {
    if (at >= size_) return {bytes_, 0};
    return {bytes_ + at, std::min(count, size_ - at)};
  }
  bool starts_with(std::string_view text) const {
    return size_ >= text.size() && std::equal(text.begin(), text.end(), bytes_,
                                              [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
  }
  unsigned byte(std::size_t at) const { return at < size_ ? bytes_[at] : 0; }
  std::size_t number(std::size_t at, int bytes, bool big_endian) const {
    std::size_t value = 0;
    for (int i = 0; i < bytes; ++i) {
      const std::size_t next = at + static_cast<std::size_t>(big_endian ? i : bytes - 1 - i);
      value = (value << 8) | byte(next);
    }
    return value;
  }

 private:
  const std::uint8_t* bytes_;
  std::size_t size_;
};

// A TIFF header and its first directory: entries of tag, type, count and value, 12 bytes each.
int of_tiff(View tiff) {
  const bool big_endian = tiff.starts_with("MM");
  if (!big_endian && !tiff.starts_with("II")) return kUpright;
  const std::size_t directory = tiff.number(4, 4, big_endian);
  const std::size_t entries = tiff.number(directory, 2, big_endian);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (entry >= tiff.size()) break;
    if (tiff.number(entry, 2, big_endian) != kOrientationTag) continue;
    const std::size_t value = tiff.number(entry + 8, 2, big_endian);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : kUpright;
  }
  return kUpright;
}

int of_exif(View exif) {
  constexpr std::string_view kName("Exif\0\0", 6);
  return of_tiff(exif.starts_with(kName) ? exif.from(kName.size(), exif.size()) : exif);
}

// Segments: FF, kind, length with itself. The picture itself begins at the "start of scan".
int of_jpeg(View jpeg) {
  constexpr unsigned kExifSegment = 0xE1, kStartOfScan = 0xDA;
  for (std::size_t at = 2; at + 4 <= jpeg.size() && jpeg.byte(at) == 0xFF;) {
    const unsigned kind = jpeg.byte(at + 1);
    if (kind == 0xFF) {  // padding
      ++at;
      continue;
    }
    const std::size_t length = jpeg.number(at + 2, 2, true);
    if (kind == kStartOfScan || length < 2) break;
    const View content = jpeg.from(at + 4, length - 2);
    if (kind == kExifSegment && content.starts_with("Exif")) return of_exif(content);
    at += 2 + length;
  }
  return kUpright;
}

// Chunks of a length and a name in PNG, of a name and a length in WebP.
int of_chunks(View image, std::size_t at, std::string_view wanted, bool is_png) {
  while (at + 8 <= image.size()) {
    const std::size_t length = image.number(is_png ? at : at + 4, 4, is_png);
    const View name = image.from(is_png ? at + 4 : at, 4);
    if (name.starts_with(wanted)) return of_exif(image.from(at + 8, length));
    at += 8 + length + (is_png ? 4 : length % 2);  // a checksum; padding
  }
  return kUpright;
}

}  // namespace

int orientation(const Bytes& image) {
  const View view(image.data(), image.size());
  if (view.starts_with("\xFF\xD8")) return of_jpeg(view);
  if (view.starts_with("\x89PNG\r\n\x1A\n")) return of_chunks(view, 8, "eXIf", true);
  if (view.starts_with("RIFF") && view.from(8, 4).starts_with("WEBP")) return of_chunks(view, 12, "EXIF", false);
  return kUpright;
}

void turn(Points& points, int orientation) {
  if (orientation <= kUpright || orientation > 8) return;
  const bool swaps_sides = orientation >= 5;
  const auto width = static_cast<std::size_t>(points.width);
  const auto height = static_cast<std::size_t>(points.height);
  Points turned{.width = swaps_sides ? points.height : points.width,
                .height = swaps_sides ? points.width : points.height,
                .is_photograph = points.is_photograph};
  turned.rgba.resize(points.rgba.size());
  const auto turned_width = static_cast<std::size_t>(turned.width);
  const auto turned_height = static_cast<std::size_t>(turned.height);
  for (std::size_t y = 0; y < turned_height; ++y) {
    for (std::size_t x = 0; x < turned_width; ++x) {
      // Where the point comes from: what the standard calls row and column 0, seen from the upright picture.
      std::size_t from_x = swaps_sides ? y : x;
      std::size_t from_y = swaps_sides ? x : y;
      const bool mirrors_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
      const bool mirrors_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
      if (mirrors_x) from_x = width - 1 - from_x;
      if (mirrors_y) from_y = height - 1 - from_y;
      std::copy_n(points.rgba.begin() + static_cast<std::ptrdiff_t>((from_y * width + from_x) * kChannels), kChannels,
                  turned.rgba.begin() + static_cast<std::ptrdiff_t>((y * turned_width + x) * kChannels));
    }
  }
  points = std::move(turned);
}

}  // namespace picture
