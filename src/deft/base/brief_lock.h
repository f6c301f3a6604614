#pragma once

#include <mutex>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace deft {

// The lock of a mutex that nobody holds for long. Whoever finds it taken looks again for a moment: to sleep and to be
// woken takes as long as reading two files, on a virtual machine.
inline std::unique_lock<std::mutex> brief_lock(std::mutex& mutex) {
  constexpr int kLooksMax = 200;
  for (int i = 0; i < kLooksMax; ++i) {
    if (mutex.try_lock()) return {mutex, std::adopt_lock};
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
  }
  return std::unique_lock(mutex);
}

}  // namespace deft
