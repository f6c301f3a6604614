#pragma once

#include <optional>

#include "deft/base/clock.h"

namespace deft {

// Something that goes on when a descriptor is ready or a time has come, on the thread of whoever waits (Mailbox::pop):
// a thread of its own would have to be woken first, and would then wake the one that waits.
class Pump {
 public:
  virtual ~Pump() = default;
  virtual int descriptor() const = 0;  // -1: none now
  virtual short events() const = 0;    // as of poll(2)
  virtual std::optional<TimePoint> deadline() const = 0;
  virtual void advance() = 0;  // does some of what can be done without waiting
  // There is more of that for all it knows: nobody needs to wait before the next advance().
  virtual bool has_more() const { return false; }
};

}  // namespace deft
