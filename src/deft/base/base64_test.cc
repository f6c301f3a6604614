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

}  // namespace
}  // namespace deft
