#include "deft/os/socket_http_client.h"

#include <gtest/gtest.h>

#include <atomic>

#include "deft/os/socket_transfer.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/http_record.h"
#include "deft/testing/real_processes.h"

// Servers that mean no good, or do things in an order of their own.

namespace deft {
namespace {

using testing::eventually;
using testing::HttpPeer;
using testing::HttpRecord;
using testing::PeerAnswer;
using testing::PeerGate;
using testing::PeerRequest;

constexpr std::size_t kPlentyBytes = 1 << 20;

Result<HttpResponse> get(HttpClient& client, const std::string& url) {
  return fetch(client, {.url = url, .body_bytes_max = kPlentyBytes}, {});
}

TEST(SocketHttpClient, WhatFollowsAnAnswerUnaskedIsNobodysAnswer) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    const std::string length = std::to_string(request.path.size());
    answer.raw("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n" + request.path +
               "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
    answer.wait_until_gone();
  });
  SocketHttpClient client;
  for (const char* path : {"/a", "/b"}) {
    const auto response = get(client, peer.url(path));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, path);
  }
  EXPECT_EQ(peer.connections(), 2U);
}

TEST(SocketHttpClient, AServerThatSpeaksWhileNobodyAskedIsLeft) {
  PeerGate gate;
  std::atomic<bool> has_spoken = false;
  HttpPeer peer([&](const PeerRequest& request, PeerAnswer& answer) {
    answer.send(200, {}, request.path);
    if (request.path != "/a" || !answer.wait(gate)) return;
    answer.raw("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
    has_spoken = true;
    answer.wait_until_gone();
  });
  SocketHttpClient client;
  EXPECT_EQ(get(client, peer.url("/a"))->body, "/a");
  gate.open();
  EXPECT_TRUE(eventually([&] { return has_spoken.load(); }));
  EXPECT_EQ(get(client, peer.url("/b"))->body, "/b");
  EXPECT_EQ(peer.connections(), 2U);
}

TEST(SocketHttpClient, ARequestThatAServerHasSeenIsNotSentAgain) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    if (request.path == "/a") return answer.send(200, {}, "fine");
    answer.cut();
  });
  SocketHttpClient client;
  EXPECT_TRUE(get(client, peer.url("/a")));
  const auto cut = fetch(
      client, {.method = "POST", .url = peer.url("/b"), .body = "do it once", .body_bytes_max = kPlentyBytes}, {});
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, Errc::io);
  EXPECT_EQ(peer.requests().size(), 2U);
}

TEST(SocketHttpClient, AConnectionThatWasClosedMeanwhileIsNotUsed) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    answer.send(200, {}, request.path);
    if (request.path == "/a") answer.cut();
  });
  SocketHttpClient client;
  EXPECT_EQ(get(client, peer.url("/a"))->body, "/a");
  EXPECT_TRUE(eventually([&] { return peer.open_connections() == 0; }));
  EXPECT_EQ(get(client, peer.url("/b"))->body, "/b");
  EXPECT_EQ(peer.connections(), 2U);
}

TEST(SocketHttpClient, WhatCannotBeUndoneOrIsFramedInTwoWaysIsNoAnswer) {
  for (const char* head :
       {"Content-Encoding: gzip\r\nContent-Length: 1\r\n", "Content-Length: 1\r\nContent-Length: 2\r\n",
        "Transfer-Encoding: gzip, chunked\r\n", "X: a\rEvil: b\r\nContent-Length: 1\r\n"}) {
    HttpPeer peer([&](const PeerRequest&, PeerAnswer& answer) {
      answer.raw("HTTP/1.1 200 OK\r\n" + std::string(head) + "\r\nx");
      answer.wait_until_gone();
    });
    SocketHttpClient client;
    const auto response = get(client, peer.url());
    ASSERT_FALSE(response) << head;
    EXPECT_EQ(response.error().code, Errc::io) << head;
  }
}

TEST(SocketHttpClient, LocalhostAndItsAddressesAreDifferentServers) {
  const auto key = [](const char* url) { return socket_place({.url = url})->key(); };
  EXPECT_NE(key("http://localhost:8080/"), key("http://127.0.0.1:8080/"));
  EXPECT_NE(key("http://localhost:8080/"), key("http://[::1]:8080/"));
  EXPECT_EQ(key("http://127.0.0.1:8080/a"), key("http://127.0.0.1:8080/b?c"));
  EXPECT_FALSE(socket_place({.url = "http://user@127.0.0.1/"}));
  EXPECT_FALSE(socket_place({.url = "http://127.1/"}));
}

// A turn asks again the moment it has heard the last word, and lets go of the answer.
TEST(SocketHttpClient, WhoHasHeardTheLastWordFindsTheConnectionFree) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) { answer.send(200, {}, request.body); });
  SocketHttpClient client;
  for (int i = 0; i < 200; ++i) {
    const auto record = std::make_shared<HttpRecord>();
    const auto transfer = client.start({.method = "POST", .url = peer.url(), .body = "word"}, record);
    EXPECT_EQ(record->next_head().status, 200);
    EXPECT_EQ(record->next_piece(), "word");
  }
  EXPECT_EQ(peer.connections(), 1U);
}

}  // namespace
}  // namespace deft
