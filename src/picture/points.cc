#include "picture/points.h"

#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_GIF
#define STBI_NO_STDIO
#define STBI_NO_THREAD_LOCALS
#include <stb/stb_image.h>
#define STB_IMAGE_RESIZE_STATIC
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb/stb_image_resize.h>
#pragma GCC diagnostic pop

namespace picture {

namespace {

constexpr int kChannels = 4;
constexpr int kAlphaChannel = 3;

struct Free {
  void operator()(std::uint8_t* memory) const { std::free(memory); }
};
using Decoded = std::unique_ptr<std::uint8_t, Free>;

std::size_t count(int width, int height) { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }

bool is_too_large(int width, int height) { return width <= 0 || height <= 0 || count(width, height) > kPointsMax; }

bool take(Decoded decoded, int width, int height, Points& points) {
  if (!decoded) return false;
  points.width = width;
  points.height = height;
  points.rgba.assign(decoded.get(), decoded.get() + count(width, height) * kChannels);
  return true;
}

bool is_webp(const Bytes& image) {
  constexpr std::size_t kHeaderBytes = 12;
  const std::string_view start(reinterpret_cast<const char*>(image.data()), std::min(image.size(), kHeaderBytes));
  return start.size() == kHeaderBytes && start.starts_with("RIFF") && start.substr(8) == "WEBP";
}

bool decode_webp(const std::uint8_t* bytes, std::size_t size, Points& points) {
  int width = 0;
  int height = 0;
  if (WebPGetInfo(bytes, size, &width, &height) == 0) return false;
  if (is_too_large(width, height)) return false;
  // libwebp's own release function is free().
  return take(Decoded(WebPDecodeRGBA(bytes, size, &width, &height)), width, height, points);
}

bool decode_webp_frame(const Bytes& image, Points& points) {
  const WebPData data{image.data(), image.size()};
  const std::unique_ptr<WebPDemuxer, void (*)(WebPDemuxer*)> demuxer(WebPDemux(&data), &WebPDemuxDelete);
  WebPIterator frame{};
  if (!demuxer || WebPDemuxGetFrame(demuxer.get(), 1, &frame) == 0) return false;
  const bool result = decode_webp(frame.fragment.bytes, frame.fragment.size, points);
  WebPDemuxReleaseIterator(&frame);
  return result;
}

}  // namespace

bool decode(const Bytes& image, Points& points) {
  if (is_webp(image)) {
    points.is_photograph = true;
    return decode_webp_frame(image, points);
  }
  points.is_photograph = !image.empty() && image[0] == 0xFF;  // JPEG
  const int size = static_cast<int>(image.size());
  int width = 0;
  int height = 0;
  int channels = 0;
  if (stbi_info_from_memory(image.data(), size, &width, &height, &channels) == 0) return false;
  if (is_too_large(width, height)) return false;
  // Of a GIF this is the first frame.
  Decoded decoded(stbi_load_from_memory(image.data(), size, &width, &height, &channels, kChannels));
  return take(std::move(decoded), width, height, points);
}

bool fit_into(Points& points, int side_max) {
  const int side = std::max(points.width, points.height);
  if (side <= side_max) return true;
  const auto scaled = [&](int length) {
    const auto wide = static_cast<std::int64_t>(length) * side_max;
    return static_cast<int>(std::max<std::int64_t>(1, (wide + side / 2) / side));
  };
  Points smaller{.width = scaled(points.width), .height = scaled(points.height), .is_photograph = points.is_photograph};
  smaller.rgba.resize(count(smaller.width, smaller.height) * kChannels);
  const int done = stbir_resize_uint8_srgb(points.rgba.data(), points.width, points.height, 0, smaller.rgba.data(),
                                           smaller.width, smaller.height, 0, kChannels, kAlphaChannel, 0);
  points = std::move(smaller);
  return done != 0;
}

}  // namespace picture
