#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace deft {

// The beginning and the end of a text of any length, in bounded memory.
class Excerpt {
 public:
  explicit Excerpt(std::size_t bytes_max) : half_(bytes_max / 2) {}

  void add(std::string_view text);
  void clear();
  std::uint64_t size() const { return size_; }
  std::uint64_t characters() const { return characters_; }
  bool is_whole() const { return size_ <= 2 * half_; }

  // Valid UTF-8, cut between characters and, the end, if possible between lines. Neither is longer than half of what is
  // kept.
  std::string beginning(std::size_t bytes_max) const;
  std::string end(std::size_t bytes_max) const;
  std::string whole() const;  // if it is

 private:
  std::size_t half_;
  std::uint64_t size_ = 0;
  std::uint64_t characters_ = 0;
  std::string head_;
  std::string tail_;  // what follows the head; its end once it grows too long
};

}  // namespace deft
