#include "deft/core/line_throttle.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using namespace std::chrono_literals;

TimePoint at(Duration time) { return TimePoint(time); }

std::string shown(const std::optional<LineThrottle::Batch>& batch) {
  if (!batch) return "nothing";
  std::string text;
  for (const std::string& line : batch->lines) text += (text.empty() ? "" : "|") + line;
  return batch->left_out == 0 ? text : text + " +" + std::to_string(batch->left_out);
}

TEST(LineThrottle, LinesThatComeTogetherAreOneEvent) {
  LineThrottle throttle;
  EXPECT_EQ(throttle.ready_at(), std::nullopt);
  throttle.add("one\ntw", at(1s));
  throttle.add("o\n\n", at(1s + 100ms));
  EXPECT_EQ(throttle.ready_at(), at(1s + 200ms));
  EXPECT_EQ(shown(throttle.take(at(1s + 199ms))), "nothing");
  EXPECT_EQ(shown(throttle.take(at(1s + 200ms))), "one|two");
  EXPECT_EQ(throttle.ready_at(), std::nullopt);
}

TEST(LineThrottle, WhatGoesOnAndOnIsToldEverMoreRarely) {
  LineThrottle throttle;
  std::vector<std::int64_t> events;
  for (std::int64_t ms = 0; ms < 120'000; ms += 10) {
    throttle.add("tick\n", at(std::chrono::milliseconds(ms)));
    if (throttle.take(at(std::chrono::milliseconds(ms)))) events.push_back(ms);
  }
  EXPECT_EQ(events, (std::vector<std::int64_t>{200, 410, 810, 1610, 3210, 6410, 12810, 25610, 51210, 81210, 111210}));
}

TEST(LineThrottle, AfterAQuietTimeItIsQuickAgain) {
  LineThrottle throttle;
  for (std::int64_t ms = 0; ms < 20'000; ms += 10) {
    throttle.add("tick\n", at(std::chrono::milliseconds(ms)));
    throttle.take(at(std::chrono::milliseconds(ms)));
  }
  throttle.take(at(100s));
  throttle.add("after a while\n", at(300s));
  EXPECT_EQ(shown(throttle.take(at(300s + 200ms))), "after a while");
  throttle.add("and more\n", at(301s));
  EXPECT_EQ(throttle.ready_at(), at(301s + 200ms));
}

TEST(LineThrottle, KeepsTheNewestLinesAndCountsTheRest) {
  LineThrottle throttle;
  for (int i = 0; i < 25; ++i) throttle.add("line " + std::to_string(i) + "\n", at(0s));
  const auto batch = throttle.take(at(1s));
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->lines.size(), kEventLinesMax);
  EXPECT_EQ(batch->lines.front(), "line 5");
  EXPECT_EQ(batch->left_out, 5U);
}

TEST(LineThrottle, CleansAndBoundsWhatItIsGiven) {
  LineThrottle throttle;
  throttle.add("\x1b[31mred\x1b[0m 10%\r\x1b[K20%\n\xff\xfe\n", at(0s));
  throttle.add(std::string(1'000'000, 'x'), at(0s));
  throttle.add("\nlast", at(0s));
  const auto batch = throttle.take(at(1s));
  ASSERT_TRUE(batch && batch->lines.size() == 3U);
  EXPECT_EQ(batch->lines[0], "20%");
  EXPECT_EQ(batch->lines[1], "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_LE(batch->lines[2].size(), kEventLineCharactersMax + 4);
  EXPECT_EQ(shown(throttle.finish()), "last") << "also one that did not end";
  EXPECT_EQ(shown(throttle.finish()), "nothing");
}

}  // namespace
}  // namespace deft
