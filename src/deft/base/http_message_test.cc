#include "deft/base/http_message.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

struct Reading {
  std::vector<ReadRequest> requests;
  std::optional<HttpFault> fault;
};

// In pieces of `size` bytes.
Reading read(std::string_view bytes, std::size_t size = std::string_view::npos, HttpReadLimits limits = {}) {
  Reading reading;
  HttpRequestReader reader(limits);
  while (!bytes.empty()) {
    std::string_view piece = bytes.substr(0, size);
    bytes.remove_prefix(piece.size());
    while (!piece.empty()) {
      piece.remove_prefix(reader.feed(piece));
      if (reader.fault()) return reading.fault = reader.fault(), reading;
      if (reader.is_complete()) reading.requests.push_back(reader.take());
    }
  }
  return reading;
}

int status_of(std::string_view bytes) {
  const Reading reading = read(bytes);
  return reading.fault ? reading.fault->status : 0;
}

constexpr std::string_view kTwo =
    "POST /mcp?a=b HTTP/1.1\r\nHost: localhost:7\r\nContent-Length: 5\r\nX-A:  b c \t\r\n\r\nhello"
    "GET / HTTP/1.1\r\nhost: x\r\nConnection: Close\r\n\r\n";

TEST(HttpRequestReader, ReadsRequestsFromPiecesOfAnySize) {
  for (std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::string_view::npos}) {
    const Reading reading = read(kTwo, size);
    ASSERT_FALSE(reading.fault);
    ASSERT_EQ(reading.requests.size(), 2U);
    EXPECT_EQ(reading.requests[0].method, "POST");
    EXPECT_EQ(reading.requests[0].path, "/mcp");
    EXPECT_EQ(reading.requests[0].query, "a=b");
    EXPECT_EQ(reading.requests[0].body, "hello");
    EXPECT_EQ(*reading.requests[0].field("x-a"), "b c");
    EXPECT_TRUE(reading.requests[0].keeps_alive);
    EXPECT_EQ(reading.requests[1].body, "");
    EXPECT_FALSE(reading.requests[1].keeps_alive);
  }
}

TEST(HttpRequestReader, ReadsBodiesInChunks) {
  const std::string bytes =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "5;a=b\r\nhello\r\n06\r\n world\r\n0\r\nTrailer: x\r\n\r\n";
  for (std::size_t size : {std::size_t{1}, std::size_t{3}, std::string_view::npos}) {
    const Reading reading = read(bytes, size);
    ASSERT_EQ(reading.requests.size(), 1U);
    EXPECT_EQ(reading.requests[0].body, "hello world");
  }
}

TEST(HttpRequestReader, RefusesWhatTwoReadersCouldUnderstandDifferently) {
  const auto post = [](std::string_view head) {
    return status_of("POST / HTTP/1.1\r\nHost: x\r\n" + std::string(head) + "\r\n");
  };
  EXPECT_EQ(post("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(post("Content-Length: 1\r\nContent-Length: 1\r\n"), 400);
  EXPECT_EQ(post("Content-Length: +1\r\n"), 400);
  EXPECT_EQ(post("Content-Length: 0x1\r\n"), 400);
  EXPECT_EQ(post("Content-Length: 1, 1\r\n"), 400);
  EXPECT_EQ(post("Content-Length: \r\n"), 400);
  EXPECT_EQ(post("Transfer-Encoding: gzip, chunked\r\n"), 501);
  EXPECT_EQ(post("Transfer-Encoding : chunked\r\n"), 400);
  EXPECT_EQ(post(" Folded: x\r\n"), 400);
  EXPECT_EQ(post("No colon\r\n"), 400);
  EXPECT_EQ(post("A: b\rc\r\n"), 400);
  EXPECT_EQ(post("Host: y\r\n"), 400);
  EXPECT_EQ(post("Expect: the worst\r\n"), 417);
}

TEST(HttpRequestReader, RefusesWhatIsNoRequest) {
  EXPECT_EQ(status_of("hello\r\n"), 400);
  EXPECT_EQ(status_of("GET /\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\n"), 505);
  EXPECT_EQ(status_of("GET / FTP/1.1\r\n"), 400);
  EXPECT_EQ(status_of("GET http://other/ HTTP/1.1\r\n"), 400);
  EXPECT_EQ(status_of("GET /a b HTTP/1.1\r\n"), 400);
  EXPECT_EQ(status_of(std::string_view("GET /\0 HTTP/1.1\r\n", 18)), 400);
  EXPECT_EQ(status_of("G@T / HTTP/1.1\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400) << "no Host";
}

TEST(HttpRequestReader, RefusesChunksThatAreNone) {
  const auto chunked = [](std::string_view body) {
    return status_of("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(body));
  };
  EXPECT_EQ(chunked("xyz\r\n"), 400);
  EXPECT_EQ(chunked("-1\r\n"), 400);
  EXPECT_EQ(chunked("\r\n"), 400);
  EXPECT_EQ(chunked("123456789\r\n"), 400);
  EXPECT_EQ(chunked("ffffffff\r\n"), 413);
  EXPECT_EQ(chunked("2\r\nabc\r\n"), 400);
  EXPECT_EQ(chunked("2;a\rb\r\n"), 400) << "others may see the end of a line there";
  EXPECT_EQ(chunked("1\r\naXX"), 0) << "not decided yet";
}

TEST(HttpRequestReader, EverythingHasItsLimit) {
  const HttpReadLimits limits{.head_bytes_max = 200, .fields_max = 3, .target_bytes_max = 20, .body_bytes_max = 10};
  const auto status = [&](std::string_view bytes) {
    const Reading reading = read(bytes, 16, limits);
    return reading.fault ? reading.fault->status : 0;
  };
  EXPECT_EQ(status("GET /" + std::string(30, 'a') + " HTTP/1.1\r\n"), 414);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nA: " + std::string(300, 'a')), 431);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nA: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\n\r\n"), 431);
  EXPECT_EQ(status("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n"), 413);
  EXPECT_EQ(status("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n"), 413);
  EXPECT_EQ(status("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n6\r\n"), 413);
}

TEST(HttpRequestReader, SaysWhenTheClientWaitsToBeTold) {
  HttpRequestReader reader;
  reader.feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(reader.take_expects_continue());
  EXPECT_FALSE(reader.take_expects_continue());
}

TEST(HttpAnswers, NoFieldCanEndItsLineEarly) {
  EXPECT_EQ(http_head(200, {{"A", "b"}, {"C", "d\r\nE: f"}, {"G H", "i"}}), "HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
  EXPECT_EQ(http_chunk("hello world, sixteen"), "14\r\nhello world, sixteen\r\n");
  EXPECT_EQ(http_chunk(""), "");
}

}  // namespace
}  // namespace deft
