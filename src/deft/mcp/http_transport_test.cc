#include "deft/mcp/http_transport.h"

#include <gtest/gtest.h>

#include <atomic>

#include "deft/mcp/client.h"
#include "deft/mcp/sse_transport.h"
#include "deft/os/curl_http_client.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/real_processes.h"

namespace deft {
namespace {

using testing::HttpPeer;
using testing::PeerAnswer;
using testing::PeerRequest;

const HttpHeaders kJson{{"Content-Type", "application/json"}};
const HttpHeaders kEvents{{"Content-Type", "text/event-stream"}};

std::string method_of(const PeerRequest& request) {
  const auto json = parse_json(request.body);
  return json ? std::string(find_string(*json, "method").value_or("")) : "";
}

std::string result_to(const PeerRequest& request, Json result) {
  const auto message = parse_rpc(request.body);
  return to_text(rpc_answer(std::get<RpcRequest>(*message).id, std::move(result)));
}

Json initialized() {
  return JsonObject{{"protocolVersion", "2025-11-25"},
                    {"capabilities", {{"tools", JsonObject{}}}},
                    {"serverInfo", {{"name", "peer"}, {"version", "1"}}}};
}

Json said(std::string_view text) { return JsonObject{{"content", {{{"type", "text"}, {"text", text}}}}}; }

class HttpServerOfTheOldEra : public ::testing::Test {
 protected:
  // While it lives, there are a server and its client. Declared after what the server's function uses: a thread of the
  // server may still be at work there when the client has its answer.
  class Visit {
   public:
    explicit Visit(HttpServerOfTheOldEra& test) : test_(test) {}
    ~Visit() { test_.end(); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    HttpServerOfTheOldEra& test_;
  };

  [[nodiscard]] Visit serve_all(testing::PeerHandler handler) {
    peer_ = std::make_unique<HttpPeer>(std::move(handler));
    return Visit(*this);
  }

  // Calls are answered by `answer_call`; the rest as a server should.
  [[nodiscard]] Visit serve(testing::PeerHandler answer_call) {
    return serve_all([this, answer_call](const PeerRequest& request, PeerAnswer& answer) {
      const std::string method = method_of(request);
      if (request.method == "DELETE") return answer.send(200, {}, "");
      if (method == "server/discover") return answer.send(400, kJson, R"({"error":"no session"})");
      if (method == "initialize") {
        const std::string session = "session-" + std::to_string(++sessions_);
        return answer.send(200, {{"Content-Type", "application/json"}, {"Mcp-Session-Id", session}},
                           result_to(request, initialized()));
      }
      if (method == "notifications/initialized") return answer.send(202, {}, "");
      if (request.method == "GET" && request.header("Last-Event-ID").empty()) return answer.send(405, {}, "");
      answer_call(request, answer);
    });
  }

  McpClient& connect(Duration call_timeout = std::chrono::seconds(20)) {
    client_ = std::make_unique<McpClient>(
        clock_,
        McpClientOptions{.server = "peer",
                         .call_timeout = call_timeout,
                         .make_transport = [this](bool old_sse) -> std::unique_ptr<McpTransport> {
                           const HttpTransport::Options options{.url = peer_->url("/mcp"),
                                                                .headers = {{"X-Own", "yes"}},
                                                                .authorizer = authorizer_,
                                                                .taken_timeout = taken_timeout_};
                           if (old_sse) return std::make_unique<SseTransport>(http_, clock_, options);
                           return std::make_unique<HttpTransport>(http_, clock_, options);
                         }},
        McpHandlers{});
    const auto connected = client_->connect({});
    EXPECT_TRUE(connected) << connected.error().message;
    return *client_;
  }

  std::string call(std::string_view text = "x") {
    const auto outcome = client_->call_tool("echo", JsonObject{{"text", text}}, {}, {});
    if (!outcome) return "failed: " + outcome.error().message;
    return std::string(find_string(outcome->at("content").at(0), "text").value_or("?"));
  }

  std::size_t count(std::string_view method) {
    std::size_t number = 0;
    for (const PeerRequest& request : peer_->requests()) number += method_of(request) == method ? 1 : 0;
    return number;
  }

  // Whether the client has asked for the server's own stream, which it does by the way.
  bool has_listened() {
    const auto requests = peer_->requests();
    return std::ranges::any_of(requests, [](const auto& one) { return one.method == "GET"; });
  }

  void end() {
    if (client_) client_->close();
    client_.reset();
    peer_.reset();
  }

  SystemClock clock_;
  CurlHttpClient http_{HttpNetwork()};
  Duration taken_timeout_ = kMcpTakenTimeout;
  McpAuthorizer* authorizer_ = nullptr;
  std::atomic<int> sessions_ = 0;
  std::unique_ptr<HttpPeer> peer_;
  std::unique_ptr<McpClient> client_;
};

TEST_F(HttpServerOfTheOldEra, RequestsCarryTheSessionTheRevisionAndTheUsersHeaders) {
  const Visit visit = serve(
      [](const PeerRequest& request, PeerAnswer& answer) { answer.send(200, kJson, result_to(request, said("hi"))); });
  connect();
  EXPECT_EQ(call(), "hi");
  const auto requests = peer_->requests();
  const auto found = std::ranges::find_if(requests, [](const auto& each) { return method_of(each) == "tools/call"; });
  ASSERT_NE(found, requests.end());
  EXPECT_EQ(found->header("Mcp-Session-Id"), "session-1");
  EXPECT_EQ(found->header("MCP-Protocol-Version"), "2025-11-25");
  EXPECT_EQ(found->header("X-Own"), "yes");
  EXPECT_EQ(found->header("Accept"), "application/json, text/event-stream");
  EXPECT_EQ(found->header("Mcp-Method"), "") << "that is for the modern era";
  EXPECT_TRUE(testing::eventually([&] { return has_listened(); }));  // so that nothing comes after the last word
  client_->close();
  EXPECT_EQ(peer_->requests().back().method, "DELETE");
}

TEST_F(HttpServerOfTheOldEra, AStreamBringsTheAnswerAmongOtherThings) {
  const Visit visit = serve([](const PeerRequest& request, PeerAnswer& answer) {
    answer.head(200, kEvents);
    answer.chunk(": hello\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n");
    answer.chunk("event: message\ndata: " + result_to(request, said("streamed")) + "\n\n");
    answer.end();
  });
  connect();
  EXPECT_EQ(call(), "streamed");
}

TEST_F(HttpServerOfTheOldEra, AStreamThatBreaksIsTakenUpWhereItEnded) {
  std::string answer_text;
  const Visit visit = serve([&](const PeerRequest& request, PeerAnswer& answer) {
    answer.head(200, kEvents);
    if (request.method == "GET") {
      EXPECT_EQ(request.header("Last-Event-ID"), "event-7");
      answer.chunk("data: " + answer_text + "\n\n");
    } else {
      answer_text = result_to(request, said("resumed"));
      answer.chunk("id: event-7\nretry: 1\ndata:\n\n");
    }
    answer.end();
  });
  connect();
  EXPECT_EQ(call(), "resumed");
}

TEST_F(HttpServerOfTheOldEra, AStreamWithoutIdsThatBreaksIsLostAndNotAskedForAgain) {
  const Visit visit = serve([](const PeerRequest&, PeerAnswer& answer) {
    answer.head(200, kEvents);
    answer.chunk(": only a comment\n\n");
    answer.end();
  });
  connect();
  EXPECT_EQ(call(), "failed: the connection broke before the server had answered");
  EXPECT_EQ(count("tools/call"), 1U);
}

TEST_F(HttpServerOfTheOldEra, AForgottenSessionIsBegunAnewAndTheCallRepeated) {
  const Visit visit = serve([this](const PeerRequest& request, PeerAnswer& answer) {
    if (request.header("Mcp-Session-Id") == "session-1") return answer.send(404, kJson, "{}");
    answer.send(200, kJson, result_to(request, said("session " + std::to_string(sessions_))));
  });
  connect();
  EXPECT_EQ(call(), "session 2");
  EXPECT_EQ(count("initialize"), 2U);
  EXPECT_EQ(count("tools/call"), 2U);
}

TEST_F(HttpServerOfTheOldEra, InANewSessionTheServersOwnStreamIsOpenedAgain) {
  std::atomic<int> streams = 0;
  std::atomic<bool> forgets = false;
  const Visit visit = serve_all([&](const PeerRequest& request, PeerAnswer& answer) {
    const std::string method = method_of(request);
    if (request.method == "DELETE") return answer.send(200, {}, "");
    if (method == "server/discover") return answer.send(400, kJson, R"({"error":"no session"})");
    if (method == "initialize") {
      forgets = false;
      return answer.send(200, {{"Content-Type", "application/json"}, {"Mcp-Session-Id", std::to_string(++sessions_)}},
                         result_to(request, initialized()));
    }
    if (request.header("Mcp-Session-Id") != std::to_string(sessions_) || forgets) return answer.send(404, {}, "");
    if (method == "notifications/initialized") return answer.send(202, {}, "");
    // The stream ends at once; the client comes back for more until the session is over.
    if (request.method == "GET") return ++streams, answer.send(200, kEvents, "retry: 1\n\n");
    answer.send(200, kJson, result_to(request, said("hi")));
  });
  connect();
  EXPECT_TRUE(testing::eventually([&] { return streams >= 2; }));
  forgets = true;
  const auto refused = [&] {
    const auto requests = peer_->requests();
    return requests.back().method == "GET";
  };
  EXPECT_TRUE(testing::eventually(refused));
  EXPECT_EQ(call(), "hi");
  const int before = streams;
  EXPECT_TRUE(testing::eventually([&] { return streams > before; })) << "what the server says by itself is heard again";
}

TEST_F(HttpServerOfTheOldEra, ARotatedSessionIdIsUsedFromThenOn) {
  std::vector<std::string> seen;
  const Visit visit = serve([&](const PeerRequest& request, PeerAnswer& answer) {
    seen.push_back(request.header("Mcp-Session-Id"));
    answer.send(200,
                {{"Content-Type", "application/json"}, {"Mcp-Session-Id", "rotated-" + std::to_string(seen.size())}},
                result_to(request, said("ok")));
  });
  connect();
  EXPECT_EQ(call(), "ok");
  EXPECT_EQ(call(), "ok");
  EXPECT_EQ(seen, (std::vector<std::string>{"session-1", "rotated-1"}));
}

TEST_F(HttpServerOfTheOldEra, AnErrorStatusIsAFailureThatNobodyRepeats) {
  const Visit visit = serve([](const PeerRequest&, PeerAnswer& answer) { answer.send(500, {}, "out of order\n"); });
  connect();
  EXPECT_EQ(call(), "failed: the server answered with HTTP status 500: out of order");
  EXPECT_EQ(count("tools/call"), 1U);
}

TEST_F(HttpServerOfTheOldEra, AnAnswerToAnotherRequestIsNone) {
  const Visit visit = serve([](const PeerRequest&, PeerAnswer& answer) {
    answer.send(200, kJson, R"({"jsonrpc":"2.0","id":4711,"result":{}})");
  });
  connect();
  EXPECT_EQ(call(), "failed: the server's answer is not one to this request");
}

TEST_F(HttpServerOfTheOldEra, ASilentServerIsGivenUpInTime) {
  const Visit visit = serve([](const PeerRequest&, PeerAnswer& answer) { answer.wait_until_gone(); });
  connect(std::chrono::milliseconds(100));
  EXPECT_EQ(call(), "failed: no answer within 100 ms");
}

TEST_F(HttpServerOfTheOldEra, ACancelledCallHangsUpAndTellsTheServer) {
  std::stop_source stop;
  const Visit visit = serve([&](const PeerRequest& request, PeerAnswer& answer) {
    if (method_of(request) == "notifications/cancelled") return answer.send(202, {}, "");
    if (method_of(request) == "ping") return answer.send(200, kJson, result_to(request, JsonObject{}));
    stop.request_stop();
    answer.wait_until_gone();
  });
  connect();
  const auto outcome = client_->call_tool("echo", JsonObject{}, {}, stop.get_token());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::cancelled);
  EXPECT_TRUE(client_->ping({}));  // what is sent later comes later
  EXPECT_EQ(count("notifications/cancelled"), 1U);
}

TEST_F(HttpServerOfTheOldEra, AnOldServerWithItsOwnStreamIsSpokenToAsItWants) {
  std::mutex mutex;
  std::vector<std::string> answers;
  std::condition_variable arrived;
  const Visit visit = serve_all([&](const PeerRequest& request, PeerAnswer& answer) {
    if (request.path == "/mcp" && request.method == "POST") return answer.send(405, {}, "");
    if (request.method == "GET") {
      answer.head(200, kEvents);
      answer.chunk("event: endpoint\ndata: /messages?session=1\n\n");
      std::size_t sent = 0;
      while (answer.is_open() && sent < 2) {
        std::unique_lock lock(mutex);
        if (!arrived.wait_for(lock, std::chrono::seconds(20), [&] { return answers.size() > sent; })) return;
        answer.chunk("event: message\ndata: " + answers[sent++] + "\n\n");
      }
      answer.wait_until_gone();
      return;
    }
    EXPECT_EQ(request.path, "/messages?session=1");
    const std::string method = method_of(request);
    if (method == "initialize" || method == "tools/call") {
      const std::lock_guard lock(mutex);
      answers.push_back(result_to(request, method == "initialize" ? initialized() : said("old")));
      arrived.notify_all();
    }
    answer.send(202, {}, "Accepted");
  });
  connect();
  EXPECT_TRUE(client_->facts().old_sse);
  EXPECT_EQ(call(), "old");
}

TEST_F(HttpServerOfTheOldEra, AnAddressElsewhereForMessagesIsRefused) {
  const Visit visit = serve_all([&](const PeerRequest&, PeerAnswer& answer) {
    answer.head(200, kEvents);
    answer.chunk("event: endpoint\ndata: https://evil.example/steal\n\n");
    answer.wait_until_gone();
  });
  SseTransport transport(http_, clock_, {.url = peer_->url("/sse")});
  class Deaf final : public McpReceiver {
    void received(RpcMessage) override {}
    void garbled(std::string) override {}
    void lost(const RpcId&, McpFailure) override {}
    void closed(Error) override {}
  };
  const auto started = transport.start(std::make_shared<Deaf>(), {});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::denied);
  transport.close();
}

TEST_F(HttpServerOfTheOldEra, AMessageThatTheServerDoesNotTakeHoldsUpLaterOnesOnlyForSoLong) {
  taken_timeout_ = std::chrono::milliseconds(50);
  std::stop_source stop;
  const Visit visit = serve([&](const PeerRequest& request, PeerAnswer& answer) {
    if (method_of(request) == "ping") return answer.send(200, kJson, result_to(request, JsonObject{}));
    if (method_of(request) == "tools/call") stop.request_stop();
    answer.wait_until_gone();  // also of the word that the call was taken back
  });
  connect();
  ASSERT_FALSE(client_->call_tool("echo", JsonObject{}, {}, stop.get_token()));
  EXPECT_TRUE(client_->ping({}));
}

TEST_F(HttpServerOfTheOldEra, AServerThatClosesEachStreamAtOnceIsAskedMoreAndMoreSeldom) {
  std::atomic<int> streams = 0;
  const Visit visit = serve_all([&](const PeerRequest& request, PeerAnswer& answer) {
    const std::string method = method_of(request);
    if (request.method == "DELETE") return answer.send(200, {}, "");
    if (request.method == "GET") {
      return answer.send(200, kEvents, "id: " + std::to_string(++streams) + "\nretry: 0\ndata:\n\n");
    }
    if (method == "server/discover") return answer.send(400, kJson, "{}");
    if (method == "initialize") return answer.send(200, kJson, result_to(request, initialized()));
    answer.send(202, {}, "");
  });
  connect();
  ASSERT_TRUE(testing::eventually([&] { return streams >= 5; }));
  // 50, 100, 200 and 400 ms lie between five of them: without the pauses there would be thousands by now.
  EXPECT_LT(streams, 100);
}

TEST_F(HttpServerOfTheOldEra, ARedirectIsNotFollowedAndNobodyElseSeesOurHeaders) {
  HttpPeer other([](const PeerRequest&, PeerAnswer& answer) { answer.send(200, kJson, "{}"); });
  const Visit visit = serve([&](const PeerRequest&, PeerAnswer& answer) {
    answer.send(307, {{"Location", other.url("/latest/meta-data/")}}, "");
  });
  connect();
  EXPECT_EQ(call(),
            "failed: the server answered with HTTP status 307; redirections are not followed, give the final address");
  EXPECT_TRUE(other.requests().empty());
}

TEST_F(HttpServerOfTheOldEra, SayingGoodbyeAsksNobodyWhoWeAre) {
  // As if a token had to be renewed first, at somebody who does not answer.
  class Slow final : public McpAuthorizer {
   public:
    Result<HttpHeaders> headers(std::stop_token) override {
      EXPECT_FALSE(is_over);
      return HttpHeaders{{"Authorization", "Bearer t"}};
    }
    Result<void> refused(const HttpHead&, const HttpHeaders&, std::stop_token) override { return {}; }
    std::atomic<bool> is_over = false;
  };
  Slow authorizer;
  authorizer_ = &authorizer;
  const Visit visit = serve(
      [](const PeerRequest& request, PeerAnswer& answer) { answer.send(200, kJson, result_to(request, said("hi"))); });
  connect();
  EXPECT_EQ(call(), "hi");
  EXPECT_TRUE(testing::eventually([&] { return has_listened(); }));
  authorizer.is_over = true;
  client_->close();
  EXPECT_EQ(peer_->requests().back().method, "DELETE");
  EXPECT_EQ(peer_->requests().back().header("Authorization"), "Bearer t");
}

}  // namespace
}  // namespace deft
