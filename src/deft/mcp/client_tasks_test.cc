#include <gtest/gtest.h>

#include <atomic>

#include "deft/mcp/client.h"
#include "deft/mcp/host_transport.h"
#include "deft/testing/real_processes.h"

// Calls that servers carry out as tasks, in both eras.

namespace deft {
namespace {

using testing::eventually;

class McpTasks : public ::testing::Test {
 protected:
  using Answer = std::function<RpcResponse(const RpcRequest&)>;

  void connect(std::string_view version, std::string_view capabilities, Answer answer, McpHandlers handlers = {}) {
    const bool is_modern = version == kMcpModernVersion;
    const Json can = *parse_json(capabilities);
    const auto serve = [=, this](const Json& message, const std::function<void(Result<Json>)>& then) {
      auto read = read_rpc(message);
      const auto* request = read ? std::get_if<RpcRequest>(&*read) : nullptr;
      if (request == nullptr) return;
      {
        const std::lock_guard lock(mutex_);
        methods_.push_back(request->method);
        last_ = message;
      }
      if (request->method == "server/discover" && !is_modern) {
        return then(to_value(rpc_failure(request->id, kRpcMethodNotFound, "no")));
      }
      if (request->method == "server/discover") {
        return then(to_value(rpc_answer(
            request->id, JsonObject{{"supportedVersions", JsonArray{Json(version)}}, {"capabilities", can}})));
      }
      if (request->method == "initialize") {
        return then(to_value(rpc_answer(request->id, JsonObject{{"protocolVersion", version}, {"capabilities", can}})));
      }
      then(to_value(answer(*request)));
    };
    client_ = std::make_unique<McpClient>(
        clock_,
        McpClientOptions{.server = "srv",
                         .make_transport = [serve](bool old_sse) -> std::unique_ptr<McpTransport> {
                           if (old_sse) return nullptr;
                           return std::make_unique<HostTransport>(serve);
                         }},
        std::move(handlers));
    const auto connected = client_->connect({});
    ASSERT_TRUE(connected) << connected.error().message;
  }
  static RpcResponse answers(const RpcRequest& request, std::string_view json) {
    return rpc_answer(request.id, *parse_json(json));
  }
  std::size_t count(std::string_view method) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count(methods_, method));
  }
  static std::string text_of(const McpOutcome& outcome) {
    if (!outcome) return "failed: " + outcome.error().message;
    return std::string(find_string(outcome->at("content").at(0), "text").value_or("?"));
  }

  static constexpr std::string_view kLegacyCan =
      R"({"tools":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}})";
  static constexpr std::string_view kModernCan = R"({"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";

  SystemClock clock_;
  std::mutex mutex_;
  std::vector<std::string> methods_;  // under mutex_
  Json last_;                         // under mutex_
  std::unique_ptr<McpClient> client_;
};

TEST_F(McpTasks, AToolThatOnlyRunsAsATaskIsCalledAsOneAndFollowedToItsEnd) {
  int looks = 0;
  bool was_task = false;
  connect(kMcpLegacyVersion, kLegacyCan, [&](const RpcRequest& request) {
    if (request.method == "tools/call") {
      was_task = find_object(*request.params, "task") != nullptr;
      return answers(request, R"({"task":{"taskId":"t1","status":"working","pollInterval":1}})");
    }
    if (request.method == "tasks/get") {
      EXPECT_EQ(find_string(*request.params, "taskId"), "t1");
      if (++looks < 3) {
        return answers(request, R"({"taskId":"t1","status":"working","statusMessage":"half way","pollInterval":1})");
      }
      return answers(request, R"({"taskId":"t1","status":"completed"})");
    }
    EXPECT_EQ(request.method, "tasks/result");
    return answers(request, R"({"content":[{"type":"text","text":"done"}]})");
  });
  std::vector<std::string> told;
  const auto outcome = client_->call_tool(
      "t", JsonObject{}, {.progress = [&](const Json& said) { told.push_back(to_json(said)); }, .as_task = true}, {});
  EXPECT_EQ(text_of(outcome), "done");
  EXPECT_TRUE(was_task);
  ASSERT_EQ(told.size(), 1U) << "what is said twice is told once";
  EXPECT_NE(told[0].find("half way"), std::string::npos);
}

TEST_F(McpTasks, AServerWithoutTasksIsCalledAsEver) {
  connect(kMcpLegacyVersion, R"({"tools":{}})", [&](const RpcRequest& request) {
    EXPECT_EQ(find_object(*request.params, "task"), nullptr);
    return answers(request, R"({"content":[{"type":"text","text":"at once"}]})");
  });
  EXPECT_EQ(text_of(client_->call_tool("t", JsonObject{}, {.as_task = true}, {})), "at once");
}

TEST_F(McpTasks, AServerThatIsDoneAtOnceHasNoTask) {
  connect(kMcpLegacyVersion, kLegacyCan, [&](const RpcRequest& request) {
    return answers(request, R"({"content":[{"type":"text","text":"at once"}]})");
  });
  EXPECT_EQ(text_of(client_->call_tool("t", JsonObject{}, {.as_task = true}, {})), "at once");
}

TEST_F(McpTasks, ACancelledCallTakesItsTaskBackAndEndsHereAtOnce) {
  std::stop_source stop;
  connect(kMcpLegacyVersion, kLegacyCan, [&](const RpcRequest& request) {
    if (request.method == "tools/call") {
      return answers(request, R"({"task":{"taskId":"t1","status":"working","pollInterval":60000}})");
    }
    return answers(request, "{}");
  });
  const std::jthread canceller([&] {
    eventually([&] { return count("tools/call") == 1; });
    stop.request_stop();
  });
  const auto outcome = client_->call_tool("t", JsonObject{}, {.as_task = true}, stop.get_token());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::cancelled);
  EXPECT_EQ(count("tasks/cancel"), 1U);
}

TEST_F(McpTasks, ATaskThatTakesTooLongIsTakenBack) {
  for (const bool is_modern : {false, true}) {
    methods_.clear();
    connect(is_modern ? kMcpModernVersion : kMcpLegacyVersion, is_modern ? kModernCan : kLegacyCan,
            [&](const RpcRequest& request) {
              if (request.method == "tools/call") {
                return answers(request, is_modern ? R"({"resultType":"task","taskId":"t1","status":"working"})"
                                                  : R"({"task":{"taskId":"t1","status":"working"}})");
              }
              return answers(request, R"({"taskId":"t1","status":"working","pollInterval":1,"pollIntervalMs":1})");
            });
    const auto outcome =
        client_->call_tool("t", JsonObject{}, {.timeout = std::chrono::milliseconds(300), .as_task = true}, {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, Errc::timeout);
    EXPECT_FALSE(outcome.error().not_processed) << "it may have done something";
    EXPECT_EQ(count("tasks/cancel"), 1U);
    client_->close();
  }
}

TEST_F(McpTasks, ATaskOfWhichTheServerKnowsNothingAnyMoreIsNotBegunAgain) {
  connect(kMcpLegacyVersion, kLegacyCan, [&](const RpcRequest& request) {
    if (request.method == "tools/call") {
      return answers(request, R"({"task":{"taskId":"t1","status":"working","pollInterval":1}})");
    }
    return rpc_failure(request.id, kRpcInvalidParams, "Task not found");
  });
  const auto outcome = client_->call_tool("t", JsonObject{}, {.as_task = true}, {});
  ASSERT_FALSE(outcome);
  EXPECT_FALSE(outcome.error().rpc) << "a refusal would say that nothing was done";
  EXPECT_NE(outcome.error().message.find("Task not found"), std::string::npos);
  EXPECT_EQ(count("tools/call"), 1U);
}

TEST_F(McpTasks, InTheModernEraTheServerDecidesAndTheResultComesWithTheTask) {
  int looks = 0;
  connect(kMcpModernVersion, kModernCan, [&](const RpcRequest& request) {
    if (request.method == "tools/call") {
      return answers(request, R"({"resultType":"task","taskId":"t1","status":"working","pollIntervalMs":1})");
    }
    EXPECT_EQ(request.method, "tasks/get");
    const Json& meta = request.params->at("_meta");
    EXPECT_NE(find(meta.at("io.modelcontextprotocol/clientCapabilities").at("extensions"), kMcpTasksExtension),
              nullptr);
    if (++looks < 2) return answers(request, R"({"resultType":"complete","taskId":"t1","status":"working"})");
    return answers(request, R"({"resultType":"complete","taskId":"t1","status":"completed",
        "result":{"content":[{"type":"text","text":"done"}]}})");
  });
  EXPECT_EQ(text_of(client_->call_tool("t", JsonObject{}, {}, {})), "done");
}

TEST_F(McpTasks, WhatATaskAsksIsAskedOnceAndAnswered) {
  McpHandlers handlers;
  std::atomic<int> asked = 0;
  handlers.elicitation = [&](const McpElicitation&, const std::stop_token&) -> Result<Json> {
    ++asked;
    return JsonObject{{"action", "accept"}, {"content", {{"name", "Ada"}}}};
  };
  int looks = 0;
  std::string given;
  connect(
      kMcpModernVersion, kModernCan,
      [&](const RpcRequest& request) {
        if (request.method == "tools/call") {
          return answers(request, R"({"resultType":"task","taskId":"t1","status":"working","pollIntervalMs":1})");
        }
        if (request.method == "tasks/update") {
          given = to_json(request.params->at("inputResponses"));
          return answers(request, "{}");
        }
        if (++looks <= 3) {  // it takes its time to notice the answer
          return answers(request, R"({"taskId":"t1","status":"input_required","inputRequests":{"q":{
              "method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object",
              "properties":{"name":{"type":"string"}}}}}}})");
        }
        return answers(request, R"({"taskId":"t1","status":"completed",
            "result":{"content":[{"type":"text","text":"hello"}]}})");
      },
      std::move(handlers));
  EXPECT_EQ(text_of(client_->call_tool("t", JsonObject{}, {}, {})), "hello");
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(given, R"({"q":{"action":"accept","content":{"name":"Ada"}}})");
}

TEST_F(McpTasks, FailedAndWithdrawnTasksSayWhy) {
  for (const auto& [end, expected] :
       {std::pair{R"({"taskId":"t","status":"failed","error":{"code":-32603,"message":"out of paper"}})",
                  "out of paper"},
        std::pair{R"({"taskId":"t","status":"cancelled","statusMessage":"no time"})",
                  "the server took the task back: no time"},
        std::pair{R"({"taskId":"t","status":"completed"})", "the server's task ended without a result"}}) {
    connect(kMcpModernVersion, kModernCan, [last = end](const RpcRequest& request) {
      if (request.method == "tools/call") {
        return answers(request, R"({"resultType":"task","taskId":"t","status":"working","pollIntervalMs":1})");
      }
      return answers(request, last);
    });
    EXPECT_EQ(text_of(client_->call_tool("t", JsonObject{}, {}, {})), std::string("failed: ") + expected);
    client_->close();
  }
}

TEST_F(McpTasks, ATaskWithoutANameIsNone) {
  connect(kMcpModernVersion, kModernCan,
          [&](const RpcRequest& request) { return answers(request, R"({"resultType":"task","status":"working"})"); });
  EXPECT_FALSE(client_->call_tool("t", JsonObject{}, {}, {}));
  EXPECT_FALSE(client_->read_resource("a://b", {})) << "only calls may become tasks";
}

}  // namespace
}  // namespace deft
