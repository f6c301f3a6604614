#include "deft/base/closing_tag.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(ClosingTag, WordsDoNotEndTheirOwnTag) {
  EXPECT_EQ(without_closing_tag("plain words", "page"), "plain words");
  EXPECT_EQ(without_closing_tag("a</page>b", "page"), "a&lt;/page>b");
  EXPECT_EQ(without_closing_tag("</PaGe ></page\n></page></page>", "page"),
            "&lt;/PaGe >&lt;/page\n>&lt;/page>&lt;/page>");
  EXPECT_EQ(without_closing_tag("</message></pag", "page"), "</message></pag");
  EXPECT_EQ(without_closing_tag("", "page"), "");
}

}  // namespace
}  // namespace deft
