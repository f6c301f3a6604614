#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <utility>

#include "deft/base/json.h"
#include "deft/core/schema_program.h"

// How JSON Schema looks at values: 1 and 1.0 are the same number and both integers, the order of members is nothing.

namespace deft::schema {

// Work that one validation may still do. Spent once, it stays spent.
class StepBudget {
 public:
  explicit StepBudget(std::uint64_t steps) : left_(steps) {}
  bool spend(std::uint64_t steps) {
    if (steps > left_) {
      left_ = 0;
      return false;
    }
    left_ -= steps;
    return left_ > 0;
  }
  bool spent() const { return left_ == 0; }
  void empty() { left_ = 0; }
  std::uint64_t& left() { return left_; }

 private:
  std::uint64_t left_;
};

TypeSet types_of(const Json& value);

// Both must be numbers. Exact also between a 64-bit integer and a double.
std::strong_ordering compare_numbers(const Json& a, const Json& b);
// Decimal, as people write numbers: 0.0075 is a multiple of 0.0001. `divisor` is greater than 0.
bool is_multiple(const Json& number, const Json& divisor);

// False also when the budget is spent: whoever asks looks at the budget before believing it.
bool equal(const Json& a, const Json& b, StepBudget& budget);

// The positions of two items that are equal, if there are any.
std::optional<std::pair<std::size_t, std::size_t>> find_duplicate(const JsonArray& array, StepBudget& budget);

}  // namespace deft::schema
