#pragma once

#include <cstddef>
#include <vector>

namespace deft {

struct Batch {
  std::size_t first = 0;
  std::size_t count = 0;
  bool safe = false;  // its calls may run side by side
  bool operator==(const Batch&) const = default;
};

// Walks the calls in order and merges neighbours that are concurrency safe; every other call is a batch of its own.
// This is what exclusive scheduling gives, and what the tests compare the scheduler with.
std::vector<Batch> partition(const std::vector<bool>& concurrency_safe);

}  // namespace deft
