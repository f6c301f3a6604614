#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace deft::testing {

// Calls `check` with seed after seed, several at once, so that each is disturbed by others. What it returns, if
// anything, is wrong with that seed, and fails the test.
// DEFT_PROPERTY_RUNS says how many are tried, DEFT_PROPERTY_SEED with which one to begin.
void for_every_seed(const std::function<std::string(std::uint64_t)>& check, std::size_t runs_default = 120);

}  // namespace deft::testing
