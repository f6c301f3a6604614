#pragma once

#include <optional>

#include "deft/base/clock.h"
#include "deft/base/pump.h"

namespace deft {

// What wakes a thread that waits for a pump: a descriptor of its own, made on first use.
class WakeUp {
 public:
  WakeUp() = default;
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  void prepare();  // before anybody may call wake()
  // From any thread; not lost if it comes before the wait.
  void wake() const;
  // Waits until woken, the pump is ready or its time has come, or until the deadline. True: the pump is to be advanced.
  bool wait(std::optional<TimePoint> deadline, const Pump& pump);

 private:
  int event_ = -1;
};

}  // namespace deft
