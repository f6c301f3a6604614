#include "deft/base/literal_search.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "deft/base/byte_rarity.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define _Bool bool  // the header is written for C
#include <sys/platform/x86.h>
#undef _Bool
#endif

// Several texts are searched for 32 bytes at a time, in the way that is known as "Teddy" (Hyperscan, Rust's
// aho-corasick): two table look-ups a byte, by shuffle instructions, say in which buckets there may be a text with
// this byte at this place. Where the first bytes all agree on a bucket, its texts are compared.

namespace deft {
namespace {

bool has_fast_shuffle() {
#if defined(__x86_64__)
  // The C library has found it out already. The compiler's own question asks the processor anew whenever the program
  // starts, and on a virtual machine each such question takes many microseconds.
  return CPU_FEATURE_ACTIVE(AVX2);
#else
  return false;
#endif
}

bool stands_at(std::string_view text, std::size_t at, std::string_view literal) {
  return literal.size() <= text.size() - at && std::memcmp(text.data() + at, literal.data(), literal.size()) == 0;
}

}  // namespace

std::optional<LiteralSearch> LiteralSearch::make(std::vector<std::string> texts) {
  if (texts.empty() || std::ranges::any_of(texts, &std::string::empty)) return std::nullopt;
  if (texts.size() > 1 && !has_fast_shuffle()) return std::nullopt;
  LiteralSearch search;
  search.texts_ = std::move(texts);
  if (search.texts_.size() > 1) {
    search.fill_buckets();
    return search;
  }
  const std::string& text = search.texts_.front();
  search.rarest_ = static_cast<std::size_t>(std::ranges::max_element(text, {}, byte_rarity) - text.begin());
  return search;
}

void LiteralSearch::fill_buckets() {
  std::ranges::sort(texts_);  // those that begin alike come into one bucket
  prefix_bytes_ = kPrefixBytesMax;
  for (const std::string& text : texts_) prefix_bytes_ = std::min(prefix_bytes_, text.size());
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const std::size_t bucket = i * kBuckets / texts_.size();
    Literal literal{.text = texts_[i]};
    const std::size_t head_bytes = std::min(sizeof literal.head, literal.text.size());
    std::memcpy(&literal.head, literal.text.data(), head_bytes);
    std::memset(&literal.head_mask, 0xFF, head_bytes);
    buckets_[bucket].push_back(std::move(literal));
    const auto bit = static_cast<std::uint8_t>(1U << bucket);
    for (std::size_t place = 0; place < prefix_bytes_; ++place) {
      const auto byte = static_cast<unsigned char>(texts_[i][place]);
      low_half_[place][byte & 0xFU] |= bit;
      high_half_[place][byte >> 4U] |= bit;
    }
  }
}

std::optional<std::size_t> LiteralSearch::find(std::string_view text, std::size_t from) const {
  return texts_.size() == 1 ? find_one(text, from) : find_any(text, from);
}

std::optional<std::size_t> LiteralSearch::find_one(std::string_view text, std::size_t from) const {
  const std::string& literal = texts_.front();
  if (text.size() < literal.size()) return std::nullopt;
  const std::size_t last = text.size() - literal.size();
  while (from <= last) {
    const void* hit = std::memchr(text.data() + from + rarest_, literal[rarest_], last - from + 1);
    if (!hit) return std::nullopt;
    from = static_cast<std::size_t>(static_cast<const char*>(hit) - text.data()) - rarest_;
    if (stands_at(text, from, literal)) return from;
    ++from;
  }
  return std::nullopt;
}

std::optional<std::size_t> LiteralSearch::find_any(std::string_view text, std::size_t from) const {
  if (const auto hit = find_any_by_blocks(text, from)) return hit;
  for (; from < text.size(); ++from) {  // what is too short for a block
    if (one_begins_here(text, from, (1U << kBuckets) - 1)) return from;
  }
  return std::nullopt;
}

bool LiteralSearch::one_begins_here(std::string_view text, std::size_t at, std::uint32_t buckets) const {
  std::uint64_t head = 0;
  std::memcpy(&head, text.data() + at, std::min(sizeof head, text.size() - at));
  for (; buckets != 0; buckets &= buckets - 1) {
    for (const Literal& literal : buckets_[static_cast<std::size_t>(std::countr_zero(buckets))]) {
      if ((head & literal.head_mask) == literal.head && stands_at(text, at, literal.text)) return true;
    }
  }
  return false;
}

#if defined(__x86_64__)
namespace {

constexpr std::size_t kBlockBytes = 32;

__attribute__((target("avx2"))) __m256i twice(const std::array<std::uint8_t, 16>& table) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data())));
}

// For each of 32 bytes the buckets that it may belong to.
__attribute__((target("avx2"))) __m256i buckets_of(__m256i bytes, __m256i low_table, __m256i high_table) {
  const __m256i nibble = _mm256_set1_epi8(0x0F);
  const __m256i low = _mm256_shuffle_epi8(low_table, _mm256_and_si256(bytes, nibble));
  const __m256i high = _mm256_shuffle_epi8(high_table, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
  return _mm256_and_si256(low, high);
}

__attribute__((target("avx2"))) __m256i load(const char* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

}  // namespace

// Moves `at` over all whole blocks, or to the hit.
__attribute__((target("avx2"))) std::optional<std::size_t> LiteralSearch::find_any_by_blocks(std::string_view text,
                                                                                             std::size_t& at) const {
  const std::size_t margin = kBlockBytes + prefix_bytes_ - 1;
  const __m256i low0 = twice(low_half_[0]);
  const __m256i high0 = twice(high_half_[0]);
  const __m256i low1 = twice(low_half_[1]);
  const __m256i high1 = twice(high_half_[1]);
  const __m256i low2 = twice(low_half_[2]);
  const __m256i high2 = twice(high_half_[2]);
  for (; at + margin <= text.size(); at += kBlockBytes) {
    const char* block = text.data() + at;
    __m256i found = buckets_of(load(block), low0, high0);
    if (prefix_bytes_ > 1) found = _mm256_and_si256(found, buckets_of(load(block + 1), low1, high1));
    if (prefix_bytes_ > 2) found = _mm256_and_si256(found, buckets_of(load(block + 2), low2, high2));
    const __m256i none = _mm256_cmpeq_epi8(found, _mm256_setzero_si256());
    auto lanes = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(none));
    if (lanes == 0) [[likely]]
      continue;
    std::array<std::uint8_t, kBlockBytes> buckets;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(buckets.data()), found);
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
      if (!one_begins_here(text, at + lane, buckets[lane])) continue;
      at += lane;
      return at;
    }
  }
  return std::nullopt;
}
#else
std::optional<std::size_t> LiteralSearch::find_any_by_blocks(std::string_view, std::size_t&) const {
  return std::nullopt;
}
#endif

}  // namespace deft
