#include "deft/base/byte_runs.h"

#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace deft {
namespace {

bool is_ascii(std::uint8_t byte) { return byte < 0x80; }
bool is_printable(std::uint8_t byte) { return static_cast<std::uint8_t>(byte - 0x20) < 0x7F - 0x20; }
bool is_json_plain(std::uint8_t byte) { return is_printable(byte) && byte != '"' && byte != '\\'; }

#ifdef __SSE2__
// A bit for each of sixteen bytes that are not wanted. Compared as signed numbers, what is above 127 is below zero.
__m128i not_ascii(__m128i bytes) { return bytes; }  // the bit is its highest
__m128i not_printable(__m128i bytes) {
  const __m128i is_low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
  return _mm_or_si128(is_low, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F)));
}
__m128i not_json_plain(__m128i bytes) {
  const __m128i is_quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  const __m128i is_backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  return _mm_or_si128(not_printable(bytes), _mm_or_si128(is_quote, is_backslash));
}

template <class Unwanted, class IsWanted>
std::size_t run_of(std::string_view text, const Unwanted& unwanted, const IsWanted& is_wanted) {
  std::size_t count = 0;
  for (; count + sizeof(__m128i) <= text.size(); count += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + count));
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(unwanted(bytes)));
    if (found != 0) return count + static_cast<std::size_t>(std::countr_zero(found));
  }
  while (count < text.size() && is_wanted(static_cast<std::uint8_t>(text[count]))) ++count;
  return count;
}
#else
constexpr auto not_printable = nullptr;
constexpr auto not_json_plain = nullptr;

template <class IsWanted>
std::size_t run_of(std::string_view text, std::nullptr_t, const IsWanted& is_wanted) {
  std::size_t count = 0;
  while (count < text.size() && is_wanted(static_cast<std::uint8_t>(text[count]))) ++count;
  return count;
}
#endif

}  // namespace

#ifdef __SSE2__
std::size_t ascii_run(std::string_view text) { return run_of(text, not_ascii, is_ascii); }
#else
// Eight at a time.
std::size_t ascii_run(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::size_t count = 0;
  for (std::uint64_t word = 0; count + sizeof word <= text.size(); count += sizeof word) {
    std::memcpy(&word, text.data() + count, sizeof word);
    if ((word & kHighBits) != 0) break;
  }
  while (count < text.size() && is_ascii(static_cast<std::uint8_t>(text[count]))) ++count;
  return count;
}
#endif

std::size_t printable_run(std::string_view text) { return run_of(text, not_printable, is_printable); }

std::size_t json_plain_run(std::string_view text) { return run_of(text, not_json_plain, is_json_plain); }

}  // namespace deft
