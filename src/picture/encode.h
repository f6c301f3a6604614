#pragma once

#include "picture/points.h"

namespace picture {

// PNG, if it fits and is no photograph; else JPEG, on white, and as coarse as it takes to fit. False: it never fits.
bool encode(const Points& points, std::size_t bytes_max, Bytes& out);

}  // namespace picture
