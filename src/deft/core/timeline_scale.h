#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "deft/core/timeline.h"

namespace deft {

// Where on a line a moment is. Long times in which nothing happened (a person was away) are cut out, so that what
// happened can be seen: each such cut is a short piece of its own.
class TimelineScale {
 public:
  TimelineScale(const Timeline& timeline, double width);

  double at(std::int64_t us) const;  // 0 to width
  struct Cut {
    double from = 0;
    double to = 0;
    std::int64_t length_us = 0;
  };
  std::vector<Cut> cuts() const;
  struct Tick {
    double at = 0;
    std::string label;  // since the begin, without what was cut out
  };
  std::vector<Tick> ticks(std::size_t about) const;
  std::int64_t active_us() const { return active_us_; }

 private:
  struct Piece {
    TimelineSpan span;
    double from = 0;
    double to = 0;
    bool is_cut = false;
  };
  std::vector<Piece> pieces_;
  std::int64_t active_us_ = 0;
};

}  // namespace deft
