// Makes a picture small enough to be shown: `deft-picture SIDE_POINTS_MAX BYTES_MAX <image >smaller`.
//
// A program of its own, carried inside the library and started for one picture: what a stranger's file can do to a
// decoder happens here, in a process that can only read its input, write its output and take memory. PNG, JPEG, GIF and
// WebP in, PNG or JPEG out. Of a moving picture the first frame counts. What comes out stands upright, however the
// camera was held (EXIF).

#include <cstdlib>

#include "picture/encode.h"
#include "picture/orientation.h"
#include "picture/points.h"
#include "picture/restrict.h"
#include "picture/system.h"

namespace {
constexpr int kFailure = 1;  // whoever started it knows enough: this is no picture that can be shown
}

int main(int argc, char** argv) {
  using namespace picture;
  if (argc != 3) return kFailure;
  const long side_max = std::strtol(argv[1], nullptr, 10);
  const long bytes_max = std::strtol(argv[2], nullptr, 10);
  if (side_max <= 0 || side_max > kSidePointsMax || bytes_max <= 0) return kFailure;
  if (!restrict_self()) return kFailure;

  const Bytes image = read_input();
  Points points;
  if (!decode(image, points) || !fit_into(points, static_cast<int>(side_max))) return kFailure;
  turn(points, orientation(image));
  Bytes smaller;
  if (!encode(points, static_cast<std::size_t>(bytes_max), smaller)) return kFailure;
  return write_output(smaller) ? 0 : kFailure;
}
