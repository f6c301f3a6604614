#include "deft/mcp/server_http.h"

#include <gtest/gtest.h>

#include "deft/testing/virtual_clock.h"

namespace deft {
namespace {

class FakeAnswer final : public HttpAnswer {
 public:
  void send(int its_status, HttpFields its_fields, std::string its_body) override {
    if (is_gone || status != 0) return;
    status = its_status;
    fields = std::move(its_fields);
    body = std::move(its_body);
    has_ended = true;
  }
  void begin(int its_status, HttpFields its_fields) override {
    if (is_gone || status != 0) return;
    status = its_status;
    fields = std::move(its_fields);
  }
  bool write(std::string_view bytes) override {
    if (is_gone || status == 0 || has_ended) return false;
    body += bytes;
    return true;
  }
  void end() override { has_ended = true; }
  void when_gone(std::function<void()> told) override {
    if (is_gone) return told();
    told_.push_back(std::move(told));
  }
  void go() {
    is_gone = true;
    for (const auto& told : std::exchange(told_, {})) told();
  }
  std::string field(std::string_view name) const {
    for (const auto& [key, value] : fields) {
      if (key == name) return value;
    }
    return "";
  }

  int status = 0;
  HttpFields fields;
  std::string body;
  bool has_ended = false;
  bool is_gone = false;

 private:
  std::vector<std::function<void()>> told_;
};

class FakeService final : public McpService {
 public:
  McpServerFace face(McpEra) const override {
    return {.info = {{"name", "fake"}}, .capabilities = {{"tools", JsonObject{{"listChanged", true}}}}};
  }
  void handle(std::shared_ptr<McpServed> request) override { requests.push_back(std::move(request)); }
  std::optional<Json> input_schema(std::string_view tool) const override {
    if (tool == "deep") {
      return *parse_json(R"({"type":"object","properties":{"where":{"type":"object","properties":{
                             "r":{"type":"string","x-mcp-header":"Region"}}}}})");
    }
    if (tool != "region") return std::nullopt;
    return *parse_json(R"({"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Region"},
                           "n":{"type":"integer","x-mcp-header":"Count"}}})");
  }
  void session_ended(const std::string& session) override { ended.push_back(session); }
  std::vector<std::shared_ptr<McpServed>> requests;
  std::vector<std::string> ended;
};

constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

struct Server {
  std::shared_ptr<FakeAnswer> serve(std::string method, HttpFields fields, std::string body = {}) {
    ReadRequest request{.method = std::move(method), .path = "/mcp", .body = std::move(body)};
    request.fields = {{"host", "localhost"}, {"content-type", "application/json"}};
    request.fields.insert(request.fields.end(), fields.begin(), fields.end());
    auto answer = std::make_shared<FakeAnswer>();
    endpoint.serve(std::move(request), answer);
    return answer;
  }
  std::shared_ptr<FakeAnswer> post(std::string body, HttpFields fields = {}) {
    return serve("POST", std::move(fields), std::move(body));
  }
  std::shared_ptr<FakeAnswer> post(const std::string& session, int id, std::string_view method) {
    return post(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + std::string(method) + R"("})",
                {{"mcp-session-id", session}});
  }
  std::string initialize(std::string_view version = "2025-11-25") {
    const auto answer = post(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
                             std::string(version) + R"(","capabilities":{}}})");
    const std::string session = answer->field("Mcp-Session-Id");
    post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {{"mcp-session-id", session}});
    return session;
  }
  std::shared_ptr<FakeAnswer> modern(std::string_view method, std::string_view more = "", HttpFields fields = {}) {
    fields.emplace_back("mcp-protocol-version", "2026-07-28");
    fields.emplace_back("mcp-method", method);
    return post(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"(","params":{)" + std::string(kMeta) +
                    std::string(more) + "}}",
                std::move(fields));
  }

  VirtualClock clock;
  FakeService service;
  McpHttpEndpoint endpoint{service, HttpGuard({}, 80, ""), clock};
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(McpHttp, ASessionBeginsWithItsIdAndEndsWithDelete) {
  Server server;
  const std::string session = server.initialize();
  ASSERT_FALSE(session.empty());
  EXPECT_EQ(server.endpoint.sessions(), 1U);
  EXPECT_TRUE(contains(server.post(session, 1, "ping")->body, R"("result":{})"));
  EXPECT_EQ(server.serve("DELETE", {{"mcp-session-id", session}})->status, 204);
  EXPECT_EQ(server.service.ended, std::vector<std::string>{session});
  EXPECT_EQ(server.post(session, 2, "ping")->status, 404);
  EXPECT_EQ(server.serve("DELETE", {{"mcp-session-id", session}})->status, 404);
}

TEST(McpHttp, WhatIsNoMessageIsRefused) {
  Server server;
  EXPECT_EQ(server.post("hello")->status, 400);
  EXPECT_EQ(server.post("[]")->status, 400);
  EXPECT_EQ(server.serve("PUT", {})->status, 405);
  EXPECT_EQ(server.serve("GET", {})->status, 405);
  EXPECT_EQ(server.serve("DELETE", {})->status, 405);
  const auto no_session = server.post(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  EXPECT_EQ(no_session->status, 400);
  const std::string session = server.initialize();
  EXPECT_EQ(server
                .post(R"({"jsonrpc":"2.0","id":1,"method":"ping"})",
                      {{"mcp-session-id", session}, {"mcp-protocol-version", "1.0"}})
                ->status,
            400);
}

TEST(McpHttp, WhatIsSaidDuringACallComesBeforeItsAnswerOnOneStream) {
  Server server;
  const std::string session = server.initialize();
  const auto answer =
      server.post(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":1}}})",
                  {{"mcp-session-id", session}});
  EXPECT_EQ(answer->field("Content-Type"), "text/event-stream");
  server.service.requests.at(0)->progress(1, 2, "");
  server.service.requests.at(0)->answer({{"content", JsonArray()}});
  EXPECT_TRUE(answer->has_ended);
  EXPECT_TRUE(contains(answer->body, "id: 1-0\nretry: 1000\ndata: \n\n")) << answer->body;
  EXPECT_LT(answer->body.find("notifications/progress"), answer->body.find("\"content\":[]"));
}

TEST(McpHttp, AClientThatLostItsConnectionComesBackForTheRest) {
  Server server;
  const std::string session = server.initialize();
  const auto lost =
      server.post(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":1}}})",
                  {{"mcp-session-id", session}});
  server.service.requests.at(0)->progress(1, 3, "one");
  lost->go();
  server.service.requests.at(0)->progress(2, 3, "two");
  EXPECT_FALSE(server.service.requests.at(0)->stop().stop_requested()) << "to lose it is not to take it back";
  const auto resume = [&](std::string_view last) {
    return server.serve(
        "GET", {{"mcp-session-id", session}, {"accept", "text/event-stream"}, {"last-event-id", std::string(last)}});
  };
  const auto back = resume("1-1");
  EXPECT_FALSE(contains(back->body, "one"));
  EXPECT_TRUE(contains(back->body, "two"));
  EXPECT_FALSE(back->has_ended);
  server.service.requests.at(0)->answer({{"content", JsonArray()}});
  EXPECT_TRUE(contains(back->body, "\"content\":[]"));
  EXPECT_TRUE(back->has_ended);
  const auto late = resume("1-0");
  EXPECT_TRUE(contains(late->body, "one") && contains(late->body, "\"content\":[]"));
  EXPECT_TRUE(late->has_ended);
  for (const char* unknown : {"9-1", "x", "1-", "-1", "1-1-1"}) EXPECT_EQ(resume(unknown)->status, 400) << unknown;
}

TEST(McpHttp, WhatNobodyAskedForGoesToTheStreamThatTheClientOpened) {
  Server server;
  const std::string session = server.initialize();
  const auto stream = server.serve("GET", {{"mcp-session-id", session}, {"accept", "text/event-stream"}});
  EXPECT_EQ(stream->status, 200);
  EXPECT_EQ(server.serve("GET", {{"mcp-session-id", session}, {"accept", "text/event-stream"}})->status, 409);
  server.endpoint.announce({.what = McpChange::What::tools});
  EXPECT_TRUE(contains(stream->body, "notifications/tools/list_changed"));
  stream->go();
  const auto again = server.serve("GET", {{"mcp-session-id", session}, {"accept", "text/event-stream"}});
  EXPECT_EQ(again->status, 200);
}

TEST(McpHttp, AModernRequestIsAnsweredPlainlyUnlessThereIsMoreToSay) {
  Server server;
  const auto plain = server.modern("tools/list");
  server.service.requests.at(0)->answer({{"tools", JsonArray()}});
  EXPECT_EQ(plain->field("Content-Type"), "application/json");
  EXPECT_TRUE(contains(plain->body, "\"resultType\":\"complete\""));
  const auto listening = server.modern("subscriptions/listen", R"(,"notifications":{"toolsListChanged":true})");
  EXPECT_EQ(listening->field("Content-Type"), "text/event-stream");
  server.endpoint.announce({.what = McpChange::What::tools});
  EXPECT_TRUE(contains(listening->body, "list_changed"));
}

TEST(McpHttp, ClosingTheConnectionTakesAModernRequestBack) {
  Server server;
  const auto answer = server.modern("tools/call", R"(,"name":"x")", {{"mcp-name", "x"}});
  EXPECT_FALSE(server.service.requests.at(0)->stop().stop_requested());
  answer->go();
  EXPECT_TRUE(server.service.requests.at(0)->stop().stop_requested());
}

TEST(McpHttp, HeadersOfAModernRequestMustSayWhatItsBodySays) {
  Server server;
  const auto code = [](const std::shared_ptr<FakeAnswer>& answer) {
    const auto json = parse_json(answer->body);
    const Json* error = json ? find(*json, "error") : nullptr;
    return std::pair(answer->status, error ? find_int(*error, "code").value_or(0) : 0);
  };
  const auto mismatch = std::pair(400, kMcpHeaderMismatch);
  EXPECT_EQ(code(server.modern("tools/call", R"(,"name":"x")")), mismatch);
  EXPECT_EQ(code(server.modern("tools/call", R"(,"name":"x")", {{"mcp-name", "X"}})), mismatch);
  EXPECT_EQ(code(server.modern("tools/list", "", {{"mcp-method", "tools/call"}})), mismatch) << "the first counts";
  EXPECT_EQ(code(server.modern("no/such")), std::pair(404, kRpcMethodNotFound));
  const auto region = [&](HttpFields fields) {
    fields.emplace_back("mcp-name", "region");
    return code(
        server.modern("tools/call", R"(,"name":"region","arguments":{"r":"Zürich","n":42})", std::move(fields)));
  };
  EXPECT_EQ(region({}), mismatch);
  EXPECT_EQ(region({{"mcp-param-region", "Bern"}, {"mcp-param-count", "42"}}), mismatch);
  EXPECT_EQ(region({{"mcp-param-region", "=?base64?Wrong!?="}, {"mcp-param-count", "42"}}), mismatch);
  EXPECT_EQ(region({{"mcp-param-region", "=?base64?WsO8cmljaA==?="}, {"mcp-param-count", "43"}}), mismatch);
  EXPECT_EQ(region({{"mcp-param-region", "=?base64?WsO8cmljaA==?="}, {"mcp-param-count", "42.0"}}),
            std::pair(0, std::int64_t{0}));
  EXPECT_EQ(server.service.requests.size(), 1U);
  const auto deep = [&](const char* value) {
    return code(server.modern("tools/call", R"(,"name":"deep","arguments":{"where":{"r":"Bern"}})",
                              {{"mcp-name", "deep"}, {"mcp-param-region", value}}));
  };
  EXPECT_EQ(deep("Basel"), mismatch);
  EXPECT_EQ(deep("Bern"), std::pair(0, std::int64_t{0}));
  EXPECT_EQ(code(server.modern("tasks/result", R"(,"taskId":"t")")), std::pair(404, kRpcMethodNotFound))
      << "what there is not needs no name";
}

TEST(McpHttp, AClientThatReadsOnlyStreamsGetsItsFirstAnswerOnOneToo) {
  Server server;
  const auto answer = server.post(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}})",
      {{"accept", "text/event-stream"}});
  EXPECT_EQ(answer->field("Content-Type"), "text/event-stream");
  EXPECT_NE(answer->field("Mcp-Session-Id"), "");
}

TEST(McpHttp, TakesNoMoreSessionsThanItsLimit) {
  Server server;
  for (std::size_t i = 0; i < kMcpSessionsMax; ++i) ASSERT_FALSE(server.initialize().empty());
  const auto refused =
      server.post(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
  EXPECT_EQ(refused->status, 503);
}

TEST(McpHttp, WhenTheServerEndsEverybodyHearsIt) {
  auto answer = std::make_shared<FakeAnswer>();
  FakeService service;
  {
    Server server;
    const std::string session = server.initialize();
    answer = server.post(session, 1, "tools/call");
    service.requests = server.service.requests;
  }
  EXPECT_TRUE(answer->has_ended);
  EXPECT_TRUE(service.requests.at(0)->stop().stop_requested());
  service.requests.at(0)->answer({});
}

TEST(McpStreams, KeepNoMoreThanTheirLimit) {
  const auto streams = std::make_shared<McpStreams>();
  const auto answer = std::make_shared<FakeAnswer>();
  const std::uint64_t stream = streams->open(answer, {}, true);
  const std::string much(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 20; ++i) streams->send(stream, much);
  EXPECT_FALSE(streams->resume(std::to_string(stream) + "-0", std::make_shared<FakeAnswer>(), {}));
  const auto back = std::make_shared<FakeAnswer>();
  EXPECT_TRUE(streams->resume(std::to_string(stream) + "-20", back, {}));
}

constexpr const char* kBatch =
    R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","id":2,"method":"ping"}])";

TEST(McpHttp, AnOldClientsBatchIsAnsweredOnOneStreamEachAnswerAsItComes) {
  Server server;
  const std::string session = server.initialize("2025-03-26");
  const auto answer = server.post(kBatch, {{"mcp-session-id", session}});
  EXPECT_EQ(answer->field("Content-Type"), "text/event-stream");
  EXPECT_TRUE(contains(answer->body, R"(data: {"jsonrpc":"2.0","id":2,"result":{}})"));
  EXPECT_FALSE(answer->has_ended);
  server.service.requests.at(0)->answer({{"content", JsonArray()}});
  EXPECT_TRUE(contains(answer->body, R"(data: {"jsonrpc":"2.0","id":1,"result":{"content":[]}})"));
  EXPECT_TRUE(answer->has_ended);
}

TEST(McpHttp, AnOldClientThatReadsNoStreamsGetsTheAnswersToItsBatchAsAList) {
  Server server;
  const std::string session = server.initialize("2025-03-26");
  const auto answer = server.post(kBatch, {{"mcp-session-id", session}, {"accept", "application/json"}});
  EXPECT_EQ(answer->status, 0);
  server.service.requests.at(0)->answer({});
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, R"([{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}])");
  const auto nothing = server.post(R"([{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}])",
                                   {{"mcp-session-id", session}});
  EXPECT_EQ(nothing->status, 202);
}

TEST(McpHttp, WhereThereAreNoBatchesTheyAreRefused) {
  Server server;
  for (const char* version : {"2025-06-18", "2025-11-25"}) {
    const auto answer = server.post(kBatch, {{"mcp-session-id", server.initialize(version)}});
    EXPECT_EQ(answer->status, 400);
    EXPECT_TRUE(contains(answer->body, "-32600"));
    EXPECT_TRUE(contains(answer->body, "2025-03-26"));
  }
  EXPECT_EQ(server.post(kBatch)->status, 400) << "without a session";
  EXPECT_EQ(server.post(kBatch, {{"mcp-protocol-version", "2026-07-28"}})->status, 400);
  EXPECT_EQ(server.post(kBatch, {{"mcp-session-id", "no-such"}})->status, 404);
  EXPECT_TRUE(server.service.requests.empty());
}

TEST(McpHttp, StreamsThatAClientOpensAnewAndAnewAreNotKept) {
  Server server;
  const std::string session = server.initialize();
  for (int i = 0; i < 3000; ++i) {
    const auto stream = server.serve("GET", {{"mcp-session-id", session}});
    ASSERT_EQ(stream->status, 200);
    stream->go();
  }
  const auto last = server.serve("GET", {{"mcp-session-id", session}});
  EXPECT_TRUE(contains(last->body, "id: 3001-0")) << last->body;
  const auto first = server.serve("GET", {{"mcp-session-id", session}, {"last-event-id", "1-0"}});
  EXPECT_EQ(first->status, 400) << "it was dropped for the newer ones";
}

}  // namespace
}  // namespace deft
