#include "deft/base/columns.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(Columns, AreThoseThatATerminalTakes) {
  EXPECT_EQ(count_columns(""), 0U);
  EXPECT_EQ(count_columns("make test"), 9U);
  EXPECT_EQ(count_columns("naïve — größer"), 14U);
  EXPECT_EQ(count_columns("日本語"), 6U);
  EXPECT_EQ(count_columns("한국 ok"), 7U);
  EXPECT_EQ(count_columns("😀!"), 3U);
  EXPECT_EQ(count_columns("a\u0300b"), 2U);
  EXPECT_EQ(count_columns("\xFF\xFE"), 2U) << "a byte that is no UTF-8 is one sign";
}

TEST(Columns, WhatHasNoRoomIsCutBetweenSigns) {
  EXPECT_EQ(cut_to_columns("make test", 9), "make test");
  EXPECT_EQ(cut_to_columns("make test", 8), "make te…");
  EXPECT_EQ(cut_to_columns("日本語", 6), "日本語");
  EXPECT_EQ(cut_to_columns("日本語", 5), "日本…");
  EXPECT_EQ(cut_to_columns("日本語", 4), "日…");
  EXPECT_EQ(cut_to_columns("abc", 1), "…");
  EXPECT_EQ(cut_to_columns("abc", 0), "");
}

}  // namespace
}  // namespace deft
