#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "deft/core/timeline.h"

namespace deft {

// A row of the picture: the requests of an agent, or a call. What a subagent did stands below the call that started it.
struct TimelineRow {
  std::string agent;                   // id; empty: the main agent
  const TimelineCall* call = nullptr;  // nothing: its requests
  std::size_t depth = 0;               // 1: of a subagent, 2: of one that a subagent has started …
  bool is_below_starter = false;       // the call that started its agent stands above it
};
// In the order in which they are drawn. Points into the timeline.
std::vector<TimelineRow> timeline_rows(const Timeline& timeline);

}  // namespace deft
