#include "deft/base/sse.h"

#include <gtest/gtest.h>

#include <random>

namespace deft {
namespace {

// What these bytes bring.
std::string fed(SseReader& reader, std::string_view bytes) {
  std::string out;
  reader.feed(bytes, [&](const SseEvent& event) {
    out += "[" + event.event + "|" + event.data + "|" + event.id;
    if (event.retry) out += "|" + std::to_string(*event.retry);
    out += "]";
  });
  return out;
}

std::string read_whole(std::string_view bytes) {
  SseReader reader;
  return fed(reader, bytes);
}

std::string read_byte_by_byte(std::string_view bytes) {
  SseReader reader;
  std::string out;
  for (const char byte : bytes) out += fed(reader, {&byte, 1});
  return out;
}

TEST(Sse, AnEventIsItsNameAndItsDataLinesJoinedByNewlines) {
  EXPECT_EQ(read_whole("event: add\ndata: one\ndata: two\n\n"), "[add|one\ntwo|]");
  EXPECT_EQ(read_whole("data: a\n\ndata: b\n\n"), "[|a|][|b|]");
}

TEST(Sse, OnlyOneSpaceAfterTheColonIsDropped) { EXPECT_EQ(read_whole("data:a\n\ndata:  b\n\n"), "[|a|][| b|]"); }

TEST(Sse, CommentsAndUnknownFieldsAreIgnored) {
  EXPECT_EQ(read_whole(": keep-alive\n\nhello: x\n data: y\ndata: z\n\n"), "[|z|]");
}

TEST(Sse, AFieldWithoutColonIsAFieldWithEmptyValue) { EXPECT_EQ(read_whole("data\n\ndata\ndata\n\n"), "[||][|\n|]"); }

TEST(Sse, AnEventWithoutDataIsNoEventAndItsNameIsForgotten) {
  EXPECT_EQ(read_whole("event: lost\n\ndata: x\n\n"), "[|x|]");
}

TEST(Sse, AllThreeLineEndsCountAlsoMixed) {
  EXPECT_EQ(read_whole("data: a\r\rdata: b\r\n\r\ndata: c\n\ndata: d\r\n\n"), "[|a|][|b|][|c|][|d|]");
}

TEST(Sse, ACarriageReturnAndItsNewlineAreOneLineEnd) {
  EXPECT_EQ(read_whole("event: e\r\ndata: a\r\ndata: b\r\n\r\n"), "[e|a\nb|]");
  EXPECT_EQ(read_byte_by_byte("event: e\r\ndata: a\r\ndata: b\r\n\r\n"), "[e|a\nb|]");
}

TEST(Sse, ACarriageReturnEndsTheLineAtOnceAndItsNewlineMayComeLater) {
  SseReader reader;
  EXPECT_EQ(fed(reader, "data: a\r"), "");
  EXPECT_EQ(fed(reader, "\n\r"), "[|a|]");
  EXPECT_EQ(fed(reader, "\ndata: b\r\n\r\n"), "[|b|]");
}

TEST(Sse, AByteOrderMarkIsDroppedOnlyAtTheStartOfTheStream) {
  const std::string bytes =
      "\xEF\xBB\xBF"
      "data: a\n\n\xEF\xBB\xBF"
      "data: b\n\n";
  EXPECT_EQ(read_whole(bytes), "[|a|]");
  EXPECT_EQ(read_byte_by_byte(bytes), "[|a|]");
}

TEST(Sse, TheLastIdStaysUntilAnotherComes) {
  EXPECT_EQ(read_whole("id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n"), "[|a|1][|b|1][|c|]");
}

TEST(Sse, AnIdWithNulOrOfHugeLengthIsIgnored) {
  using namespace std::string_literals;
  EXPECT_EQ(read_whole("id: 1\nid: 2\0\ndata: a\n\n"s), "[|a|1]");
  EXPECT_EQ(read_whole("id: 1\nid: " + std::string(kSseIdBytesMax + 1, 'x') + "\ndata: a\n\n"), "[|a|1]");
}

TEST(Sse, RetryIsTakenOnlyIfItIsANumber) {
  EXPECT_EQ(read_whole("retry: 250\ndata: a\n\nretry: -1\ndata: b\n\nretry: 5s\ndata: c\n\n"), "[|a||250][|b|][|c|]");
}

TEST(Sse, PiecesOfAnySizeGiveTheSameEvents) {
  const std::string bytes =
      "\xEF\xBB\xBF: hi\r\nid: 7\revent: x\r\ndata: {\"a\":\r\ndata: 1}\n\ndata: \xE4\xB8\x96\r\rretry: 9\n\ndata:\n\n";
  const std::string whole = read_whole(bytes);
  EXPECT_EQ(read_byte_by_byte(bytes), whole);
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    SseReader reader;
    std::string out;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = random() % 9;  // empty pieces too
      out += fed(reader, std::string_view(bytes).substr(at, size));
      at += size;
    }
    EXPECT_EQ(out, whole) << "seed " << seed;
  }
}

TEST(Sse, AnEventThatLacksItsEmptyLineComesOnlyOnRequest) {
  SseReader reader;
  EXPECT_EQ(fed(reader, "event: e\ndata: a\ndata: b"), "");
  const auto event = reader.take_unfinished();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->event + "|" + event->data, "e|a\nb");
  EXPECT_FALSE(reader.take_unfinished());
}

TEST(Sse, AtAnEventBoundaryNothingIsUnfinished) {
  SseReader reader;
  EXPECT_EQ(fed(reader, "data: a\n\n"), "[|a|]");
  EXPECT_FALSE(reader.take_unfinished());
}

TEST(Sse, ALineOverItsLimitIsAnErrorAndEndsTheStream) {
  SseReader reader({.line_bytes_max = 10, .event_bytes_max = 100});
  EXPECT_EQ(fed(reader, "data: 1234\n\n"), "[|1234|]");
  EXPECT_EQ(fed(reader, "data: 12345"), "");
  ASSERT_TRUE(reader.error());
  EXPECT_EQ(reader.error()->code, Errc::limit);
  EXPECT_EQ(fed(reader, "\n\ndata: a\n\n"), "");
  EXPECT_FALSE(reader.take_unfinished());
}

TEST(Sse, ALineThatGrowsPieceByPieceMeetsTheSameLimit) {
  SseReader reader({.line_bytes_max = 10, .event_bytes_max = 100});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(fed(reader, "x"), "");
  EXPECT_FALSE(reader.error());
  EXPECT_EQ(fed(reader, "x"), "");
  EXPECT_TRUE(reader.error());
}

TEST(Sse, ManyDataLinesMeetTheLimitOfTheEvent) {
  SseReader reader({.line_bytes_max = 100, .event_bytes_max = 12});
  EXPECT_EQ(fed(reader, "data: 12345\n\n"), "[|12345|]");
  EXPECT_EQ(fed(reader, "data: 12345\ndata: 12345\ndata: 1\n\n"), "");
  ASSERT_TRUE(reader.error());
  EXPECT_NE(reader.error()->message.find("event"), std::string::npos);
}

}  // namespace
}  // namespace deft
