#include "deft/mcp/server.h"

#include <gtest/gtest.h>

#include "deft/mcp/server_batch.h"
#include "deft/mcp/server_stdio.h"

namespace deft {
namespace {

// Keeps what it is asked; the test answers.
class FakeService final : public McpService {
 public:
  McpServerFace face(McpEra) const override {
    return {
        .info = {{"name", "fake"}, {"version", "1"}},
        .capabilities = {{"tools", JsonObject{{"listChanged", true}}}, {"resources", JsonObject{{"subscribe", true}}}},
        .instructions = "be kind"};
  }
  void handle(std::shared_ptr<McpServed> request) override { requests.push_back(std::move(request)); }
  std::optional<Json> input_schema(std::string_view) const override { return std::nullopt; }
  void session_ended(const std::string& session) override { ended.push_back(session); }

  std::vector<std::shared_ptr<McpServed>> requests;
  std::vector<std::string> ended;
};

// A client at the other end of a pipe.
class Client {
 public:
  void say(std::string_view json) { endpoint.feed(std::string(json) + "\n"); }
  void request(int id, std::string_view method, std::string_view params = "{}") {
    say(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + std::string(method) + R"(","params":)" +
        std::string(params) + "}");
  }
  void initialize(std::string_view version = "2025-11-25", std::string_view capabilities = "{}") {
    request(0, "initialize",
            R"({"protocolVersion":")" + std::string(version) + R"(","capabilities":)" + std::string(capabilities) +
                R"(,"clientInfo":{"name":"c","version":"1"}})");
    say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    hear();
  }
  // A request that stands for itself.
  void modern(int id, std::string_view method, std::string_view more = "", std::string_view meta = "") {
    request(id, method,
            R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
            R"("io.modelcontextprotocol/clientCapabilities":{})" +
                std::string(meta) + "}" + std::string(more) + "}");
  }
  std::vector<std::string> hear() { return std::exchange(lines, {}); }

  FakeService service;
  std::vector<std::string> lines;
  McpStdioEndpoint endpoint{service, [this](std::string line) { lines.push_back(std::move(line)); }};
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(McpServer, ShakesHandsInTheRevisionThatTheClientWantsIfItKnowsIt) {
  for (const auto& [wanted, given] : {std::pair("2025-11-25", "2025-11-25"), std::pair("2024-11-05", "2024-11-05"),
                                      std::pair("2026-07-28", "2025-11-25"), std::pair("1999-01-01", "2025-11-25")}) {
    Client client;
    client.request(1, "initialize", R"({"protocolVersion":")" + std::string(wanted) + R"(","capabilities":{}})");
    const auto heard = client.hear();
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_TRUE(contains(heard[0], R"("protocolVersion":")" + std::string(given))) << heard[0];
    EXPECT_TRUE(contains(heard[0], R"("instructions":"be kind")"));
  }
}

TEST(McpServer, WithoutAHandshakeASessionHasNothingToSay) {
  Client client;
  client.request(1, "tools/list");
  EXPECT_TRUE(contains(client.hear().at(0), "-32602"));
  EXPECT_TRUE(client.service.requests.empty());
  client.request(2, "ping");
  EXPECT_EQ(client.hear().at(0), R"({"jsonrpc":"2.0","id":2,"result":{}})");
}

TEST(McpServer, HandsOnWhatIsOfferedAndRefusesTheRest) {
  Client client;
  client.initialize();
  client.request(1, "tools/call", R"({"name":"x"})");
  ASSERT_EQ(client.service.requests.size(), 1U);
  EXPECT_EQ(client.service.requests[0]->caller().session, "stdio");
  client.service.requests[0]->answer({{"content", JsonArray()}});
  EXPECT_EQ(client.hear().at(0), R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  for (const char* method : {"prompts/list", "completion/complete", "no/such", "server/discover", "tasks/get"}) {
    client.request(2, method);
    EXPECT_TRUE(contains(client.hear().at(0), "\"error\"")) << method;
  }
  EXPECT_EQ(client.service.requests.size(), 1U);
}

TEST(McpServer, ARequestIsAnsweredOnce) {
  Client client;
  client.initialize();
  client.request(1, "tools/list");
  const auto request = client.service.requests.at(0);
  request->answer({});
  request->answer({});
  request->fail({});
  request->progress(1, std::nullopt, "late");
  EXPECT_EQ(client.hear().size(), 1U);
  client.request(1, "tools/list");
  EXPECT_EQ(client.service.requests.size(), 2U) << "its id may be used again";
  client.request(1, "tools/list");
  EXPECT_TRUE(contains(client.hear().at(0), "under way"));
}

TEST(McpServer, WhatIsTakenBackIsStoppedAndNotAnswered) {
  Client client;
  client.initialize();
  client.request(7, "tools/call");
  const auto request = client.service.requests.at(0);
  EXPECT_FALSE(request->stop().stop_requested());
  client.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
  EXPECT_TRUE(request->stop().stop_requested());
  request->answer({});
  EXPECT_TRUE(client.hear().empty());
}

TEST(McpServer, ProgressIsToldToWhoAskedForIt) {
  Client client;
  client.initialize();
  client.request(1, "tools/call", R"({"_meta":{"progressToken":"p"}})");
  client.request(2, "tools/call");
  client.service.requests[0]->progress(1, 2.5, "half");
  client.service.requests[1]->progress(1, 2, "half");
  EXPECT_EQ(client.hear(),
            (std::vector<std::string>{R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
                                      R"({"progressToken":"p","progress":1,"total":2.5,"message":"half"}})"}));
}

TEST(McpServer, TheLogIsAsTalkativeAsTheClientWants) {
  Client client;
  client.initialize();
  client.request(1, "logging/setLevel", R"({"level":"warning"})");
  client.request(2, "logging/setLevel", R"({"level":"loud"})");
  EXPECT_TRUE(contains(client.hear().at(1), "-32602"));
  client.request(3, "tools/call");
  client.service.requests[0]->log("info", "", "quiet");
  EXPECT_TRUE(client.hear().empty());
  client.service.requests[0]->log("error", "tool", "loud");
  EXPECT_TRUE(contains(client.hear().at(0), R"("level":"error")"));
}

TEST(McpServer, AsksTheClientAndHearsItsAnswer) {
  Client client;
  client.initialize();
  client.request(1, "tools/call");
  std::vector<std::string> told;
  const auto take = [&](const std::expected<Json, RpcError>& said) {
    told.push_back(said ? to_json(*said) : said.error().message);
  };
  client.service.requests[0]->ask("roots/list", JsonObject(), take);
  EXPECT_EQ(client.hear().at(0), R"({"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}})");
  client.say(R"({"jsonrpc":"2.0","id":1,"result":{"roots":[]}})");
  client.say(R"({"jsonrpc":"2.0","id":1,"result":{"roots":["again"]}})");
  EXPECT_EQ(told, std::vector<std::string>{R"({"roots":[]})"});
  client.service.requests[0]->ask("roots/list", JsonObject(), take);
  client.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_EQ(told.size(), 2U) << "whoever waits for the answer is not left waiting";
}

TEST(McpServer, TellsWhatChangedToThoseWhoWantToKnow) {
  Client client;
  client.endpoint.announce({.what = McpChange::What::tools});
  EXPECT_TRUE(client.hear().empty()) << "not before the handshake";
  client.initialize();
  client.endpoint.announce({.what = McpChange::What::tools});
  EXPECT_TRUE(contains(client.hear().at(0), "notifications/tools/list_changed"));
  client.endpoint.announce({.what = McpChange::What::resource, .uri = "a:b"});
  EXPECT_TRUE(client.hear().empty());
  client.request(1, "resources/subscribe", R"({"uri":"a:b"})");
  client.hear();
  client.endpoint.announce({.what = McpChange::What::resource, .uri = "a:b"});
  EXPECT_TRUE(contains(client.hear().at(0), R"("uri":"a:b")"));
}

TEST(McpServer, EveryModernRequestStandsForItself) {
  Client client;
  client.modern(1, "server/discover");
  const std::string discovered = client.hear().at(0);
  EXPECT_TRUE(contains(discovered, R"("supportedVersions":["2026-07-28","2025-11-25")")) << discovered;
  EXPECT_TRUE(contains(discovered, R"("resultType":"complete")"));
  EXPECT_TRUE(contains(discovered, R"("io.modelcontextprotocol/serverInfo":{"name":"fake")"));
  client.modern(2, "tools/list");
  client.service.requests.at(0)->answer({{"tools", JsonArray()}});
  EXPECT_EQ(client.hear().at(0), R"({"jsonrpc":"2.0","id":2,"result":{"tools":[],"resultType":"complete",)"
                                 R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"1"}},)"
                                 R"("ttlMs":0,"cacheScope":"private"}})");
  for (const char* gone : {"initialize", "ping", "logging/setLevel", "resources/subscribe"}) {
    client.modern(3, gone);
    EXPECT_TRUE(contains(client.hear().at(0), "-32601")) << gone;
  }
}

TEST(McpServer, AModernRequestSaysWhatItIsOrIsRefused) {
  Client client;
  client.request(1, "server/discover", "{}");
  EXPECT_TRUE(contains(client.hear().at(0), "-32602"));
  client.request(1, "tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})");
  EXPECT_TRUE(contains(client.hear().at(0), "clientCapabilities"));
  client.request(1, "tools/list",
                 R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01",)"
                 R"("io.modelcontextprotocol/clientCapabilities":{}}})");
  const std::string unsupported = client.hear().at(0);
  EXPECT_TRUE(contains(unsupported, "-32022")) << unsupported;
  EXPECT_TRUE(contains(unsupported, R"("requested":"2099-01-01")"));
}

TEST(McpServer, AModernClientIsNotAskedAndHearsTheLogOnlyIfItWantsTo) {
  Client client;
  client.modern(1, "tools/call");
  bool refused = false;
  client.service.requests[0]->ask("roots/list", JsonObject(), [&](const auto& said) { refused = !said; });
  EXPECT_TRUE(refused);
  client.service.requests[0]->log("emergency", "", "help");
  EXPECT_TRUE(client.hear().empty());
  client.modern(2, "tools/call", "", R"(,"io.modelcontextprotocol/logLevel":"info")");
  client.service.requests[1]->log("debug", "", "x");
  client.service.requests[1]->log("info", "", "y");
  EXPECT_EQ(client.hear().size(), 1U);
}

TEST(McpServer, WhoListensHearsWhatItAskedForTaggedWithItsOwnId) {
  Client client;
  client.modern(5, "subscriptions/listen", R"(,"notifications":{"toolsListChanged":true})");
  EXPECT_EQ(client.hear().at(0), R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":)"
                                 R"({"notifications":{"toolsListChanged":true},)"
                                 R"("_meta":{"io.modelcontextprotocol/subscriptionId":5}}})");
  client.endpoint.announce({.what = McpChange::What::prompts});
  EXPECT_TRUE(client.hear().empty());
  client.endpoint.announce({.what = McpChange::What::tools});
  EXPECT_TRUE(contains(client.hear().at(0), R"("io.modelcontextprotocol/subscriptionId":5)"));
  client.endpoint.end();
  const std::string last = client.hear().at(0);
  EXPECT_TRUE(contains(last, R"("id":5,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":5,)")) << last;
  EXPECT_TRUE(contains(last, R"("resultType":"complete")")) << last;
}

TEST(McpServer, WhoListensIsGrantedOnlyWhatIsEverTold) {
  Client client;
  client.modern(5, "subscriptions/listen",
                R"(,"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,)"
                R"("resourceSubscriptions":["a:b"]})");
  EXPECT_TRUE(
      contains(client.hear().at(0), R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"]})"));
  client.modern(6, "subscriptions/listen", R"(,"notifications":{"promptsListChanged":true})");
  const auto heard = client.hear();
  ASSERT_EQ(heard.size(), 2U) << "nothing could come, so it ends";
  EXPECT_TRUE(contains(heard[0], R"("notifications":{})"));
  EXPECT_TRUE(contains(heard[1], R"("id":6,"result":)"));
  client.modern(7, "subscriptions/listen");
  EXPECT_TRUE(contains(client.hear().at(0), "-32602"));
}

TEST(McpServer, AClientThatHasNotSaidHowTalkativeTheLogIsHearsNoDetails) {
  Client client;
  client.initialize();
  client.request(1, "tools/call");
  client.service.requests[0]->log("debug", "", "detail");
  EXPECT_TRUE(client.hear().empty());
  client.service.requests[0]->log("info", "", "news");
  EXPECT_EQ(client.hear().size(), 1U);
}

TEST(McpServer, WhenTheClientGoesItsRequestsAreStopped) {
  Client client;
  client.initialize();
  client.request(1, "tools/call");
  client.endpoint.end();
  EXPECT_TRUE(client.service.requests[0]->stop().stop_requested());
  EXPECT_EQ(client.service.ended, std::vector<std::string>{"stdio"});
  client.request(2, "tools/call");
  EXPECT_EQ(client.service.requests.size(), 1U);
}

TEST(McpServer, TakesNoMoreRequestsAtOnceThanItsLimit) {
  Client client;
  client.initialize();
  for (std::size_t i = 0; i < kMcpRequestsPerClientMax; ++i) client.request(static_cast<int>(i), "tools/call");
  EXPECT_TRUE(client.hear().empty());
  client.request(100'000, "tools/call");
  EXPECT_TRUE(contains(client.hear().at(0), "too many"));
}

TEST(McpStdio, WhatIsNoMessageIsToldSoAndTheNextOneIsRead) {
  Client client;
  client.say("hello");
  client.say(R"({"jsonrpc":"1.0","id":3,"method":"ping"})");
  client.say("");
  client.endpoint.feed(R"({"jsonrpc":"2.0","id":4,)");
  client.endpoint.feed("\"method\":\"ping\"}\r\n");
  const auto heard = client.hear();
  ASSERT_EQ(heard.size(), 3U);
  EXPECT_TRUE(contains(heard[0], "-32700"));
  EXPECT_TRUE(contains(heard[1], "-32600"));
  EXPECT_EQ(heard[2], R"({"jsonrpc":"2.0","id":4,"result":{}})");
}

TEST(McpStdio, ALineThatIsTooLongIsThrownAway) {
  Client client;
  const std::string piece(std::size_t{8} << 20, ' ');
  for (int i = 0; i < 9; ++i) client.endpoint.feed(piece);
  client.say("");
  client.request(1, "ping");
  const auto heard = client.hear();
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_TRUE(contains(heard[0], "-32600"));
}

constexpr const char* kBatch = R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}},
{"jsonrpc":"2.0","method":"notifications/nothing"},{"jsonrpc":"2.0","id":"two","method":"ping"},7])";

std::string in_one_line(std::string text) {
  std::erase(text, '\n');
  return text;
}

TEST(McpStdio, AnOldClientsBatchIsAnsweredByOneListWhenAllOfItIsDone) {
  for (const char* version : {"2024-11-05", "2025-03-26"}) {
    Client client;
    client.initialize(version);
    client.say(in_one_line(kBatch));
    EXPECT_TRUE(client.hear().empty()) << "one of them is still under way";
    client.service.requests.at(0)->answer({{"content", JsonArray()}});
    const auto heard = client.hear();
    ASSERT_EQ(heard.size(), 1U);
    const auto list = parse_json(heard[0]);
    ASSERT_TRUE(list && list->is_array()) << heard[0];
    ASSERT_EQ(list->get_array().size(), 3U);
    EXPECT_EQ(to_json(list->at(0)), R"({"jsonrpc":"2.0","id":"two","result":{}})");
    EXPECT_TRUE(contains(to_json(list->at(1)), "-32600")) << "what is no message is told so";
    EXPECT_EQ(to_json(list->at(2)), R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  }
}

TEST(McpStdio, ABatchOfWhichAllIsTakenBackIsNotAnswered) {
  Client client;
  client.initialize("2025-03-26");
  client.say(R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}])");
  client.say(R"([{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}])");
  EXPECT_TRUE(client.service.requests.at(0)->stop().stop_requested());
  EXPECT_TRUE(client.hear().empty());
}

TEST(McpStdio, WhereThereAreNoBatchesTheyAreRefusedAsAWhole) {
  for (const char* version : {"", "2025-06-18", "2025-11-25"}) {
    Client client;
    if (*version != 0) client.initialize(version);
    client.say(in_one_line(kBatch));
    const auto heard = client.hear();
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_TRUE(contains(heard[0], R"("id":null,"error":{"code":-32600)")) << heard[0];
    EXPECT_TRUE(client.service.requests.empty());
  }
}

TEST(McpStdio, ABatchHasItsLimitsAndNeverBeginsASession) {
  Client client;
  client.initialize("2025-03-26");
  std::string many = "[0";
  for (std::size_t i = 0; i < kMcpBatchMessagesMax; ++i) many += ",0";
  for (const std::string& batch :
       {std::string("[]"), many + "]",
        std::string(R"([{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}])")}) {
    client.say(batch);
    const auto heard = client.hear();
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_TRUE(contains(heard[0], R"("id":null,"error":{"code":-32600)")) << heard[0];
  }
}

}  // namespace
}  // namespace deft
