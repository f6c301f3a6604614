#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deft {

// One of the encodings in which a character takes one to four bytes and its length follows from the first two, as a
// table both ways. Made once from what the system's iconv knows; then it never changes, and any thread may use it.
//
// Only what comes back as the same bytes counts as a character: then decoding and encoding a text changes nothing.
class CharacterTable {
 public:
  // By the name that iconv(3) knows. Nothing: the system does not have it, or ASCII means something else in it.
  static std::unique_ptr<const CharacterTable> make(const char* iconv_name);

  struct Found {
    char32_t code_point = 0;
    std::size_t bytes = 0;
  };
  // The character at the start of `bytes`, which are not empty. Nothing: there is none.
  std::optional<Found> decode(std::string_view bytes) const;
  // The bytes of a character. Nothing: the encoding lacks it.
  std::optional<std::string> encode(char32_t code_point) const;

 private:
  class Builder;
  CharacterTable() = default;

  // By their bytes; kNone where there is no character. The larger ones are empty where the encoding has none.
  std::array<char32_t, 256> one_ = {};
  std::vector<char32_t> two_;
  std::vector<char32_t> three_;                           // after 0x8F, as in EUC-JP
  std::vector<char32_t> four_;                            // of GB18030, by their place in its order
  std::vector<std::pair<char32_t, std::uint32_t>> back_;  // sorted; the bytes as a number, the first one highest
};

}  // namespace deft
