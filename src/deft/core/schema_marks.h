#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace deft::schema {

// Which members of an object, or items of an array, some subschema has looked at: what unevaluatedProperties and
// unevaluatedItems ask for. By position; up to 64 need no memory.
class Marks {
 public:
  explicit Marks(std::size_t count) : count_(count), rest_(count > kBits ? (count - 1) / kBits : 0) {}

  std::size_t count() const { return count_; }
  bool has(std::size_t position) const { return ((word(position) >> (position % kBits)) & 1) != 0; }
  void set(std::size_t position) { word(position) |= std::uint64_t{1} << (position % kBits); }
  void set_all() {
    first_ = ~std::uint64_t{0};
    rest_.assign(rest_.size(), ~std::uint64_t{0});
  }
  void merge(const Marks& other) {
    first_ |= other.first_;
    for (std::size_t i = 0; i < rest_.size(); ++i) rest_[i] |= other.rest_[i];
  }

 private:
  static constexpr std::size_t kBits = 64;

  const std::uint64_t& word(std::size_t position) const {
    return position < kBits ? first_ : rest_[position / kBits - 1];
  }
  std::uint64_t& word(std::size_t position) { return position < kBits ? first_ : rest_[position / kBits - 1]; }

  std::size_t count_;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> rest_;
};

}  // namespace deft::schema
