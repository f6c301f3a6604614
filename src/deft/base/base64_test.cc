#include "deft/base/base64.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(Base64, EncodesEveryRemainderOfThree) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64(std::string_view("\xFF\xFE\x00\x01", 4)), "//4AAQ==");
}

TEST(Base64, DecodesWhatItEncodedAndNothingElse) {
  for (const std::string bytes : {"", "f", "fo", "foo", "\xFF\x01\x80"})
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  for (const char* broken : {"Zg", "Zg=", "Z===", "=Zg=", "Zm9v ", "Zm9\n", "Zg==Zg==", "Zm9*"}) {
    EXPECT_EQ(from_base64(broken), std::nullopt) << broken;
  }
}

}  // namespace
}  // namespace deft
