#pragma once

#include "deft/core/timeline.h"

namespace deft {

// Is told when something of a session has ended (agent/timeline_recorder.h). From any thread; returns at once.
class TimelineSink {
 public:
  virtual ~TimelineSink() = default;
  virtual void ended(const TimelineCall& call) = 0;
  virtual void ended(const TimelineRequest& request) = 0;
  virtual void ended(const TimelineTurn& turn) = 0;
};

}  // namespace deft
