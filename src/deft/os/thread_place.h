#pragma once

#include <sched.h>

#include <optional>
#include <thread>

namespace deft {

// On which processor a sleeping thread wakes up.
//
// Kernels of virtual machines take a processor that sleeps for one that was taken away from the machine, and wake a
// thread on the processor of whoever wakes it, even if that one goes on working: then both share it, while another
// sleeps on. With two processors fifty reads took as long with a thread that helps as without.
//
// Not safe for use by two threads at once: whoever wakes and whoever is woken have a lock of their own.
class ThreadPlace {
 public:
  // The caller goes on working, so `sleeper` shall wake up on another processor, if it may use another.
  void keep_off_this_processor(std::thread& sleeper);
  // By that thread, before it does anything else: it may run wherever it might before, and so may what it starts.
  void release();
  bool is_moved() const { return allowed_.has_value(); }

 private:
  std::optional<cpu_set_t> allowed_;
};

}  // namespace deft
