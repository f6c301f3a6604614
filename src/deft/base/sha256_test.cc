#include "deft/base/sha256.h"

#include <gtest/gtest.h>

#include "deft/base/base64.h"

namespace deft {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += kDigits[static_cast<unsigned char>(byte) >> 4];
    out += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return out;
}

TEST(Sha256, GivesTheValuesOfTheStandard) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, TheExampleOfPkceHolds) {  // RFC 7636, appendix B
  EXPECT_EQ(to_base64(sha256("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM=");
}

}  // namespace
}  // namespace deft
