#pragma once

#include "picture/system.h"

namespace picture {

inline constexpr long kSidePointsMax = 8'192;                           // of what comes out
inline constexpr std::size_t kPointsMax = std::size_t{80} * 1'000'000;  // of what goes in: 320 MB of memory

struct Points {
  int width = 0;
  int height = 0;
  Bytes rgba;                  // four bytes a point
  bool is_photograph = false;  // came as JPEG or as WebP: losses do not show
};

// False: damaged, or too large.
bool decode(const Bytes& image, Points& points);

// Scales it down until its longer side has at most so many points. False: no memory.
bool fit_into(Points& points, int side_max);

}  // namespace picture
