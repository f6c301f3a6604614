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
  bool is_whole() const { return size_ <= 2 * half_; }

  // Both valid UTF-8, cut between characters and, the end, if possible between lines. Of a whole one they are the
  // halves of it.
  std::string beginning() const;
  std::string end() const;
  std::string whole() const;
  // The last lines only.
  std::string last_lines(std::size_t bytes_max) const;
  std::uint64_t left_out() const;  // bytes that neither shows

 private:
  std::string_view end_bytes() const;

  std::size_t half_;
  std::uint64_t size_ = 0;
  std::string head_;
  std::string tail_;  // what follows the head; its end once it grows too long
};

}  // namespace deft
