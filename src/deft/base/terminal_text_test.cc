#include "deft/base/terminal_text.h"

#include <gtest/gtest.h>

#include "deft/testing/sim_random.h"

namespace deft {
namespace {

std::string seen(std::string_view bytes, std::size_t piece = 1'000'000) {
  TerminalText text;
  std::string out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) text.feed(bytes.substr(0, piece), out);
  return out + std::string(text.pending());
}

TEST(TerminalText, PlainTextStaysAsItIs) {
  EXPECT_EQ(seen("one\ntwo\tthree\n"), "one\ntwo\tthree\n");
  EXPECT_EQ(seen("no end"), "no end");
  EXPECT_EQ(seen("für \xE2\x82\xAC \xC2\xA0 \xFF"), "für \xE2\x82\xAC \xC2\xA0 \xFF");
}

TEST(TerminalText, AProgressBarIsItsLastState) {
  EXPECT_EQ(seen("10%\r50%\r100%\ndone\n"), "100%\ndone\n");
  EXPECT_EQ(seen("10%\r50%\r"), "50%");  // nothing has taken its place yet
  EXPECT_EQ(seen("one\r\ntwo\r\r\n"), "one\ntwo\n");
  EXPECT_EQ(seen("10%\r\x1B[K\x1B[32m20%\x1B[0m\n"), "20%\n");
}

TEST(TerminalText, EscapeSequencesAreDropped) {
  EXPECT_EQ(seen("\x1B[1;31mred\x1B[0m plain"), "red plain");
  EXPECT_EQ(seen("\x1B]0;title\atext"), "text");
  EXPECT_EQ(seen("\x1B]8;;http://x\x1B\\link\x1B]8;;\x1B\\"), "link");
  EXPECT_EQ(seen("\x1B(Btext\x1B="), "text");
  EXPECT_EQ(seen("\x1BPq#0;2\x1B\\after"), "after");
  EXPECT_EQ(seen("\x1B]cut off\nnext"), "\nnext");
  EXPECT_EQ(seen("a\xC2\x9B"
                 "1mb"),
            "a1mb");
}

TEST(TerminalText, ControlCharacters) {
  EXPECT_EQ(seen(std::string_view("a\0b", 3)),
            "a\xE2\x90\x80"
            "b");
  EXPECT_EQ(seen("b\bbo\bol\bld _\bu"), "bold u");
  EXPECT_EQ(seen("\xC3\xA4\bb"), "b");
  EXPECT_EQ(seen("a\a\f\v\x7F\x0E"
                 "b"),
            "ab");
  EXPECT_EQ(seen("\b\b\nx"), "\nx");
}

TEST(TerminalText, ALineWithoutEndIsHandedOnInBoundedMemory) {
  TerminalText text;
  std::string out;
  for (int i = 0; i < 1000; ++i) text.feed(std::string(1000, 'x'), out);
  EXPECT_LE(text.pending().size(), kLineHeldBytesMax);
  EXPECT_EQ(out.size() + text.pending().size(), 1'000'000U);
}

TEST(TerminalText, ItMakesNoDifferenceHowTheBytesArrive) {
  constexpr std::string_view kBytes = "ab\n\r\b\x1B[]m;\\P\a\xC2\x9B\xC3\xA4\t";
  sim::Random random(3);
  for (int i = 0; i < 2'000; ++i) {
    std::string bytes(random.below(100), ' ');
    for (char& byte : bytes) byte = random.below(20) == 0 ? '\0' : kBytes[random.below(kBytes.size())];
    ASSERT_EQ(seen(bytes), seen(bytes, 1 + random.below(3)));
  }
}

}  // namespace
}  // namespace deft
