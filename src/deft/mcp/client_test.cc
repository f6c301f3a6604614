#include "deft/mcp/client.h"

#include <gtest/gtest.h>

#include "deft/mcp/host_transport.h"

namespace deft {
namespace {

// A client of a server that is a function of the test: what it answers to each request.
class McpClientTest : public ::testing::Test {
 protected:
  using Answer = std::function<RpcResponse(const RpcRequest&)>;

  void connect(Answer answer, McpHandlers handlers = {}) {
    client_ = std::make_unique<McpClient>(
        clock_,
        McpClientOptions{.server = "srv",
                         .make_transport = [this, answer](bool old_sse) -> std::unique_ptr<McpTransport> {
                           if (old_sse) return nullptr;
                           return std::make_unique<HostTransport>(
                               [this, answer](const Json& message, const std::function<void(Result<Json>)>& then) {
                                 auto read = read_rpc(message);
                                 const auto* request = read ? std::get_if<RpcRequest>(&*read) : nullptr;
                                 if (request == nullptr) return;
                                 requests_.push_back(to_text(*request));
                                 then(to_value(answer(*request)));
                               });
                         }},
        std::move(handlers));
    const auto connected = client_->connect({});
    ASSERT_TRUE(connected) << connected.error().message;
  }

  // A modern server with one tool.
  static Answer modern(Answer call) {
    return [call = std::move(call)](const RpcRequest& request) {
      if (request.method == "server/discover") {
        return rpc_answer(request.id,
                          JsonObject{{"supportedVersions", JsonArray{"2026-07-28"}}, {"capabilities", JsonObject{}}});
      }
      return call(request);
    };
  }
  static Answer legacy(Answer call) {
    return [call = std::move(call)](const RpcRequest& request) {
      if (request.method == "server/discover") return rpc_failure(request.id, kRpcMethodNotFound, "no");
      if (request.method == "initialize") {
        return rpc_answer(request.id, JsonObject{{"protocolVersion", "2025-11-25"},
                                                 {"capabilities", JsonObject{}},
                                                 {"instructions", std::string(5000, 'i')}});
      }
      return call(request);
    };
  }
  static RpcResponse said(const RpcRequest& request, std::string_view text) {
    return rpc_answer(request.id, JsonObject{{"content", {{{"type", "text"}, {"text", text}}}}});
  }

  SystemClock clock_;
  std::vector<std::string> requests_;
  std::unique_ptr<McpClient> client_;
};

TEST_F(McpClientTest, InTheModernEraEveryRequestSaysWhoWeAre) {
  connect(modern([](const RpcRequest& request) { return said(request, "ok"); }));
  ASSERT_TRUE(client_->call_tool("t", JsonObject{}, {}, {}));
  const Json request = *parse_json(requests_.back());
  const Json& meta = request.at("params").at("_meta");
  EXPECT_EQ(find_string(meta, "io.modelcontextprotocol/protocolVersion"), "2026-07-28");
  EXPECT_TRUE(find_object(meta, "io.modelcontextprotocol/clientCapabilities"));
  EXPECT_TRUE(client_->facts().modern);
}

TEST_F(McpClientTest, AServerThatRefusesARevisionAndNamesOthersIsAskedForTheNewestOfThem) {
  connect([](const RpcRequest& request) {
    if (request.method != "initialize") return rpc_failure(request.id, kRpcMethodNotFound, "no");
    const std::string wanted(find_string(*request.params, "protocolVersion").value_or(""));
    if (wanted != "2025-03-26") {
      return rpc_failure(request.id, kRpcInvalidParams, "Unsupported protocol version",
                         JsonObject{{"supported", JsonArray{"2024-11-05", "2025-03-26", "1999-01-01"}}});
    }
    return rpc_answer(request.id, JsonObject{{"protocolVersion", wanted}, {"capabilities", JsonObject{}}});
  });
  EXPECT_EQ(client_->facts().protocol, "2025-03-26");
}

TEST_F(McpClientTest, AServerThatIsModernOnlyAndWasTooSlowToSaySoIsAskedAgain) {
  int discovered = 0;
  connect([&](const RpcRequest& request) {
    if (request.method == "server/discover" && ++discovered > 1) {
      return rpc_answer(request.id,
                        JsonObject{{"supportedVersions", JsonArray{"2026-07-28"}}, {"capabilities", JsonObject{}}});
    }
    return rpc_failure(request.id, kRpcInvalidRequest, "not now");
  });
  EXPECT_TRUE(client_->facts().modern);
}

TEST_F(McpClientTest, AQuestionAsAResultIsAnsweredAndTheRequestMadeAnew) {
  McpHandlers handlers;
  handlers.elicitation = [](const McpElicitation& elicitation, const std::stop_token&) -> Result<Json> {
    EXPECT_EQ(elicitation.message, "Sure?");
    return JsonObject{{"action", "accept"}, {"content", {{"yes", true}}}};
  };
  connect(modern([](const RpcRequest& request) {
            const Json& params = *request.params;
            if (find(params, "inputResponses") == nullptr) {
              return rpc_answer(
                  request.id,
                  *parse_json(R"({"resultType":"input_required","requestState":"opaque","inputRequests":{"q":{
                      "method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object",
                      "properties":{"yes":{"type":"boolean"}}}}}}})"));
            }
            EXPECT_EQ(find_string(params, "requestState"), "opaque");
            return said(request, to_json(params.at("inputResponses")));
          }),
          std::move(handlers));
  const auto outcome = client_->call_tool("t", JsonObject{}, {}, {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(find_string(outcome->at("content").at(0), "text"), R"({"q":{"action":"accept","content":{"yes":true}}})");
}

TEST_F(McpClientTest, AServerThatAsksForEverIsGivenUp) {
  connect(modern([](const RpcRequest& request) {
    return rpc_answer(request.id, JsonObject{{"resultType", "input_required"}, {"requestState", "again"}});
  }));
  const auto outcome = client_->call_tool("t", JsonObject{}, {}, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::limit);
}

TEST_F(McpClientTest, WhatNobodyHereCanAnswerFailsTheCall) {
  connect(modern([](const RpcRequest& request) {
    return rpc_answer(request.id, *parse_json(R"({"resultType":"input_required","inputRequests":{"q":{
        "method":"sampling/createMessage","params":{}}}})"));
  }));
  const auto outcome = client_->call_tool("t", JsonObject{}, {}, {});
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("deft does not offer"), std::string::npos);
}

TEST_F(McpClientTest, PagesThatTheUserHasToVisitComeFirst) {
  McpHandlers handlers;
  std::vector<std::string> visited;
  handlers.elicitation = [&](const McpElicitation& elicitation, const std::stop_token&) -> Result<Json> {
    visited.push_back(elicitation.url);
    return JsonObject{{"action", "accept"}};
  };
  connect(legacy([&](const RpcRequest& request) {
            if (!visited.empty()) return said(request, "done");
            return rpc_failure(request.id, -32042, "visit", *parse_json(R"({"elicitations":[
                {"mode":"url","message":"m","elicitationId":"1","url":"https://a.example/login"}]})"));
          }),
          std::move(handlers));
  EXPECT_TRUE(client_->call_tool("t", JsonObject{}, {}, {}));
  EXPECT_EQ(visited, (std::vector<std::string>{"https://a.example/login"}));
}

TEST_F(McpClientTest, InstructionsAreCut) {
  connect(legacy([](const RpcRequest& request) { return said(request, "x"); }));
  EXPECT_EQ(client_->facts().instructions.size(), kMcpInstructionsBytesMax);
  EXPECT_EQ(client_->facts().protocol, "2025-11-25");
}

TEST_F(McpClientTest, WhatAServerDoesNotOfferIsNotAskedFor) {
  connect(legacy([](const RpcRequest& request) { return said(request, "x"); }));
  const std::size_t before = requests_.size();
  const auto tools = client_->list(McpListKind::tools, {});
  ASSERT_TRUE(tools);
  EXPECT_TRUE(tools->items.empty());
  EXPECT_EQ(requests_.size(), before);
}

TEST_F(McpClientTest, AListIsNoLongerThanItsBytesWhateverEachPageHolds) {
  int pages = 0;
  connect([&](const RpcRequest& request) {
    if (request.method == "server/discover") {
      return rpc_answer(request.id, JsonObject{{"supportedVersions", JsonArray{"2026-07-28"}},
                                               {"capabilities", {{"tools", JsonObject{}}}}});
    }
    ++pages;
    return rpc_answer(request.id, JsonObject{{"tools", {{{"name", "t"}, {"description", std::string(10 << 20, 'x')}}}},
                                             {"nextCursor", std::to_string(pages)}});
  });
  const auto list = client_->list(McpListKind::tools, {});
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->cut);
  EXPECT_EQ(list->items.size(), 3U);
  EXPECT_EQ(pages, 4);
}

TEST_F(McpClientTest, WhoeverIsToldNoAgainAndAgainIsNotShownToTheUserAnyMore) {
  int shown = 0;
  McpHandlers handlers;
  handlers.elicitation = [&](const McpElicitation&, std::stop_token) -> Result<Json> {
    ++shown;
    return Json(JsonObject{{"action", "decline"}});
  };
  int rounds = 0;
  connect(modern([&](const RpcRequest& request) {
            if (++rounds % 10 == 0) return said(request, "given up");
            return rpc_answer(
                request.id,
                JsonObject{{"resultType", "input_required"},
                           {"inputRequests",
                            {{"q",
                              {{"method", "elicitation/create"},
                               {"params",
                                {{"message", "Your password?"},
                                 {"requestedSchema", {{"type", "object"}, {"properties", JsonObject{}}}}}}}}}}});
          }),
          std::move(handlers));
  ASSERT_TRUE(client_->call_tool("t", JsonObject{}, {}, {}));
  EXPECT_EQ(shown, kMcpRefusedQuestionsMax);
  ASSERT_TRUE(client_->call_tool("t", JsonObject{}, {}, {}));
  EXPECT_EQ(shown, 2 * kMcpRefusedQuestionsMax) << "another call may ask anew";
}

}  // namespace
}  // namespace deft
