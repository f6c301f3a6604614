#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "deft_print.h"

// `deft sessions`: what people see of what was said and done.

namespace deft::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(SessionsCommand, MarkdownHasNothingThatATerminalWouldObeyAndJsonHasEveryByte) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("\x1b]0;title\x07 red\x1b[31m, and\ta tab, and עברית")});
  ASSERT_EQ(place.run(model, {"-p", "hello\x1b[2J"}).exit_code, 0);
  const std::string markdown = place.run(model, {"sessions", "export"}).output;
  EXPECT_THAT(markdown, Not(HasSubstr("\x1b")));
  EXPECT_THAT(markdown, Not(HasSubstr("\x07")));
  EXPECT_THAT(markdown, HasSubstr("and\ta tab, and עברית"));
  EXPECT_THAT(place.run(model, {"sessions", "export", "--json"}).output, HasSubstr(R"(red\u001b[31m)"));
}

TEST(SessionsCommand, WhatNoLongerCountsIsSaidToBeSo) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("one"), anthropic_text("two"), anthropic_text("three")});
  const std::vector<Json> lines = place.lines(model, Arguments{"-p", "first"} + kStreamJson);
  const std::string uuid = text_of(of_type(lines, "assistant").at(0), "uuid");
  ASSERT_EQ(place.run(model, {"-p", "second", "-c"}).exit_code, 0);
  ASSERT_EQ(place.run(model, {"-p", "third", "-c", "--resume-session-at", uuid}).exit_code, 0);
  for (const char* command : {"show", "export"}) {
    const std::string told = place.run(model, {"sessions", command}).output;
    EXPECT_LT(told.find("two"), told.find("counts no longer: the session goes on after message 1")) << told;
  }
}

TEST(SessionsCommand, AnEmptyNameMeansNoSession) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("one")});
  ASSERT_EQ(place.run(model, {"-p", "first"}).exit_code, 0);
  EXPECT_EQ(place.run(model, {"sessions", "remove", "", "--yes"}).exit_code, 2);
  EXPECT_EQ(place.run(model, {"undo", "--session", "", "--yes"}).exit_code, 2);
  EXPECT_EQ(place.run(model, {"-p", "on", "--resume", ""}).exit_code, 1);
  EXPECT_THAT(place.run(model, {"sessions", "list"}).output, HasSubstr("first"));
}

}  // namespace
}  // namespace deft::testing
