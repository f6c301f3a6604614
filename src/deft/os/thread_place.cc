#include "deft/os/thread_place.h"

#include <pthread.h>

#include <cstring>

namespace deft {

void ThreadPlace::keep_off_this_processor(std::thread& sleeper) {
  const int here = ::sched_getcpu();
  if (allowed_ || here < 0 || here >= CPU_SETSIZE) return;
  cpu_set_t allowed;
  if (::pthread_getaffinity_np(sleeper.native_handle(), sizeof allowed, &allowed) != 0) return;
  cpu_set_t others = allowed;
  CPU_CLR(static_cast<unsigned>(here), &others);
  if (CPU_COUNT(&others) == 0 || CPU_EQUAL(&others, &allowed)) return;
  if (::pthread_setaffinity_np(sleeper.native_handle(), sizeof others, &others) == 0) allowed_ = allowed;
}

void ThreadPlace::release() {
  if (!allowed_) return;
  if (::pthread_setaffinity_np(::pthread_self(), sizeof *allowed_, &*allowed_) != 0) {
    // They were taken from us meanwhile: all that there are.
    cpu_set_t all;
    std::memset(&all, 0xFF, sizeof all);
    ::pthread_setaffinity_np(::pthread_self(), sizeof all, &all);
  }
  allowed_.reset();
}

}  // namespace deft
