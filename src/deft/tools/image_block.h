#pragma once

#include <string_view>

#include "deft/base/json.h"

namespace deft {

// A picture as the model's API takes it.
inline JsonObject image_block(std::string_view media_type, std::string_view base64) {
  return {{"type", "image"}, {"source", {{"type", "base64"}, {"media_type", media_type}, {"data", base64}}}};
}

}  // namespace deft
