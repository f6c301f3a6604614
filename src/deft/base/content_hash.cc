#include "deft/base/content_hash.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace deft {

namespace {

constexpr std::size_t kBlockBytes = 128;
constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kRounds = 12;

using Words = std::array<std::uint64_t, 8>;

// The fractional parts of the square roots of the first eight primes.
constexpr Words kStart = {0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
                          0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179};

// Which word of the block goes where, by round; rounds 10 and 11 repeat 0 and 1.
constexpr std::uint8_t kOrder[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

std::uint64_t load_little_endian(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

inline void mix(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c, std::uint64_t& d, std::uint64_t x,
                std::uint64_t y) {
  a += b + x;
  d = std::rotr(d ^ a, 32);
  c += d;
  b = std::rotr(b ^ c, 24);
  a += b + y;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 63);
}

using Block = std::array<std::uint64_t, 16>;

template <std::size_t kRow>
[[gnu::always_inline]] inline void mix_round(Block& v, const Block& m) {
  constexpr const std::uint8_t(&s)[16] = kOrder[kRow];
  mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
  mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
  mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
  mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
  mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
  mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
  mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
  mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
}

void compress(Words& state, const char* block, std::uint64_t bytes_so_far, bool is_last) {
  Block m{};
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = load_little_endian(block + 8 * i);
  Block v{};
  for (std::size_t i = 0; i < 8; ++i) {
    v[i] = state[i];
    v[i + 8] = kStart[i];
  }
  v[12] ^= bytes_so_far;
  if (is_last) v[14] = ~v[14];
  // Spelled out for the compiler: with the order known in advance it is twice as fast.
  [&]<std::size_t... kRound>(std::index_sequence<kRound...>) {
    (mix_round<kRound % 10>(v, m), ...);
  }(std::make_index_sequence<kRounds>());
  for (std::size_t i = 0; i < 8; ++i) state[i] ^= v[i] ^ v[i + 8];
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  Words state = kStart;
  state[0] ^= 0x01010000 ^ kDigestBytes;  // no key, sequential
  std::size_t done = 0;
  for (; bytes.size() - done > kBlockBytes; done += kBlockBytes) {
    compress(state, bytes.data() + done, done + kBlockBytes, false);
  }
  std::array<char, kBlockBytes> last{};
  if (done < bytes.size()) std::memcpy(last.data(), bytes.data() + done, bytes.size() - done);
  compress(state, last.data(), bytes.size(), true);

  static constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  digits.reserve(2 * kDigestBytes);
  for (std::size_t i = 0; i < kDigestBytes; ++i) {
    const std::uint64_t byte = state[i / 8] >> (8 * (i % 8));
    digits += kDigits[(byte >> 4) & 0xF];
    digits += kDigits[byte & 0xF];
  }
  return digits;
}

}  // namespace deft
