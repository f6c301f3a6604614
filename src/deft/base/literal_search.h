#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deft {

// Finds the next occurrence of any of some texts. Immutable, for any number of threads.
class LiteralSearch {
 public:
  // Nothing if there is no way that is fast: several texts take vector instructions that not every machine has.
  static std::optional<LiteralSearch> make(std::vector<std::string> texts);

  // Where the first occurrence at `from` or later begins.
  std::optional<std::size_t> find(std::string_view text, std::size_t from) const;

 private:
  LiteralSearch() = default;
  std::optional<std::size_t> find_one(std::string_view text, std::size_t from) const;
  std::optional<std::size_t> find_any(std::string_view text, std::size_t from) const;
  std::optional<std::size_t> find_any_by_blocks(std::string_view text, std::size_t& at) const;
  bool one_begins_here(std::string_view text, std::size_t at, std::uint32_t buckets) const;
  void fill_buckets();

  // A text with its first bytes as a number: most comparisons end there.
  struct Literal {
    std::string text;
    std::uint64_t head = 0;
    std::uint64_t head_mask = 0;
  };

  static constexpr std::size_t kBuckets = 8;
  static constexpr std::size_t kPrefixBytesMax = 3;

  std::vector<std::string> texts_;
  // One text: the place of its rarest byte in it.
  std::size_t rarest_ = 0;
  // Several: each belongs to a bucket, and for each of the first bytes and each value that half of such a byte can
  // have, these bits say which buckets have a text with such a byte there.
  std::size_t prefix_bytes_ = 0;
  std::array<std::vector<Literal>, kBuckets> buckets_;
  std::array<std::array<std::uint8_t, 16>, kPrefixBytesMax> low_half_{};
  std::array<std::array<std::uint8_t, 16>, kPrefixBytesMax> high_half_{};
};

}  // namespace deft
