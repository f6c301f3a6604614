#include "deft/base/character_table.h"

#include <iconv.h>

#include <algorithm>
#include <cerrno>

namespace deft {

namespace {

constexpr char32_t kNone = 0xFFFFFFFF;
constexpr std::uint8_t kThreeByteLead = 0x8F;
// Of the four bytes of GB18030 the second and fourth are digits. Up to here every place stands for a character of its
// own; from kPlanesPlace on they count through everything above U+FFFF.
constexpr std::size_t kFourBytePlaces = 39'420;
constexpr std::size_t kPlanesPlace = 189'000;
constexpr char32_t kPlanesFirst = 0x10000;
constexpr char32_t kCodePointMax = 0x10FFFF;

class Converter {
 public:
  Converter(const char* to, const char* from) : descriptor_(::iconv_open(to, from)) {}
  Converter(const Converter&) = delete;
  ~Converter() {
    if (good()) ::iconv_close(descriptor_);
  }
  bool good() const { return descriptor_ != reinterpret_cast<iconv_t>(-1); }

  // All of `from`, exactly, with nothing replaced. Empty: it cannot be.
  std::string_view convert(std::string_view from) {
    ::iconv(descriptor_, nullptr, nullptr, nullptr, nullptr);
    std::copy(from.begin(), from.end(), in_.begin());
    char* in = in_.data();
    char* out = out_.data();
    std::size_t in_left = from.size();
    std::size_t out_left = out_.size();
    const std::size_t replaced = ::iconv(descriptor_, &in, &in_left, &out, &out_left);
    if (replaced != 0 || in_left != 0) return {};
    // What it holds back until it has seen more belongs to a character of several code points.
    if (::iconv(descriptor_, nullptr, nullptr, &out, &out_left) != 0) return {};
    return {out_.data(), out_.size() - out_left};
  }

 private:
  iconv_t descriptor_;
  std::array<char, 8> in_ = {};
  std::array<char, 32> out_ = {};
};

std::uint8_t byte_at(std::string_view bytes, std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); }

std::size_t pair_index(std::string_view bytes, std::size_t first) {
  return std::size_t{byte_at(bytes, first)} << 8 | byte_at(bytes, first + 1);
}

bool is_digit(std::uint8_t byte) { return byte >= 0x30 && byte <= 0x39; }

std::string four_bytes(std::size_t place) {
  const auto byte = [](std::size_t value) { return static_cast<char>(static_cast<std::uint8_t>(value)); };
  return {byte(0x81 + place / 12'600), byte(0x30 + place / 1'260 % 10), byte(0x81 + place / 10 % 126),
          byte(0x30 + place % 10)};
}

std::optional<std::size_t> four_byte_place(std::string_view bytes) {
  if (bytes.size() < 4) return std::nullopt;
  const std::array<std::uint8_t, 4> b = {byte_at(bytes, 0), byte_at(bytes, 1), byte_at(bytes, 2), byte_at(bytes, 3)};
  if (b[0] < 0x81 || b[0] > 0xFE || !is_digit(b[1]) || b[2] < 0x81 || b[2] > 0xFE || !is_digit(b[3])) {
    return std::nullopt;
  }
  return (b[0] - 0x81U) * std::size_t{12'600} + (b[1] - 0x30U) * std::size_t{1'260} + (b[2] - 0x81U) * std::size_t{10} +
         (b[3] - 0x30U);
}

std::uint32_t as_number(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}

}  // namespace

class CharacterTable::Builder {
 public:
  explicit Builder(const char* name) : to_unicode_("UTF-32LE", name), from_unicode_(name, "UTF-32LE") {}

  std::unique_ptr<const CharacterTable> build() {
    if (!to_unicode_.good() || !from_unicode_.good()) return nullptr;
    std::unique_ptr<CharacterTable> table(new CharacterTable);
    back_ = &table->back_;
    if (!take_singles(table->one_)) return nullptr;
    take_pairs("", table->one_, table->two_);
    if (table->one_[kThreeByteLead] == kNone) {
      take_pairs(std::string(1, static_cast<char>(kThreeByteLead)), table->one_, table->three_);
    }
    if (code_point_of(four_bytes(0)) != kNone) {
      for (std::size_t place = 0; place < kFourBytePlaces; ++place) table->four_.push_back(take(four_bytes(place)));
    }
    std::sort(back_->begin(), back_->end());
    return table;
  }

 private:
  bool take_singles(std::array<char32_t, 256>& one) {
    for (std::size_t i = 0; i < one.size(); ++i) one[i] = take(std::string(1, static_cast<char>(i)));
    for (std::size_t i = 0; i < 0x80; ++i) {
      if (one[i] != i) return false;
    }
    return true;
  }

  void take_pairs(const std::string& before, const std::array<char32_t, 256>& one, std::vector<char32_t>& pairs) {
    pairs.assign(std::size_t{1} << 16, kNone);
    bool has_any = false;
    for (std::size_t i = 0x8000; i < pairs.size(); ++i) {
      if (one[i >> 8] != kNone) continue;
      pairs[i] = take(before + static_cast<char>(i >> 8) + static_cast<char>(i & 0xFF));
      has_any = has_any || pairs[i] != kNone;
    }
    if (!has_any) pairs.clear();
  }

  char32_t take(const std::string& bytes) {
    const char32_t code_point = code_point_of(bytes);
    if (code_point != kNone) back_->emplace_back(code_point, as_number(bytes));
    return code_point;
  }

  char32_t code_point_of(const std::string& bytes) {
    const std::string_view unicode = to_unicode_.convert(bytes);
    if (unicode.size() != 4 || from_unicode_.convert(unicode) != bytes) return kNone;
    char32_t code_point = 0;
    for (std::size_t i = 0; i < 4; ++i) code_point |= char32_t{byte_at(unicode, i)} << (8 * i);
    return code_point;
  }

  Converter to_unicode_;
  Converter from_unicode_;
  std::vector<std::pair<char32_t, std::uint32_t>>* back_ = nullptr;
};

std::unique_ptr<const CharacterTable> CharacterTable::make(const char* iconv_name) {
  return Builder(iconv_name).build();
}

std::optional<CharacterTable::Found> CharacterTable::decode(std::string_view bytes) const {
  const auto found = [](char32_t code_point, std::size_t length) {
    return code_point == kNone ? std::nullopt : std::optional(Found{code_point, length});
  };
  if (const char32_t single = one_[byte_at(bytes, 0)]; single != kNone) return found(single, 1);
  if (bytes.size() >= 2 && !two_.empty()) {
    if (const char32_t pair = two_[pair_index(bytes, 0)]; pair != kNone) return found(pair, 2);
  }
  if (!three_.empty() && bytes.size() >= 3 && byte_at(bytes, 0) == kThreeByteLead) {
    return found(three_[pair_index(bytes, 1)], 3);
  }
  const auto place = four_.empty() ? std::nullopt : four_byte_place(bytes);
  if (!place) return std::nullopt;
  if (*place < four_.size()) return found(four_[*place], 4);
  if (*place < kPlanesPlace || *place - kPlanesPlace > kCodePointMax - kPlanesFirst) return std::nullopt;
  return found(kPlanesFirst + static_cast<char32_t>(*place - kPlanesPlace), 4);
}

std::optional<std::string> CharacterTable::encode(char32_t code_point) const {
  if (code_point >= kPlanesFirst && code_point <= kCodePointMax && !four_.empty()) {
    return four_bytes(kPlanesPlace + (code_point - kPlanesFirst));
  }
  const auto found = std::lower_bound(back_.begin(), back_.end(), std::pair(code_point, std::uint32_t{0}));
  if (found == back_.end() || found->first != code_point) return std::nullopt;
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    const auto byte = static_cast<std::uint8_t>(found->second >> shift);
    if (byte != 0 || !bytes.empty() || shift == 0) bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace deft
