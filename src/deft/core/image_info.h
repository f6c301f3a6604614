#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace deft {

struct ImageInfo {
  std::string_view media_type;  // "image/png", "image/jpeg", "image/gif", "image/webp"
  std::uint32_t width = 0;      // 0: the header is damaged
  std::uint32_t height = 0;
};

// Judged by the first bytes alone, whatever the file is called. Nothing: no image of these four kinds. Decodes nothing.
std::optional<ImageInfo> image_info(std::string_view bytes);

}  // namespace deft
