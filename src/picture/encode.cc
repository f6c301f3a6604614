#include "picture/encode.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace picture {

namespace {

constexpr int kChannels = 4;
constexpr int kQualities[] = {85, 70, 50, 30};

void append(void* out, void* data, int size) {
  auto& bytes = *static_cast<Bytes*>(out);
  const auto* begin = static_cast<const std::uint8_t*>(data);
  bytes.insert(bytes.end(), begin, begin + size);
}

bool is_opaque(const Points& points) {
  for (std::size_t i = 3; i < points.rgba.size(); i += kChannels) {
    if (points.rgba[i] != 0xFF) return false;
  }
  return true;
}

// JPEG knows no transparency.
Bytes on_white(const Points& points) {
  Bytes rgb;
  rgb.reserve(points.rgba.size() / kChannels * 3);
  for (std::size_t i = 0; i < points.rgba.size(); i += kChannels) {
    const unsigned alpha = points.rgba[i + 3];
    for (std::size_t channel = 0; channel < 3; ++channel) {
      rgb.push_back(static_cast<std::uint8_t>((points.rgba[i + channel] * alpha + 255U * (255U - alpha)) / 255U));
    }
  }
  return rgb;
}

}  // namespace

bool encode(const Points& points, std::size_t bytes_max, Bytes& out) {
  if (!points.is_photograph || !is_opaque(points)) {
    const int written =
        stbi_write_png_to_func(append, &out, points.width, points.height, kChannels, points.rgba.data(), 0);
    if (written != 0 && out.size() <= bytes_max) return true;
  }
  const Bytes rgb = on_white(points);
  for (const int quality : kQualities) {
    out.clear();
    const int written = stbi_write_jpg_to_func(append, &out, points.width, points.height, 3, rgb.data(), quality);
    if (written != 0 && out.size() <= bytes_max) return true;
  }
  return false;
}

}  // namespace picture
