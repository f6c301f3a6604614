#include "deft/mcp/peer.h"

#include <gtest/gtest.h>

#include <deque>

namespace deft {
namespace {

// A transport without a server: the test says what comes.
class QuietTransport final : public McpTransport {
 public:
  Result<void> start(std::shared_ptr<McpReceiver>, std::stop_token) override { return {}; }
  void send(RpcMessage message, HttpHeaders) override {
    {
      const std::lock_guard lock(mutex_);
      sent_.push_back(to_text(message));
    }
    arrived_.notify_all();
    if (on_send) on_send(message);
  }
  void forget(const RpcId& request) override {
    const std::lock_guard lock(mutex_);
    forgotten_.push_back(request.shown());
  }
  void close() override {}

  std::string wait_for(std::string_view part) {
    std::unique_lock lock(mutex_);
    std::string found;
    arrived_.wait_for(lock, std::chrono::seconds(20), [&] {
      for (const std::string& text : sent_) {
        if (text.find(part) != std::string::npos) found = text;
      }
      return !found.empty();
    });
    return found;
  }
  std::vector<std::string> forgotten() {
    const std::lock_guard lock(mutex_);
    return forgotten_;
  }

  std::function<void(const RpcMessage&)> on_send;

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::string> sent_;       // under mutex_
  std::vector<std::string> forgotten_;  // under mutex_
};

class McpPeerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    peer_ = std::make_shared<McpPeer>(
        "srv", clock_,
        McpPeer::Handlers{.request = [this](const std::string& method, const Json& params,
                                            std::stop_token stop) { return answer_(method, params, std::move(stop)); },
                          .noted = [this](const std::string& text) { notes_.push_back(text); },
                          .closed = [this](const Error& why) { closed_ = why.message; }});
    peer_->attach(transport_);
  }
  void TearDown() override { peer_->shut(); }

  // Answers every request at once, with its own method.
  void answer_all() {
    transport_->on_send = [this](const RpcMessage& message) {
      if (const auto* request = std::get_if<RpcRequest>(&message)) {
        peer_->received(rpc_answer(request->id, JsonObject{{"method", request->method}}));
      }
    };
  }

  SystemClock clock_;
  std::shared_ptr<QuietTransport> transport_ = std::make_shared<QuietTransport>();
  std::function<std::expected<Json, RpcError>(const std::string&, const Json&, std::stop_token)> answer_;
  std::vector<std::string> notes_;
  std::string closed_;
  std::shared_ptr<McpPeer> peer_;
};

TEST_F(McpPeerTest, ARequestGetsItsAnswer) {
  answer_all();
  const auto outcome = peer_->request({.method = "a"}, {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(to_json(*outcome), R"({"method":"a"})");
}

TEST_F(McpPeerTest, IdsAreNeverUsedTwice) {
  answer_all();
  peer_->request({.method = "a"}, {});
  peer_->request({.method = "b"}, {});
  EXPECT_NE(transport_->wait_for("\"a\"").find("\"id\":1"), std::string::npos);
  EXPECT_NE(transport_->wait_for("\"b\"").find("\"id\":2"), std::string::npos);
}

TEST_F(McpPeerTest, AnErrorKeepsWhatTheServerSaid) {
  transport_->on_send = [this](const RpcMessage& message) {
    const auto& request = std::get<RpcRequest>(message);
    peer_->received(rpc_failure(request.id, -32042, "visit a page", JsonObject{{"k", 1}}));
  };
  const auto outcome = peer_->request({.method = "a"}, {});
  ASSERT_FALSE(outcome);
  ASSERT_TRUE(outcome.error().rpc);
  EXPECT_EQ(outcome.error().rpc->code, -32042);
  EXPECT_EQ(outcome.error().message, "visit a page");
}

TEST_F(McpPeerTest, AnAnswerThatComesAfterItsRequestWasGivenUpIsNothingOdd) {
  std::stop_source stop;
  bool has_progressed = false;
  transport_->on_send = [&](const RpcMessage& message) {
    if (std::holds_alternative<RpcRequest>(message)) stop.request_stop();
  };
  ASSERT_FALSE(
      peer_->request({.method = "a", .progress = [&](const Json&) { has_progressed = true; }}, stop.get_token()));
  peer_->received(RpcNotification{"notifications/progress", JsonObject{{"progressToken", 1}, {"progress", 1}}});
  EXPECT_FALSE(has_progressed) << "whoever heard of it is gone";
  peer_->received(rpc_failure(RpcId(1), kRpcMethodNotFound, "late"));
  EXPECT_TRUE(notes_.empty());
  peer_->received(rpc_answer(RpcId(1), JsonObject{}));
  EXPECT_EQ(notes_, (std::vector<std::string>{"srv: an answer that nobody waits for, id 1"})) << "twice is odd";
}

TEST_F(McpPeerTest, ACancelledRequestIsToldToTheServerAndForgotten) {
  std::stop_source stop;
  transport_->on_send = [&](const RpcMessage& message) {
    if (std::holds_alternative<RpcRequest>(message)) stop.request_stop();
  };
  const auto outcome = peer_->request({.method = "a"}, stop.get_token());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::cancelled);
  EXPECT_NE(transport_->wait_for("notifications/cancelled").find("\"requestId\":1"), std::string::npos);
  EXPECT_EQ(transport_->forgotten(), (std::vector<std::string>{"1"}));
}

TEST_F(McpPeerTest, TimeIsLimitedAsAWholeAndBetweenSigns) {
  EXPECT_EQ(peer_->request({.method = "a", .timeout = std::chrono::milliseconds(1)}, {}).error().message,
            "no answer within 1 ms");
  EXPECT_EQ(peer_->request({.method = "a", .idle_timeout = std::chrono::milliseconds(1)}, {}).error().message,
            "no sign of progress for 1 ms");
}

TEST_F(McpPeerTest, ProgressComesToWhoAskedForIt) {
  std::vector<std::string> heard;
  transport_->on_send = [&](const RpcMessage& message) {
    const auto& request = std::get<RpcRequest>(message);
    const Json token = request.params->at("_meta").at("progressToken");
    peer_->received(RpcNotification{.method = "notifications/progress",
                                    .params = JsonObject{{"progressToken", token}, {"progress", 1}}});
    peer_->received(RpcNotification{.method = "notifications/progress",
                                    .params = JsonObject{{"progressToken", 999}, {"progress", 2}}});
    peer_->received(rpc_answer(request.id, JsonObject{}));
  };
  ASSERT_TRUE(
      peer_->request({.method = "a", .progress = [&](const Json& params) { heard.push_back(to_json(params)); }}, {}));
  EXPECT_EQ(heard.size(), 1U);
}

TEST_F(McpPeerTest, TheServersRequestsAreAnswered) {
  answer_ = [](const std::string& method, const Json&, const std::stop_token&) -> std::expected<Json, RpcError> {
    if (method == "good") return JsonObject{{"ok", true}};
    return std::unexpected(RpcError{.code = -32601, .message = "no"});
  };
  peer_->received(RpcRequest{.id = RpcId(std::string("p")), .method = "ping"});
  EXPECT_EQ(transport_->wait_for("\"p\""), R"({"jsonrpc":"2.0","id":"p","result":{}})");
  peer_->received(RpcRequest{.id = RpcId(std::string("g")), .method = "good"});
  EXPECT_EQ(transport_->wait_for("\"g\""), R"({"jsonrpc":"2.0","id":"g","result":{"ok":true}})");
  peer_->received(RpcRequest{.id = RpcId(std::string("b")), .method = "bad"});
  EXPECT_EQ(transport_->wait_for("\"b\""), R"({"jsonrpc":"2.0","id":"b","error":{"code":-32601,"message":"no"}})");
}

TEST_F(McpPeerTest, MoreQuestionsThanWeAnswerAtOnceAreRefused) {
  answer_ = [](const std::string&, const Json&, const std::stop_token& stop) -> std::expected<Json, RpcError> {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait(lock, stop, [] { return false; });
    return JsonObject{};
  };
  for (std::size_t i = 0; i < kMcpServerRequestsMax; ++i) {
    peer_->received(RpcRequest{.id = RpcId(static_cast<std::int64_t>(i)), .method = "wait"});
  }
  peer_->received(RpcRequest{.id = RpcId(std::string("more")), .method = "wait"});
  EXPECT_NE(transport_->wait_for("\"more\"").find("too many requests at once"), std::string::npos);
}

TEST_F(McpPeerTest, TheEndOfTheTransportFailsEverythingAtOnce) {
  transport_->on_send = [this](const RpcMessage&) { peer_->closed({Errc::io, "it is gone"}); };
  const auto outcome = peer_->request({.method = "a"}, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "it is gone");
  EXPECT_FALSE(outcome.error().not_processed) << "nobody knows";
  EXPECT_EQ(closed_, "it is gone");
  const auto later = peer_->request({.method = "b"}, {});
  ASSERT_FALSE(later);
  EXPECT_TRUE(later.error().not_processed) << "that one was never sent";
}

}  // namespace
}  // namespace deft
