#pragma once

#include <cstddef>
#include <cstdint>

namespace deft::sim {

// One seed, one sequence, on every machine: the distributions of <random> differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(((next() >> 32) * limit) >> 32); }
  bool chance(std::size_t percent) { return below(100) < percent; }

 private:
  std::uint64_t next() {  // a counter, scrambled: neighbouring seeds give unrelated sequences
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
  }

  std::uint64_t state_;
};

}  // namespace deft::sim
