#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"

// Messages by seed, on a small tree of files in which paths have several names and change their meaning.

namespace deft::testing {

// In inputs and results it stands for the folder that a run works in.
inline constexpr std::string_view kRoot = "{root}";

struct PropertyCall {
  std::string id;
  std::string tool;
  Json input;
};
using PropertyMessage = std::vector<PropertyCall>;

// The same everywhere for the same seed.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class Choices>
  const auto& pick(const Choices& choices) {
    return choices[below(std::size(choices))];
  }

 private:
  std::mt19937_64 engine_;
};

// One to three messages, read and written by one session.
std::vector<PropertyMessage> random_messages(std::uint64_t seed);

// The tree that every run begins with.
void plant_tree(const std::string& folder);

// Every name below the folder with what it is: kind, mode, content or target; one line each.
std::string tree_below(const std::string& folder);

}  // namespace deft::testing
