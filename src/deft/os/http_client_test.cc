#include "deft/os/http_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "deft/os/system_http_client.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/http_record.h"
#include "deft/testing/real_processes.h"

namespace deft {
namespace {

using testing::eventually;
using testing::HttpPeer;
using testing::HttpRecord;
using testing::PeerAnswer;
using testing::PeerGate;
using testing::PeerRequest;
using testing::SilentPort;

constexpr std::size_t kPlentyBytes = 1 << 20;

void echo(const PeerRequest& request, PeerAnswer& answer) {
  answer.send(200, {{"X-Path", request.path}}, request.body);
}
void never_answer(const PeerRequest&, PeerAnswer&) {}

// What every client does alike.
class HttpClients : public ::testing::TestWithParam<const char*> {
 protected:
  static std::unique_ptr<HttpClient> make() {
    const std::string name = GetParam();
    if (name == "Curl") return std::make_unique<CurlHttpClient>(HttpNetwork{});
    if (name == "Sockets") return std::make_unique<SocketHttpClient>();
    return std::make_unique<SystemHttpClient>(HttpNetwork{});
  }
};
INSTANTIATE_TEST_SUITE_P(By, HttpClients, ::testing::Values("Curl", "Sockets", "System"),
                         [](const auto& param) { return param.param; });

TEST_P(HttpClients, SendsARequestAsItIsAndHandsBackTheAnswer) {
  HttpPeer peer(echo);
  const auto made = make();
  HttpClient& client = *made;
  const auto response = fetch(client,
                              {.method = "POST",
                               .url = peer.url("/v1/x?y=1"),
                               .headers = {{"X-Key", "secret"}, {"X-Empty", ""}, {"Content-Type", "application/json"}},
                               .body = std::string("{\"a\":\0 1}", 9),
                               .body_bytes_max = kPlentyBytes},
                              {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(find_header(response->headers, "x-path"), "/v1/x?y=1");
  EXPECT_EQ(response->body, std::string("{\"a\":\0 1}", 9));

  const PeerRequest request = peer.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.header("x-key"), "secret");
  EXPECT_TRUE(find_header(request.headers, "x-empty").has_value());
  EXPECT_EQ(request.header("content-type"), "application/json");
  EXPECT_EQ(request.header("user-agent"), "deft/" DEFT_VERSION);
  EXPECT_EQ(request.header("expect"), "");
}

TEST_P(HttpClients, OtherMethodsCarryTheirBodiesAndHeadHasNone) {
  HttpPeer peer(echo);
  const auto made = make();
  HttpClient& client = *made;
  const auto ask = [&](std::string method, std::string body) {
    return fetch(client, {.method = method, .url = peer.url(), .body = body, .body_bytes_max = kPlentyBytes}, {});
  };
  EXPECT_EQ(ask("PUT", "put")->body, "put");
  EXPECT_EQ(ask("DELETE", "")->status, 200);
  EXPECT_EQ(ask("GET", "")->status, 200);
  EXPECT_EQ(ask("HEAD", "")->status, 200);
  EXPECT_EQ(ask("POST", "")->status, 200);
  std::string methods;
  for (const PeerRequest& request : peer.requests()) methods += request.method + " ";
  EXPECT_EQ(methods, "PUT DELETE GET HEAD POST ");
}

TEST_P(HttpClients, PiecesArriveWhenTheyAreSentNotWhenTheAnswerIsWhole) {
  PeerGate gates[2];
  HttpPeer peer([&](const PeerRequest&, PeerAnswer& answer) {
    answer.head(200, {{"Content-Type", "text/event-stream"}});
    if (!answer.wait(gates[0])) return;
    answer.chunk("data: 1\n\n");
    if (!answer.wait(gates[1])) return;
    answer.chunk("data: 2\n\n");
    answer.end();
  });
  const auto made = make();
  HttpClient& client = *made;
  const auto record = std::make_shared<HttpRecord>();
  const auto transfer = client.start({.url = peer.url()}, record);
  EXPECT_EQ(find_header(record->next_head().headers, "content-type"), "text/event-stream");
  gates[0].open();
  EXPECT_EQ(record->next_piece(), "data: 1\n\n");
  gates[1].open();
  EXPECT_EQ(record->next_piece(), "data: 2\n\n");
  EXPECT_TRUE(record->wait_for_end());
}

TEST_P(HttpClients, ACancelWorksWhileNothingArrives) {
  HttpPeer peer(never_answer);
  const auto made = make();
  HttpClient& client = *made;
  const auto record = std::make_shared<HttpRecord>();
  auto transfer = client.start({.url = peer.url()}, record);
  EXPECT_TRUE(eventually([&] { return peer.requests().size() == 1; }));
  transfer->cancel();
  EXPECT_EQ(record->wait_for_error(), Errc::cancelled);
  transfer->cancel();
  transfer.reset();
  EXPECT_TRUE(eventually([&] { return peer.open_connections() == 0; }));
  EXPECT_TRUE(record->is_silent());
}

TEST_P(HttpClients, DestroyingTheHandleOrTheClientCancels) {
  HttpPeer peer(never_answer);
  const auto by_handle = std::make_shared<HttpRecord>();
  const auto by_client = std::make_shared<HttpRecord>();
  std::unique_ptr<HttpTransfer> outlives;
  {
    const auto made = make();
    HttpClient& client = *made;
    client.start({.url = peer.url()}, by_handle).reset();
    EXPECT_EQ(by_handle->wait_for_error(), Errc::cancelled);
    outlives = client.start({.url = peer.url()}, by_client);
  }
  EXPECT_EQ(by_client->wait_for_error(), Errc::cancelled);
  outlives->cancel();
  EXPECT_TRUE(by_client->is_silent());
}

TEST_P(HttpClients, AStopRequestEndsAFetch) {
  HttpPeer peer(never_answer);
  const auto made = make();
  HttpClient& client = *made;
  std::stop_source stop;
  std::jthread stopper([&] {
    eventually([&] { return peer.requests().size() == 1; });
    stop.request_stop();
  });
  const auto response = fetch(client, {.url = peer.url(), .body_bytes_max = kPlentyBytes}, stop.get_token());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Errc::cancelled);
}

TEST_P(HttpClients, ABrokenConnectionIsAnIoErrorBeforeAndAfterTheHead) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    if (request.path == "/reset") return answer.reset();
    if (request.path == "/cut") return answer.cut();
    answer.head(200);
    answer.chunk("half");
    if (request.path == "/half-reset") return answer.reset();
    answer.cut();
  });
  const auto made = make();
  HttpClient& client = *made;
  for (const char* path : {"/reset", "/cut", "/half-reset", "/half-cut"}) {
    const auto response = fetch(client, {.url = peer.url(path), .body_bytes_max = kPlentyBytes}, {});
    ASSERT_FALSE(response) << path;
    EXPECT_EQ(response.error().code, Errc::io) << path;
  }
}

TEST_P(HttpClients, NobodyListensIsAnIoErrorThatNamesTheHost) {
  const SilentPort nobody;
  const auto made = make();
  HttpClient& client = *made;
  const auto response = fetch(client, {.url = nobody.url("/secret-path"), .body_bytes_max = kPlentyBytes}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Errc::io);
  EXPECT_NE(response.error().message.find("127.0.0.1"), std::string::npos);
  EXPECT_EQ(response.error().message.find("secret-path"), std::string::npos);
}

TEST_P(HttpClients, AnswersThatAreNoHttpAreErrors) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    answer.raw(request.path == "/garbage" ? "\x01\x02 this is no HTTP\r\n\r\n"
                                          : "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n");
    answer.cut();
  });
  const auto made = make();
  HttpClient& client = *made;
  for (const char* path : {"/garbage", "/length"}) {
    EXPECT_FALSE(fetch(client, {.url = peer.url(path), .body_bytes_max = kPlentyBytes}, {})) << path;
  }
}

TEST_P(HttpClients, ABodyOverItsLimitIsCutOff) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) { answer.send(200, {}, std::string(5000, 'x')); });
  const auto made = make();
  HttpClient& client = *made;
  const auto ask = [&](std::size_t most) { return fetch(client, {.url = peer.url(), .body_bytes_max = most}, {}); };
  EXPECT_EQ(ask(5000)->body.size(), 5000U);
  const auto refused = ask(4999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::limit);
}

TEST_P(HttpClients, AHeadOverItsLimitIsRefused) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) {
    HttpHeaders headers;
    for (int i = 0; i < 300; ++i) headers.emplace_back("X-" + std::to_string(i), std::string(1000, 'y'));
    answer.send(200, headers, "");
  });
  const auto made = make();
  HttpClient& client = *made;
  const auto response = fetch(client, {.url = peer.url(), .body_bytes_max = kPlentyBytes}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Errc::limit) << response.error().message;
}

TEST_P(HttpClients, AConnectionIsUsedAgain) {
  HttpPeer peer(echo);
  const auto made = make();
  HttpClient& client = *made;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(fetch(client, {.url = peer.url(), .body_bytes_max = kPlentyBytes}, {}));
  EXPECT_EQ(peer.connections(), 1U);
}

TEST_P(HttpClients, WhatMayHaveAnEffectIsNotSentAgainWhenTheConnectionBreaks) {
  std::atomic<int> posts = 0;
  HttpPeer peer([&](const PeerRequest& request, PeerAnswer& answer) {
    if (request.method == "POST" && ++posts == 2) return answer.cut();  // on a connection that was used before
    answer.send(200, {}, "done");
  });
  const auto made = make();
  const auto post = [&] {
    return fetch(*made, {.method = "POST", .url = peer.url(), .body = "x", .body_bytes_max = kPlentyBytes}, {});
  };
  ASSERT_TRUE(post());
  const auto second = post();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::io) << second.error().message;
  EXPECT_EQ(posts, 2);
  EXPECT_TRUE(post()) << "the next one finds a new connection";
}

TEST_P(HttpClients, ARedirectIsAnAnswer) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) { answer.send(302, {{"Location", "/other"}}, ""); });
  const auto made = make();
  HttpClient& client = *made;
  const auto response = fetch(client, {.url = peer.url("/first"), .body_bytes_max = kPlentyBytes}, {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 302);
  EXPECT_EQ(peer.requests().size(), 1U);
}

TEST_P(HttpClients, AnInterimAnswerIsNotTheAnswer) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) {
    answer.raw("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
    answer.send(200, {{"A", "b"}}, "real");
  });
  const auto made = make();
  HttpClient& client = *made;
  const auto response = fetch(client, {.url = peer.url(), .body_bytes_max = kPlentyBytes}, {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  EXPECT_FALSE(find_header(response->headers, "link"));
}

TEST_P(HttpClients, SilenceEndsInATimeoutBeforeAndInsideTheAnswer) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    if (request.path == "/none") return;
    answer.head(200);
    answer.chunk("begun");
  });
  const auto made = make();
  HttpClient& client = *made;
  for (const char* path : {"/none", "/begun"}) {
    const auto response = fetch(
        client, {.url = peer.url(path), .idle_timeout = std::chrono::milliseconds(30), .body_bytes_max = kPlentyBytes},
        {});
    ASSERT_FALSE(response) << path;
    EXPECT_EQ(response.error().code, Errc::timeout) << path;
  }
  const auto late = fetch(client,
                          {.url = peer.url("/none"),
                           .deadline = SystemClock().now() + std::chrono::milliseconds(30),
                           .body_bytes_max = kPlentyBytes},
                          {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::timeout);
}

TEST_P(HttpClients, ARequestThatWouldSmuggleAHeaderNeverReachesTheServer) {
  HttpPeer peer(echo);
  const auto made = make();
  HttpClient& client = *made;
  const auto response =
      fetch(client, {.url = peer.url(), .headers = {{"X-Key", "a\r\nX-Evil: 1"}}, .body_bytes_max = kPlentyBytes}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Errc::invalid_input);
  EXPECT_EQ(peer.connections(), 0U);
}

TEST_P(HttpClients, ManyTransfersAtOnceShareOneThread) {
  constexpr std::size_t kTransfers = 40;
  PeerGate gate;
  HttpPeer peer([&](const PeerRequest& request, PeerAnswer& answer) {
    if (answer.wait(gate)) answer.send(200, {}, request.path);
  });
  const auto made = make();
  HttpClient& client = *made;
  std::vector<std::shared_ptr<HttpRecord>> records;
  std::vector<std::unique_ptr<HttpTransfer>> transfers;
  for (std::size_t i = 0; i < kTransfers; ++i) {
    records.push_back(std::make_shared<HttpRecord>());
    transfers.push_back(client.start({.url = peer.url("/" + std::to_string(i))}, records.back()));
  }
  EXPECT_TRUE(eventually([&] { return peer.requests().size() == kTransfers; }));
  gate.open();
  for (std::size_t i = 0; i < kTransfers; ++i) {
    EXPECT_EQ(records[i]->next_head().status, 200);
    EXPECT_EQ(records[i]->next_piece(), "/" + std::to_string(i));
    EXPECT_TRUE(records[i]->wait_for_end());
  }
}

}  // namespace
}  // namespace deft
