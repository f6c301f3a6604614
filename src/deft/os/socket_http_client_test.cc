#include "deft/os/socket_http_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "deft/base/wake_up.h"
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

// Advances the transfer on this thread until it has ended.
Result<void> pump_to_the_end(HttpTransfer& transfer, HttpRecord& record) {
  Pump* const pump = transfer.pump();
  for (int i = 0; i < 10'000 && pump->descriptor() >= 0; ++i) {
    WakeUp wake_up;
    wake_up.prepare();
    if (wake_up.wait(SystemClock().now() + std::chrono::seconds(30), *pump)) pump->advance();
  }
  pump->advance();
  return record.wait_for_end();
}

TEST(SocketHttpClient, ACallerThatPumpsIsToldOnItsOwnThread) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) { answer.send(200, {}, request.path); });
  class SameThread final : public HttpReceiver {
   public:
    void began(HttpHead) override { look(); }
    void received(std::string_view bytes) override {
      look();
      body += bytes;
    }
    void ended(Result<void>) override {
      look();
      has_ended = true;
    }
    void look() const { EXPECT_EQ(std::this_thread::get_id(), thread); }
    const std::thread::id thread = std::this_thread::get_id();
    std::string body;
    bool has_ended = false;
  };
  SocketHttpClient client;
  for (const char* path : {"/a", "/b"}) {
    const auto receiver = std::make_shared<SameThread>();
    const auto transfer = client.start({.url = peer.url(path), .pumped_by_caller = true}, receiver);
    WakeUp wake_up;
    wake_up.prepare();
    while (!receiver->has_ended) {
      ASSERT_TRUE(wake_up.wait(std::nullopt, *transfer->pump()));
      transfer->pump()->advance();
    }
    EXPECT_EQ(receiver->body, path);
  }
  EXPECT_EQ(peer.connections(), 1U) << "a connection is kept for the next request";
}

TEST(SocketHttpClient, ATransferThatIsPumpedEndsAlsoWhereNothingListensAndWhenItIsCancelled) {
  SocketHttpClient client;
  const auto refused = std::make_shared<HttpRecord>();
  const auto nowhere = client.start({.url = "http://127.0.0.1:1/", .pumped_by_caller = true}, refused);
  const auto result = pump_to_the_end(*nowhere, *refused);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::io);

  HttpPeer silent([](const PeerRequest&, PeerAnswer& answer) { answer.wait_until_gone(); });
  const auto cancelled = std::make_shared<HttpRecord>();
  auto transfer = client.start({.url = silent.url("/"), .pumped_by_caller = true}, cancelled);
  transfer.reset();
  EXPECT_EQ(cancelled->wait_for_error(), Errc::cancelled);

  const auto late = std::make_shared<HttpRecord>();
  const auto overdue =
      client.start({.url = silent.url("/"), .deadline = SystemClock().now(), .pumped_by_caller = true}, late);
  EXPECT_EQ(pump_to_the_end(*overdue, *late).error().code, Errc::timeout);
}

}  // namespace
}  // namespace deft
