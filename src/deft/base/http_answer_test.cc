#include "deft/base/http_answer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace deft {
namespace {

using Fault = HttpAnswerReader::Fault;
constexpr std::size_t kHeadBytesMax = 1'000;

struct Read {
  int status = 0;
  HttpFields fields;
  std::string body;
  bool is_complete = false;
  bool keeps_alive = false;
  std::optional<Fault> fault;
  std::size_t left = 0;  // bytes after the answer

  bool operator==(const Read&) const = default;
};

// In pieces of this size.
Read read(std::string_view bytes, std::size_t piece_size, bool ends = true, bool has_body = true) {
  HttpAnswerReader reader(has_body, kHeadBytesMax);
  Read result;
  while (!bytes.empty() && !reader.is_complete() && !reader.fault()) {
    std::string_view piece = bytes.substr(0, piece_size);
    while (!piece.empty() && !reader.is_complete() && !reader.fault()) {
      const HttpAnswerReader::Piece taken = reader.feed(piece);
      if (taken.head_ended) result.fields = reader.fields();
      result.body += taken.body;
      piece.remove_prefix(taken.used);
      bytes.remove_prefix(taken.used);
    }
  }
  result.left = bytes.size();
  if (ends && !reader.is_complete() && !reader.fault()) reader.feed_end();
  result.status = reader.status();
  result.is_complete = reader.is_complete();
  result.keeps_alive = reader.is_complete() && reader.keeps_alive();
  result.fault = reader.fault();
  return result;
}

TEST(HttpAnswer, ReadsEveryWayToEndABodyInPiecesOfAnySize) {
  const std::vector<std::pair<std::string, std::string>> answers = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"},
      {"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nTrailer: t\r\n\r\n", "hello"},
      {"HTTP/1.0 200 OK\r\n\r\nhello", "hello"},
      {"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "hello"},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 "
       "OK\r\nContent-Length:5\r\n\r\nhello",
       "hello"},
      {"HTTP/1.1 204 No Content\r\n\r\n", ""},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", ""}};
  for (const auto& [bytes, body] : answers) {
    const Read whole = read(bytes, bytes.size());
    EXPECT_TRUE(whole.is_complete) << bytes;
    EXPECT_EQ(whole.body, body) << bytes;
    for (std::size_t size = 1; size < bytes.size(); ++size) EXPECT_EQ(read(bytes, size), whole) << bytes << size;
  }
}

TEST(HttpAnswer, WhatIsCutOffIsNeverTakenForWhole) {
  for (const std::string bytes : {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"}) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const Read cut = read(bytes.substr(0, size), 7);
      EXPECT_FALSE(cut.is_complete) << size;
      EXPECT_EQ(cut.fault, Fault::broke_off) << size;
    }
  }
}

TEST(HttpAnswer, WhatNeverEndsIsCutOff) {
  const auto repeated = [](std::string_view text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::vector<std::pair<std::string, Fault>> answers = {
      {repeated("HTTP/1.1 103 Early Hints\r\n\r\n", 1'000), Fault::head_too_long},
      {"HTTP/1.1 200 OK\r\n" + repeated("A: b\r\n", 1'000), Fault::head_too_long},
      {"HTTP/1.1 200 OK\r\nA: b\r\n" + repeated(" c\r\n", 1'000), Fault::head_too_long},
      {std::string(2'000, 'H'), Fault::no_http},
      {chunked + "1;" + repeated("x=y;", 1'000), Fault::unknown_framing},
      {chunked + repeated("0", 2'000), Fault::unknown_framing},
      {chunked + "0\r\n" + repeated("T: t\r\n", 1'000), Fault::head_too_long}};
  for (const auto& [bytes, fault] : answers) {
    for (const std::size_t size : {std::size_t{7}, bytes.size()}) {
      const auto found = read(bytes, size).fault;
      EXPECT_TRUE(found == fault || found == Fault::head_too_long) << bytes.substr(0, 80);
    }
  }
}

TEST(HttpAnswer, WhatNobodyCouldBeSureOfIsRefused) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, Fault>> answers = {
      {"\x01\x02 no HTTP\r\n\r\n", Fault::no_http},
      {"HTTP/2 200 OK\r\n\r\n", Fault::no_http},
      {"HTTP/1.1 2000 OK\r\n\r\n", Fault::no_http},
      {"HTTP/1.1 099 OK\r\n\r\n", Fault::no_http},
      {"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", Fault::no_http},
      {"HTTP/1.1 200 OK\r\nBad Name: x\r\n\r\n", Fault::no_http},
      {"HTTP/1.1 200 OK\r\nX: a\rInjected: b\r\n\r\n", Fault::no_http},
      {"HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n"s, Fault::no_http},
      {"HTTP/1.1 200 OK\r\nX: a\r\n \x1B[2J\r\n\r\n", Fault::no_http},
      {"HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello", Fault::no_http},
      {"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, identity\r\n\r\n", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000005\r\nhello", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", Fault::unknown_framing},
      {"HTTP/1.1 101 Switching\r\n\r\n", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", Fault::unknown_framing},
      {"HTTP/1.1 200 OK\r\nX: " + std::string(kHeadBytesMax, 'x'), Fault::head_too_long}};
  for (const auto& [bytes, fault] : answers) EXPECT_EQ(read(bytes, bytes.size()).fault, fault) << bytes;
}

TEST(HttpAnswer, AConnectionIsKeptOnlyWhereItsEndIsCertain) {
  EXPECT_TRUE(read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 99).keeps_alive);
  EXPECT_FALSE(read("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", 99).keeps_alive);
  EXPECT_FALSE(read("HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n", 99).keeps_alive);
  EXPECT_FALSE(
      read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n0\r\n\r\n", 999).keeps_alive);
  EXPECT_TRUE(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 99, false, /*has_body=*/false).is_complete);
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc", 99).left, 2U);
}

}  // namespace
}  // namespace deft
