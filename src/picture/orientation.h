#pragma once

#include "picture/points.h"

namespace picture {

// How a camera was held, as it noted in the picture (EXIF, in JPEG, PNG and WebP): 1 is upright, and so is what cannot
// be read. The numbers are those of the standard, 1 to 8.
int orientation(const Bytes& image);

// Puts it upright.
void turn(Points& points, int orientation);

}  // namespace picture
