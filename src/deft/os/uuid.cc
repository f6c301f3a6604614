#include "deft/os/uuid.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "deft/base/check.h"

namespace deft {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kUuidCharacters = 36;

bool is_dash_place(std::size_t place) { return place == 8 || place == 13 || place == 18 || place == 23; }

}  // namespace

std::string random_uuid() {
  std::array<unsigned char, 16> bytes{};
  ssize_t got = 0;
  do {
    got = ::getrandom(bytes.data(), bytes.size(), 0);
  } while (got < 0 && errno == EINTR);
  DEFT_CHECK(got == static_cast<ssize_t>(bytes.size()));
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0FU) | 0x40U);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3FU) | 0x80U);
  std::string text;
  for (const unsigned char byte : bytes) {
    if (is_dash_place(text.size())) text += '-';
    text += kHexDigits[byte >> 4U];
    text += kHexDigits[byte & 0x0FU];
  }
  return text;
}

bool is_uuid(std::string_view text) {
  if (text.size() != kUuidCharacters) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (is_dash_place(i) ? c != '-' : !is_hex) return false;
  }
  return true;
}

namespace {

constexpr std::size_t kCountedDigits = 4;

std::uint16_t counted_part(std::string_view uuid) {
  std::uint16_t number = 0;
  const std::string_view digits = uuid.substr(uuid.size() - kCountedDigits);
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number;
}

}  // namespace

std::string nth_uuid(std::string_view first, std::uint16_t n) {
  DEFT_CHECK(is_uuid(first));
  const unsigned number = (counted_part(first) + unsigned{n}) & 0xFFFFU;
  std::string uuid(first.substr(0, first.size() - kCountedDigits));
  for (int shift = 12; shift >= 0; shift -= 4) uuid += kHexDigits[(number >> static_cast<unsigned>(shift)) & 0xFU];
  return uuid;
}

std::optional<std::uint16_t> uuid_distance(std::string_view first, std::string_view uuid) {
  if (!is_uuid(first) || !is_uuid(uuid)) return std::nullopt;
  const std::size_t common = first.size() - kCountedDigits;
  if (first.substr(0, common) != uuid.substr(0, common)) return std::nullopt;
  return static_cast<std::uint16_t>(counted_part(uuid) - counted_part(first));
}

}  // namespace deft
