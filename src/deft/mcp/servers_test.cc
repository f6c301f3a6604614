#include "deft/mcp/servers.h"

#include <gtest/gtest.h>

#include "deft/mcp/headers_helper.h"
#include "deft/mcp/host_transport.h"
#include "deft/mcp/known_server.h"
#include "deft/mcp/login.h"
#include "deft/os/curl_http_client.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/real_processes.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

using testing::eventually;

// What a server inside of the host answers.
Result<Json> answer_of_host(const Json& message) {
  auto read = read_rpc(message);
  const auto* request = read ? std::get_if<RpcRequest>(&*read) : nullptr;
  if (request == nullptr) return Json(JsonObject{});
  Json result = JsonObject{};
  if (request->method == "server/discover") {
    return to_value(rpc_failure(request->id, kRpcMethodNotFound, "not found"));
  }
  if (request->method == "initialize") {
    result = JsonObject{{"protocolVersion", "2025-06-18"}, {"capabilities", {{"tools", JsonObject{}}}}};
  } else if (request->method == "tools/list") {
    result = JsonObject{{"tools", {{{"name", "add"}, {"inputSchema", {{"type", "object"}}}}}}};
  } else if (request->method == "tools/call") {
    result = JsonObject{{"content", {{{"type", "text"}, {"text", "done"}}}}};
  }
  return to_value(rpc_answer(request->id, std::move(result)));
}

McpServerSettings in_host(const std::string& name, std::string entry = "{}") {
  return {.name = name, .kind = McpKind::sdk, .entry = std::move(entry)};
}

class McpServersTest : public ::testing::Test {
 protected:
  McpServersOptions options() {
    McpServersOptions out{
        .processes = processes_, .http = http_, .clock = clock_, .memory = memory_, .logins = logins_};
    out.make_sdk_transport = [](const std::string&) {
      return std::make_unique<HostTransport>(
          [](const Json& message, const std::function<void(Result<Json>)>& then) { then(answer_of_host(message)); });
    };
    out.publish = [this](const std::string& server, const std::vector<std::shared_ptr<Tool>>& tools) {
      const std::lock_guard lock(mutex_);
      published_.push_back(server + ":" + std::to_string(tools.size()));
    };
    return out;
  }
  std::vector<std::string> published() {
    const std::lock_guard lock(mutex_);
    return published_;
  }

  SystemClock clock_;
  WardenProcesses processes_{clock_};
  CurlHttpClient http_{HttpNetwork()};
  McpMemory memory_{""};
  OauthMemory logins_;
  std::mutex mutex_;
  std::vector<std::string> published_;  // under mutex_
};

TEST_F(McpServersTest, GroupsAreSettledInTheOrderOfTheConfigurationBeforeAnyToolComes) {
  McpServers servers(options());
  servers.start({in_host("b"), in_host("a")});
  ASSERT_TRUE(servers.wait(std::chrono::seconds(20), {}));
  const auto all = published();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], "b:0");
  EXPECT_EQ(all[1], "a:0");
  EXPECT_EQ(servers.statuses()[0].name, "b");
  EXPECT_EQ(servers.statuses()[0].state, McpState::ready);
  EXPECT_EQ(servers.statuses()[0].facts.protocol, "2025-06-18");
}

TEST_F(McpServersTest, WhatIsTheSameStaysWhenTheServersChange) {
  McpServers servers(options());
  servers.start({in_host("a"), in_host("b")});
  ASSERT_TRUE(servers.wait(std::chrono::seconds(20), {}));
  const auto kept = servers.find("a");
  servers.change({in_host("a"), in_host("b", R"({"other":1})"), in_host("c")});
  ASSERT_TRUE(servers.wait(std::chrono::seconds(20), {}));
  EXPECT_EQ(servers.find("a"), kept);
  EXPECT_TRUE(servers.find("c"));
  servers.change({});
  EXPECT_TRUE(servers.statuses().empty());
  EXPECT_EQ(published().back(), "c:0") << "its tools are gone";
  EXPECT_TRUE(kept->down());
}

TEST_F(McpServersTest, AServerThatIsAskedToIsConnectedAnew) {
  McpServers servers(options());
  servers.start({in_host("a")});
  ASSERT_TRUE(servers.wait(std::chrono::seconds(20), {}));
  EXPECT_FALSE(servers.reconnect("other"));
  EXPECT_TRUE(servers.reconnect("a"));
  EXPECT_TRUE(eventually([&] { return published().size() == 3; }));
}

TEST_F(McpServersTest, NobodyWaitsLongerThanTheyWantTo) {
  auto slow = options();
  slow.make_sdk_transport = [](const std::string&) {
    return std::make_unique<HostTransport>([](const Json&, const std::function<void(Result<Json>)>&) {});
  };
  McpServers servers(std::move(slow));
  servers.start({in_host("a")});
  EXPECT_FALSE(servers.wait(std::chrono::milliseconds(1), {}));
  EXPECT_EQ(servers.statuses()[0].state, McpState::starting);
}

TEST_F(McpServersTest, FiftyServersStartSideBySide) {
  McpServers servers(options());
  std::vector<McpServerSettings> many;
  for (int i = 0; i < 50; ++i) many.push_back(in_host("s" + std::to_string(i)));
  servers.start(std::move(many));
  EXPECT_TRUE(servers.wait(std::chrono::seconds(20), {}));
  for (const McpStatus& status : servers.statuses()) EXPECT_EQ(status.tools, 1U);
}

TEST(McpMemory, WhatToolsSayOfThemselvesCanBeAccepted) {
  const TempFolder folder;
  const std::string file = folder / "mcp-servers.json";
  const McpServerSettings server = *read_mcp_server("a", JsonObject{{"command", "x"}});
  const McpServerSettings other = *read_mcp_server("a", JsonObject{{"command", "y"}});
  {
    McpMemory memory(file);
    for (const auto& one : {server, other}) {
      memory.keep_protocol(known_server_key(one), "2025-11-25");
      memory.keep_tool(known_server_key(one), "echo", "one");
    }
  }
  ASSERT_TRUE(accept_descriptions(file, server));
  McpMemory memory(file);
  EXPECT_FALSE(memory.tool(known_server_key(server), "echo"));
  EXPECT_EQ(memory.protocol(known_server_key(server)), "2025-11-25");
  EXPECT_EQ(memory.tool(known_server_key(other), "echo"), "one") << "another command is another server";
}

TEST(McpMemory, RemembersFromSessionToSessionWhatEachServerIs) {
  const TempFolder folder;
  const std::string file = folder / "mcp-servers.json";
  {
    McpMemory memory(file);
    EXPECT_EQ(memory.protocol("a"), "");
    memory.keep_protocol("a", "2026-07-28");
    memory.keep_tool("a", "echo", "one");
  }
  McpMemory memory(file);
  EXPECT_EQ(memory.protocol("a"), "2026-07-28");
  EXPECT_EQ(memory.tool("a", "echo"), "one");
  EXPECT_FALSE(memory.tool("a", "other"));
  EXPECT_FALSE(memory.tool("b", "echo"));
  folder.put("mcp-servers.json", "{broken");
  EXPECT_EQ(McpMemory(file).protocol("a"), "");
}

class HeadersHelperTest : public ::testing::Test {
 protected:
  HeadersHelper helper(std::string command) {
    return {processes_, clock_, std::move(command), {"PATH=/usr/bin:/bin", "NAME=ada"}, nullptr};
  }
  SystemClock clock_;
  WardenProcesses processes_{clock_};
};

TEST_F(HeadersHelperTest, WhatItPrintsAreTheHeaders) {
  auto good = helper(R"(printf '{"X-User":"%s"}' "$NAME")");
  EXPECT_EQ(*good.headers({}), (HttpHeaders{{"X-User", "ada"}}));
}

TEST_F(HeadersHelperTest, WhatGoesWrongIsSaidWithoutItsOutput) {
  EXPECT_EQ(helper("echo secret; exit 3").headers({}).error().message, "headersHelper ended with exit code 3");
  EXPECT_EQ(helper("echo secret").headers({}).error().message, "headersHelper did not print a JSON object");
  EXPECT_EQ(helper(R"(echo '{"a":1}')").headers({}).error().message, "headersHelper printed a header that is no text");
}

TEST_F(HeadersHelperTest, ItIsAskedAgainWhenTheServerRefuses) {
  const TempFolder folder;
  auto counting =
      helper("echo x >> " + (folder / "calls") + R"(; printf '{"N":"%s"}' $(wc -l < )" + (folder / "calls") + ")");
  const auto first = *counting.headers({});
  EXPECT_EQ(*counting.headers({}), first) << "once is enough";
  EXPECT_TRUE(counting.refused({.status = 401}, first, {}));
  EXPECT_NE(*counting.headers({}), first);
  auto same = helper(R"(echo '{"N":"1"}')");
  ASSERT_TRUE(same.headers({}));
  EXPECT_FALSE(same.refused({.status = 401}, {}, {})) << "it has nothing else to offer";
}

TEST(McpVariables, ARepositorysEntryGetsNoKeysOfModelsAndNoLogins) {
  const VariableLookup all = [](const std::string& name) { return std::optional<std::string>("value of " + name); };
  McpServerSettings server{.name = "s", .url = "https://a.example/${ANTHROPIC_API_KEY}/${MCP_ID_TOKEN}/${TEAM}"};
  McpServerSettings own = server;
  expand_variables(own, variables_for(own, all));
  EXPECT_EQ(own.url, "https://a.example/value of ANTHROPIC_API_KEY/value of MCP_ID_TOKEN/value of TEAM");
  server.scope = McpScope::project;
  const auto notes = expand_variables(server, variables_for(server, all));
  EXPECT_EQ(server.url, "https://a.example/${ANTHROPIC_API_KEY}/${MCP_ID_TOKEN}/value of TEAM");
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0],
            "the MCP server s uses ${ANTHROPIC_API_KEY}, which is not set or not for a server of the project");
}

}  // namespace
}  // namespace deft
