#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string_view>
#include <vector>

// Machines are noisy: every figure is the fastest of several runs, and is printed as a ratio to a floor of the same
// run.

namespace bench {

inline double seconds_of(const std::function<void()>& work) {
  const auto started = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

inline double fastest(int runs, const std::function<void()>& work) {
  double best = seconds_of(work);
  for (int i = 1; i < runs; ++i) best = std::min(best, seconds_of(work));
  return best;
}

inline void print_ratio(std::string_view what, double seconds, std::string_view floor_name, double floor_seconds) {
  std::printf("%-52.*s %10.2f us   %6.2f x %.*s (%.2f us)\n", static_cast<int>(what.size()), what.data(), seconds * 1e6,
              seconds / floor_seconds, static_cast<int>(floor_name.size()), floor_name.data(), floor_seconds * 1e6);
}

}  // namespace bench
