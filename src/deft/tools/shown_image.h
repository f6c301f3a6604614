#pragma once

#include <cstddef>
#include <string>

#include "deft/core/image_info.h"
#include "deft/tools/tool.h"

// A picture as it is shown to the model: within what the model's API takes, and no larger than it looks at.

namespace deft {

// What the API takes: the picture in base64, and its longer side.
inline constexpr std::size_t kImageBase64BytesMax = std::size_t{5} << 20;
inline constexpr std::size_t kImageSidePointsMax = 8'000;
inline constexpr std::size_t kImageBytesMax = kImageBase64BytesMax / 4 * 3;
// Beyond this side a model sees no more: the API would scale it down itself, and count what was sent.
inline constexpr std::size_t kImageShownSidePointsMax = 1'568;
inline constexpr std::size_t kImageDecodedPointsMax = 80'000'000;

struct ShownImage {
  std::string bytes;
  ImageInfo info;  // of these bytes
};

// The bytes as they are if they are small enough; else the picture scaled down, as PNG or JPEG. `subject` names it in
// messages. Errors: `unsupported` if it is damaged; `limit` if it is too large to be decoded; `cancelled`.
Result<ShownImage> shown_image(std::string bytes, const ImageInfo& info, const std::string& subject, ToolIo& io);

}  // namespace deft
