#include "deft/core/partition.h"

namespace deft {

std::vector<Batch> partition(const std::vector<bool>& concurrency_safe) {
  std::vector<Batch> batches;
  for (std::size_t i = 0; i < concurrency_safe.size(); ++i) {
    const bool safe = concurrency_safe[i];
    if (safe && !batches.empty() && batches.back().safe) {
      ++batches.back().count;
    } else {
      batches.push_back({.first = i, .count = 1, .safe = safe});
    }
  }
  return batches;
}

}  // namespace deft
