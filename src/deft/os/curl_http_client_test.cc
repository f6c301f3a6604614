#include "deft/os/curl_http_client.h"

#include <gtest/gtest.h>

#include "deft/testing/http_peer.h"
#include "deft/testing/http_record.h"

namespace deft {
namespace {

using testing::HttpPeer;
using testing::HttpRecord;
using testing::PeerAnswer;
using testing::PeerRequest;

constexpr std::size_t kPlentyBytes = 1 << 20;

void echo(const PeerRequest& request, PeerAnswer& answer) {
  answer.send(200, {{"X-Path", request.path}}, request.body);
}

// 10 MB of zeros, gzipped twice would be smaller still; once makes 10 kB.
std::string gzip_bomb() {
  std::string bytes = "\x1f\x8b\x08";
  bytes += std::string("\0\0\0\0\0\0\x03", 7);
  // A block of fixed codes: one zero byte, then matches of length 258 at distance 1, each 13 bits: 1100 0101 and 00000.
  std::uint64_t bits = 0;
  int count = 0;
  const auto put = [&](unsigned value, int width) {  // most significant bit first, as Huffman codes stand
    for (int i = width - 1; i >= 0; --i) {
      bits |= static_cast<std::uint64_t>((value >> i) & 1U) << count;
      if (++count == 8) {
        bytes += static_cast<char>(bits);
        bits = 0;
        count = 0;
      }
    }
  };
  put(1, 1);           // the last block
  put(0b10, 2);        // fixed codes (01, least significant bit first)
  put(0b00110000, 8);  // literal 0
  for (int i = 0; i < 40'000; ++i) {
    put(0b11000101, 8);  // length 258
    put(0b00000, 5);     // distance 1
  }
  put(0, 7);  // the end
  put(0, 7);  // what is left of the byte
  return bytes;
}

TEST(CurlHttpClient, ADecompressionBombIsBounded) {
  const std::string bomb = gzip_bomb();
  HttpPeer peer(
      [&](const PeerRequest&, PeerAnswer& answer) { answer.send(200, {{"Content-Encoding", "gzip"}}, bomb); });
  CurlHttpClient client({});
  const auto record = std::make_shared<HttpRecord>();
  const auto transfer = client.start({.url = peer.url(), .body_bytes_max = kPlentyBytes}, record);
  EXPECT_EQ(record->next_head().status, 200);
  std::size_t received = 0;
  while (true) {
    auto entry = record->next();
    if (auto* piece = std::get_if<std::string>(&entry)) {
      received += piece->size();
      continue;
    }
    const auto& result = std::get<Result<void>>(entry);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Errc::limit) << result.error().message;
    break;
  }
  EXPECT_GT(received, 0U);
  EXPECT_LE(received, kPlentyBytes);
  EXPECT_NE(peer.requests().at(0).header("accept-encoding").find("gzip"), std::string::npos);
}

TEST(CurlHttpClient, APinnedAddressIsDialledWhateverTheNameMeansAndWithoutAProxy) {
  HttpPeer peer(echo);
  CurlHttpClient client({.http_proxy = "http://127.0.0.1:1"});
  const auto response = fetch(client,
                              {.url = "http://no-such-host.invalid:" + std::to_string(peer.port()) + "/p",
                               .body_bytes_max = kPlentyBytes,
                               .address = "127.0.0.1"},
                              {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(peer.requests().at(0).header("host"), "no-such-host.invalid:" + std::to_string(peer.port()));
}

TEST(CurlHttpClient, AProxyIsUsedUnlessTheHostIsExemptOrTheRequestSaysNo) {
  HttpPeer proxy(echo);
  HttpPeer peer(echo);
  const auto paths = [&](const HttpNetwork& network, bool use_proxy) {
    CurlHttpClient client(network);
    EXPECT_TRUE(fetch(client, {.url = peer.url("/p"), .body_bytes_max = kPlentyBytes, .use_proxy = use_proxy}, {}));
    return proxy.requests().size();
  };
  EXPECT_EQ(paths({.http_proxy = proxy.url("")}, true), 1U);
  EXPECT_EQ(proxy.requests().at(0).path, peer.url("/p"));
  EXPECT_EQ(paths({.http_proxy = proxy.url("")}, false), 1U);
  EXPECT_EQ(paths({.http_proxy = proxy.url(""), .no_proxy = "127.0.0.1"}, true), 1U);
}

}  // namespace
}  // namespace deft
