// Real servers from npm, over standard input and output and over HTTP: see tests/mcp/run.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "deft/mcp/client.h"
#include "deft/mcp/http_transport.h"
#include "deft/mcp/stdio_transport.h"
#include "deft/mcp/tool_definition.h"
#include "deft/os/curl_http_client.h"
#include "deft/os/unique_fd.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/real_processes.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

constexpr Duration kPatience = std::chrono::seconds(60);
constexpr const char* kPlaywright = "/@playwright/mcp/cli.js";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// One that nobody has: a fixed one may belong to any connection of the machine.
std::string free_port() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(socket.get(), any, size), 0);
  EXPECT_EQ(::getsockname(socket.get(), any, &size), 0);
  return std::to_string(ntohs(address.sin_port));
}

class RealServer : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(variable("DEFT_TEST_NODE").empty()) << "run it by tests/mcp/run BUILD_FOLDER real";
  }

  Command node(const std::string& package, const std::vector<std::string>& more) {
    return node_program("/@modelcontextprotocol/" + package + "/dist/index.js", more);
  }
  Command node_program(const std::string& program, const std::vector<std::string>& more) {
    Command command{.argv = {variable("DEFT_TEST_NODE"), variable("DEFT_TEST_NPM") + program},
                    .environment = {"PATH=/usr/bin:/bin", "HOME=" + folder_.path(), mark_.variable()},
                    .directory = folder_.path()};
    command.argv.insert(command.argv.end(), more.begin(), more.end());
    return command;
  }

  McpClient& start(Command command) {
    return connect([this, command](bool old_sse) -> std::unique_ptr<McpTransport> {
      if (old_sse) return nullptr;
      return std::make_unique<StdioTransport>(processes_, command, clock_);
    });
  }

  McpClient& connect(std::function<std::unique_ptr<McpTransport>(bool)> make_transport) {
    McpHandlers handlers;
    handlers.roots = [this] { return std::vector<std::string>{folder_.path()}; };
    client_ = std::make_unique<McpClient>(clock_,
                                          McpClientOptions{.server = "real",
                                                           .connect_timeout = kPatience,
                                                           .call_timeout = kPatience,
                                                           .make_transport = std::move(make_transport)},
                                          std::move(handlers));
    const auto connected = client_->connect({});
    EXPECT_TRUE(connected) << connected.error().message << client_->last_words();
    return *client_;
  }

  void connect_over_http(const Command& command, const std::string& url) {
    auto child = processes_.start(command, {});
    ASSERT_TRUE(child);
    server_ = *std::move(child);
    ASSERT_TRUE(
        testing::eventually([&] { return fetch(http_, {.url = url, .body_bytes_max = 10'000}, {}).has_value(); }));
    connect([this, url](bool old_sse) -> std::unique_ptr<McpTransport> {
      if (old_sse) return nullptr;
      return std::make_unique<HttpTransport>(http_, clock_, HttpTransport::Options{.url = url});
    });
  }

  std::string call(const std::string& tool, JsonObject arguments) {
    const auto outcome = client_->call_tool(tool, arguments, {.progress = [this](Json) { ++progress_; }}, {});
    if (!outcome) return "failed: " + outcome.error().message;
    return to_json(*outcome);
  }

  // All tools can be offered to a model.
  std::size_t usable_tools() {
    const auto tools = client_->list(McpListKind::tools, {});
    if (!tools) return 0;
    std::size_t usable = 0;
    for (const Json& tool : tools->items) usable += read_tool_definition(tool) ? 1 : 0;
    return usable;
  }

  void TearDown() override {
    if (client_) client_->close();
    server_.reset();
    EXPECT_TRUE(testing::eventually([&] { return mark_.alive().empty(); })) << "something survived";
  }

  SystemClock clock_;
  WardenProcesses processes_{clock_};
  CurlHttpClient http_{HttpNetwork()};
  TempFolder folder_;
  testing::ProcessMark mark_;
  std::unique_ptr<McpClient> client_;
  std::unique_ptr<Child> server_;
  std::atomic<int> progress_ = 0;
};

TEST_F(RealServer, EverythingOverStandardInput) {
  start(node("server-everything", {"stdio"}));
  EXPECT_GE(usable_tools(), 8U);
  EXPECT_NE(call("echo", {{"message", "hello"}}).find("hello"), std::string::npos);
  EXPECT_NE(call("trigger-long-running-operation", {{"duration", 1}, {"steps", 4}}).find("completed"),
            std::string::npos);
  EXPECT_GE(progress_, 1);
  const auto resources = client_->list(McpListKind::resources, {});
  ASSERT_TRUE(resources);
  ASSERT_FALSE(resources->items.empty());
  EXPECT_TRUE(client_->read_resource(find_string(resources->items[0], "uri").value_or(""), {}));
  const auto prompts = client_->list(McpListKind::prompts, {});
  ASSERT_TRUE(prompts);
  EXPECT_FALSE(prompts->items.empty());
}

TEST_F(RealServer, EverythingOverHttp) {
  Command command = node("server-everything", {"streamableHttp"});
  const std::string port = free_port();
  command.environment.push_back("PORT=" + port);
  ASSERT_NO_FATAL_FAILURE(connect_over_http(command, "http://127.0.0.1:" + port + "/mcp"));
  EXPECT_GE(usable_tools(), 8U);
  EXPECT_NE(call("echo", {{"message", "hello"}}).find("hello"), std::string::npos);
}

TEST_F(RealServer, Filesystem) {
  std::ofstream(folder_.path() + "/note.txt") << "what it says\n";
  start(node("server-filesystem", {folder_.path()}));
  EXPECT_GE(usable_tools(), 8U);
  EXPECT_NE(call("read_text_file", {{"path", folder_.path() + "/note.txt"}}).find("what it says"), std::string::npos);
  EXPECT_NE(call("read_text_file", {{"path", "/etc/passwd"}}).find("\"isError\":true"), std::string::npos);
}

// It needs no browser to say what it could do with one.
TEST_F(RealServer, PlaywrightsList) {
  start(node_program(kPlaywright, {"--headless", "--isolated"}));
  EXPECT_GE(usable_tools(), 20U);
  const auto tools = client_->list(McpListKind::tools, {});
  ASSERT_TRUE(tools);
  EXPECT_EQ(usable_tools(), tools->items.size()) << "each of them can be offered to a model";
}

TEST_F(RealServer, PlaywrightsListOverHttp) {
  const std::string port = free_port();
  ASSERT_NO_FATAL_FAILURE(connect_over_http(node_program(kPlaywright, {"--headless", "--isolated", "--port", port}),
                                            "http://localhost:" + port + "/mcp"));
  EXPECT_GE(usable_tools(), 20U);
}

TEST_F(RealServer, Memory) {
  Command command = node("server-memory", {});
  command.environment.push_back("MEMORY_FILE_PATH=" + folder_.path() + "/memory.jsonl");
  start(command);
  const JsonObject entity{{"name", "deft"}, {"entityType", "program"}, {"observations", {"has hands"}}};
  EXPECT_NE(call("create_entities", {{"entities", {entity}}}).find("deft"), std::string::npos);
  EXPECT_NE(call("search_nodes", {{"query", "hands"}}).find("has hands"), std::string::npos);
}

}  // namespace
}  // namespace deft
