#include "deft/lsp/framing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace deft::lsp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(LspFraming, MessagesComeOutOfPiecesOfAnySize) {
  const std::string bytes = frame("{\"a\":1}") + frame("") + frame("ä");
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    FrameReader reader;
    std::vector<std::string> bodies;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      for (std::string& body : reader.feed(std::string_view(bytes).substr(at, step))) bodies.push_back(std::move(body));
    }
    EXPECT_THAT(bodies, ElementsAre("{\"a\":1}", "", "ä")) << "in pieces of " << step;
    EXPECT_FALSE(reader.error());
  }
}

TEST(LspFraming, OtherHeaderLinesAndOtherSpellingsAreFine) {
  FrameReader reader;
  EXPECT_THAT(reader.feed("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length :  2 \r\n\r\n{}"),
              ElementsAre("{}"));
  EXPECT_THAT(reader.feed("Content-Length: 2\n\n[]"), ElementsAre("[]"));
}

TEST(LspFraming, WhatIsNoMessageEndsItAndIsShown) {
  for (const char* bytes : {"Segmentation fault\n\n", "Content-Length: -1\r\n\r\n", "Content-Length: \r\n\r\n",
                            "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "X: y\r\n\r\n", "\r\n",
                            "Content-Length: 99999999999999999999999\r\n\r\n"}) {
    FrameReader reader;
    EXPECT_THAT(reader.feed(bytes), IsEmpty()) << bytes;
    ASSERT_TRUE(reader.error()) << bytes;
    EXPECT_THAT(reader.feed(frame("{}")), IsEmpty()) << "nobody knows where a message begins";
  }
  FrameReader reader;
  reader.feed("(node:1) Warning\n\n");
  EXPECT_THAT(reader.error()->message, HasSubstr("(node:1) Warning"));
}

TEST(LspFraming, NoHeaderAndNoMessageIsLongerThanItMayBe) {
  FrameReader small({.header_bytes_max = 40, .message_bytes_max = 10});
  EXPECT_THAT(small.feed(frame("0123456789")), ElementsAre("0123456789"));
  EXPECT_THAT(small.feed("Content-Length: 11\r\n\r\n"), IsEmpty());
  EXPECT_EQ(small.error()->code, Errc::limit);

  FrameReader endless({.header_bytes_max = 40, .message_bytes_max = 10});
  EXPECT_THAT(endless.feed(std::string(1'000'000, 'x')), IsEmpty());
  EXPECT_EQ(endless.error()->code, Errc::limit);
}

}  // namespace
}  // namespace deft::lsp
