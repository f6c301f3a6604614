#include "deft/core/tool_discovery.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(ToolDeferral, IsWhatTheUserWants) {
  EXPECT_EQ(parse_deferral("", 200'000, false)->when, Deferral::When::when_many);
  EXPECT_EQ(parse_deferral("auto", 200'000, false)->characters_max, 80'000U);
  EXPECT_EQ(parse_deferral("auto:5", 200'000, false)->characters_max, 40'000U);
  EXPECT_EQ(parse_deferral("true", 200'000, true)->when, Deferral::When::always);
  EXPECT_TRUE(parse_deferral("true", 200'000, true)->by_reference);
  EXPECT_EQ(parse_deferral("false", 200'000, false)->when, Deferral::When::never);
  for (const char* wrong : {"yes", "auto:", "auto:x", "auto:101", "auto:5%"}) {
    EXPECT_FALSE(parse_deferral(wrong, 200'000, false)) << wrong;
  }
}

TEST(ToolDiscovery, KeepsTheOrderOfLoadingAndEachNameOnce) {
  ToolDiscovery tools;
  tools.apply({{"b", "a"}});
  tools.apply({{"a", "c"}});
  EXPECT_EQ(tools.loaded, (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_TRUE(tools.has_loaded("a"));
  EXPECT_FALSE(tools.has_loaded("d"));
}

TEST(ToolDiscovery, WhatIsLoadedOutlivesTheContextAndWhatWasToldDoesNot) {
  ToolDiscovery tools;
  tools.apply({{"a"}});
  tools.announced = {"a", "b"};
  tools.forget_context();
  EXPECT_TRUE(tools.has_loaded("a"));
  EXPECT_EQ(tools.listed, 1U);
  EXPECT_TRUE(tools.announced.empty());
}

}  // namespace
}  // namespace deft
