#include "deft/mcp/connection.h"

#include <gtest/gtest.h>

#include <atomic>

#include "deft/mcp/http_transport.h"
#include "deft/mcp/sse_transport.h"
#include "deft/os/curl_http_client.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/real_processes.h"

namespace deft {
namespace {

using testing::eventually;
using testing::HttpPeer;
using testing::PeerAnswer;
using testing::PeerRequest;

const HttpHeaders kJson{{"Content-Type", "application/json"}};

// A modern server on the web, for as long as `refusal` is 0.
class McpConnectionTest : public ::testing::Test {
 protected:
  McpConnectionTest() {
    peer_ = std::make_unique<HttpPeer>([this](const PeerRequest& request, PeerAnswer& answer) {
      ++asked_;
      if (const int status = refusal_) return answer.send(status, {}, "not now");
      const auto message = parse_rpc(request.body);
      const auto* asked = message ? std::get_if<RpcRequest>(&*message) : nullptr;
      if (asked == nullptr) return answer.send(405, {}, "");
      Json result = JsonObject{};
      if (asked->method == "server/discover") {
        result = *parse_json(R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})");
      } else if (asked->method == "tools/list") {
        result = *parse_json(R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})");
      }
      answer.send(200, kJson, to_text(rpc_answer(asked->id, std::move(result))));
    });
  }
  void start() {
    connection_ = std::make_shared<McpConnection>(
        clock_, McpConnectionOptions{.settings = {.name = "web"},
                                     .identity = "web",
                                     .restart_delay = std::chrono::milliseconds(1),
                                     .make_transport = [this](bool old_sse) -> std::unique_ptr<McpTransport> {
                                       const HttpTransport::Options options{.url = peer_->url("/mcp")};
                                       if (old_sse) return std::make_unique<SseTransport>(http_, clock_, options);
                                       return std::make_unique<HttpTransport>(http_, clock_, options);
                                     },
                                     .memory = &memory_});
    connection_->start();
  }
  bool becomes(McpState state) {
    return eventually([&] { return connection_->status().state == state; });
  }
  void TearDown() override {
    if (connection_) connection_->stop();
  }

  SystemClock clock_;
  CurlHttpClient http_{HttpNetwork()};
  McpMemory memory_{""};
  std::atomic<int> refusal_ = 0;
  std::atomic<int> asked_ = 0;
  std::unique_ptr<HttpPeer> peer_;
  std::shared_ptr<McpConnection> connection_;
};

TEST_F(McpConnectionTest, TheRevisionIsFoundOutAndRemembered) {
  start();
  ASSERT_TRUE(becomes(McpState::ready));
  EXPECT_EQ(connection_->status().facts.protocol, "2026-07-28");
  EXPECT_EQ(connection_->status().tools, 1U);
  EXPECT_EQ(memory_.protocol("web"), "2026-07-28");
}

TEST_F(McpConnectionTest, AServerThatIsNotThereYetIsTriedAgain) {
  refusal_ = 404;
  start();
  ASSERT_TRUE(eventually([&] { return asked_ >= 3; }));
  refusal_ = 0;
  EXPECT_TRUE(becomes(McpState::ready));
}

TEST_F(McpConnectionTest, AServerThatWantsALoginSaysSoAndIsNotPestered) {
  refusal_ = 401;
  start();
  ASSERT_TRUE(becomes(McpState::needs_login));
  EXPECT_EQ(connection_->down(), "The MCP server web wants a login: the user has to run `deft mcp login web`.");
  const int before = asked_;
  EXPECT_TRUE(connection_->wait_until_settled(clock_.now(), {}));
  EXPECT_EQ(asked_, before);
  refusal_ = 0;
  connection_->reconnect();
  EXPECT_TRUE(becomes(McpState::ready));
}

}  // namespace
}  // namespace deft
