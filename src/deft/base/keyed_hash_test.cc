#include "deft/base/keyed_hash.h"

#include <gtest/gtest.h>

#include <set>

namespace deft {
namespace {

constexpr HashKey kKey = {0x0706050403020100, 0x0F0E0D0C0B0A0908};

std::string hex_of(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned char>(byte) >> 4];
    hex += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
}

// The first two that the algorithm's authors have published.
TEST(KeyedHash, IsSipHash) {
  EXPECT_EQ(hex_of(KeyedHash(kKey).digest()), "a3817f04ba25a8e66df67214c7550293");
  KeyedHash one(kKey);
  one.add(std::string_view("\0", 1));
  EXPECT_EQ(hex_of(one.digest()), "da87c1d86b99af44347659119b22fc45");
}

TEST(KeyedHash, PiecesCountAsTheirWhole) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += static_cast<char>(i);
  KeyedHash at_once;
  at_once.add(text);
  const std::string wanted = at_once.digest();
  for (std::size_t step = 1; step < 20; ++step) {
    KeyedHash hash;
    for (std::size_t at = 0; at < text.size(); at += step) hash.add(std::string_view(text).substr(at, step));
    EXPECT_EQ(hash.digest(), wanted) << step;
  }
}

TEST(KeyedHash, TellsContentsAndKeysApart) {
  std::set<std::string> seen;
  for (std::size_t length = 0; length < 40; ++length) {
    for (const HashKey& key : {kKey, HashKey{1, 2}}) {
      KeyedHash hash(key);
      hash.add(std::string(length, 'x'));
      EXPECT_TRUE(seen.insert(hash.digest()).second);
    }
  }
}

}  // namespace
}  // namespace deft
