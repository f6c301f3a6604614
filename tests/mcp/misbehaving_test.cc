// Servers over standard input and output that misbehave, each with its defined outcome: nothing hangs, nothing
// survives.
#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>

#include "deft/core/schema.h"
#include "deft/mcp/client.h"
#include "deft/mcp/connection.h"
#include "deft/mcp/stdio_transport.h"
#include "deft/os/environment.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/places.h"
#include "deft/testing/real_processes.h"

namespace deft {
namespace {

using testing::eventually;
using testing::ProcessMark;

constexpr Duration kShort = std::chrono::milliseconds(300);
constexpr Duration kLong = std::chrono::seconds(20);

std::string fixture() { return std::filesystem::path(DEFT_PROGRAM).parent_path() / "mcp-misbehaving-server"; }

class MisbehavingServer : public ::testing::Test {
 protected:
  std::unique_ptr<McpTransport> transport(const std::string& mode) {
    return std::make_unique<StdioTransport>(
        processes_,
        Command{.argv = {fixture(), mode}, .environment = {"PATH=/usr/bin:/bin", mark_.variable()}, .directory = "/"},
        clock_, std::chrono::milliseconds(50));
  }

  McpClient& start(const std::string& mode, Duration connect_timeout = kLong, Duration call_timeout = kLong) {
    McpHandlers handlers;
    handlers.roots = [] { return std::vector<std::string>{"/some folder"}; };
    handlers.noted = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      notes_.push_back(text);
    };
    handlers.logged = [this](const std::string&, const std::string&) {
      const std::lock_guard lock(mutex_);
      ++logged_;
    };
    client_ = std::make_unique<McpClient>(
        clock_,
        McpClientOptions{.server = "fixture",
                         .connect_timeout = connect_timeout,
                         .call_timeout = call_timeout,
                         .make_transport = [this, mode](bool old_sse) { return old_sse ? nullptr : transport(mode); }},
        std::move(handlers));
    connected_ = client_->connect({});
    return *client_;
  }

  std::string error() const { return connected_ ? "" : connected_.error().message; }

  // What the tool echo says; or why it failed.
  std::string echo(std::string_view text = "hello") {
    const auto outcome = client_->call_tool("echo", JsonObject{{"text", text}}, {}, {});
    if (!outcome) return "failed: " + outcome.error().message;
    return std::string(find_string(outcome->at("content").at(0), "text").value_or("?"));
  }

  std::size_t note_count(std::string_view part) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::ranges::count_if(notes_, [&](const std::string& note) { return note.find(part) != std::string::npos; }));
  }

  void TearDown() override {
    if (client_) client_->close();
    EXPECT_TRUE(eventually([&] { return mark_.alive().empty(); })) << "something survived";
  }

  SystemClock clock_;
  WardenProcesses processes_{clock_};
  ProcessMark mark_;
  std::mutex mutex_;
  std::vector<std::string> notes_;  // under mutex_
  int logged_ = 0;                  // under mutex_
  std::unique_ptr<McpClient> client_;
  std::expected<void, McpFailure> connected_;
};

TEST_F(MisbehavingServer, AGoodOneWorks) {
  start("good");
  EXPECT_EQ(error(), "");
  EXPECT_EQ(client_->facts().protocol, "2025-11-25");
  EXPECT_EQ(echo("one"), "one");
  EXPECT_TRUE(client_->ping({}));
}

TEST_F(MisbehavingServer, AnOldOneAndAModernOneAreRecognised) {
  start("old");
  EXPECT_EQ(client_->facts().protocol, "2024-11-05");
  EXPECT_EQ(echo(), "hello");
  client_->close();
  start("modern");
  EXPECT_EQ(error(), "");
  EXPECT_TRUE(client_->facts().modern);
  EXPECT_EQ(echo(), "hello");
}

TEST_F(MisbehavingServer, ARevisionThatNobodyKnowsIsRefused) {
  start("future");
  EXPECT_EQ(error(), "the server speaks revision \"2099-01-01\" of MCP, which deft does not speak");
}

TEST_F(MisbehavingServer, OneThatCannotBearTheModernQuestionIsStartedAgain) {
  start("dies-at-discovery");
  EXPECT_EQ(error(), "");
  EXPECT_EQ(echo(), "hello");
}

TEST_F(MisbehavingServer, ASilentOneIsGivenUpInTime) {
  start("silent", kShort);
  EXPECT_EQ(error(), "no answer within 300 ms");
}

TEST_F(MisbehavingServer, ASlowOneIsWaitedFor) {
  start("slow");
  EXPECT_EQ(echo(), "hello");
}

TEST_F(MisbehavingServer, OneThatExitsSaysWhy) {
  start("exits");
  EXPECT_EQ(error(), "the server ended with exit code 4; it last wrote: no licence");
}

TEST_F(MisbehavingServer, AProgramThatIsNotThereSaysSo) {
  client_ = std::make_unique<McpClient>(
      clock_,
      McpClientOptions{
          .server = "none",
          .make_transport =
              [this](bool) {
                return std::make_unique<StdioTransport>(
                    processes_,
                    Command{.argv = {"/does/not/exist"}, .environment = {mark_.variable()}, .directory = "/"}, clock_);
              }},
      McpHandlers{});
  const auto connected = client_->connect({});
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().code, Errc::not_found);
}

TEST_F(MisbehavingServer, OneThatOnlyBabblesIsEnded) {
  start("babbles");
  EXPECT_TRUE(error().starts_with("the server does not speak MCP")) << error();
}

TEST_F(MisbehavingServer, AFloodOfNotificationsIsTakenAndTheAnswerIsFound) {
  start("flood");
  EXPECT_EQ(echo(), "hello");
  const std::lock_guard lock(mutex_);
  EXPECT_GE(logged_, 40'000);
}

TEST_F(MisbehavingServer, AFloodOfErrorsIsNotKept) {
  start("stderr-flood");
  EXPECT_EQ(echo(), "hello");
  EXPECT_LE(client_->last_words().size(), kMcpLastWordsBytesMax);
}

TEST_F(MisbehavingServer, HalfLinesAreJoined) {
  start("half-lines");
  EXPECT_EQ(error(), "");
  EXPECT_EQ(echo(), "hello");
}

TEST_F(MisbehavingServer, WhatIsNoMessageIsSkippedAndSaid) {
  start("malformed");
  EXPECT_EQ(echo(), "hello");
  EXPECT_GE(note_count("no message"), 4U);
}

TEST_F(MisbehavingServer, AnswersWithWrongIdsAndSecondAnswersCountForNothing) {
  start("wrong-ids");
  EXPECT_EQ(echo("a"), "a");
  EXPECT_EQ(echo("b"), "b");
  EXPECT_GE(note_count("nobody waits for"), 5U);
}

TEST_F(MisbehavingServer, ALineOf100MegabytesEndsIt) {
  start("huge-line");
  EXPECT_EQ(echo(), "failed: the server sent a message of more than 64.0 MB and was ended");
}

TEST_F(MisbehavingServer, OneThatDiesInACallFailsTheCallAtOnce) {
  start("dies");
  EXPECT_EQ(echo(), "failed: the server ended with exit code 3; it last wrote: the end is near");
  EXPECT_TRUE(client_->end());
}

TEST_F(MisbehavingServer, OneThatForksAndExitsLeavesNothing) {
  start("forks");
  EXPECT_EQ(echo(), "failed: the server ended with exit code 0");
}

TEST_F(MisbehavingServer, OneThatClosesItsOutputIsEnded) {
  start("closes-output");
  EXPECT_EQ(echo(), "failed: the server closed its output");
}

TEST_F(MisbehavingServer, ACallThatIsNeverAnsweredEndsInTime) {
  start("silent-call", kLong, kShort);
  EXPECT_EQ(echo(), "failed: no answer within 300 ms");
}

TEST_F(MisbehavingServer, ACallIsCancelledAtOnce) {
  start("silent-call");
  std::stop_source stop;
  std::jthread later([&] { stop.request_stop(); });
  const auto outcome = client_->call_tool("echo", JsonObject{}, {}, stop.get_token());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::cancelled);
}

TEST_F(MisbehavingServer, AnAnswerToACallThatWasTakenBackIsNoAnswerToTheNextOne) {
  start("late");
  std::stop_source stop;
  std::jthread later([&] { stop.request_stop(); });
  ASSERT_FALSE(client_->call_tool("echo", JsonObject{{"text", "first"}}, {}, stop.get_token()));
  EXPECT_EQ(echo("second"), "second");
}

TEST_F(MisbehavingServer, AFloodOfQuestionsIsAnsweredOrRefusedAndHoldsUpNobody) {
  start("asks-flood");
  EXPECT_EQ(echo(), "hello");
  EXPECT_EQ(echo("again"), "again");
}

TEST_F(MisbehavingServer, WhatIsTooDeepIsSkipped) {
  start("deep");
  EXPECT_EQ(echo(), "hello");
  EXPECT_EQ(note_count("no message"), 1U);
}

TEST_F(MisbehavingServer, ListsAndResultsOfTheWrongTypeAreEmptyOnes) {
  start("wrong-types");
  const auto tools = client_->list(McpListKind::tools, {});
  ASSERT_TRUE(tools);
  EXPECT_TRUE(tools->items.empty());
  const auto outcome = client_->call_tool("echo", JsonObject{}, {}, {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(find(*outcome, "content"), nullptr);
}

TEST_F(MisbehavingServer, OneThatDoesNotReadItsInputHoldsUpNobody) {
  start("slow-reader", kLong, kShort);
  ASSERT_TRUE(client_->list(McpListKind::tools, {}));
  // Far more than a pipe holds: the call ends by its own deadline, not when the server reads.
  const std::string text(std::size_t{1} << 20, 'x');
  EXPECT_EQ(echo(text), "failed: no answer within 300 ms");
}

TEST_F(MisbehavingServer, AnErrorIsAnError) {
  start("error");
  const auto outcome = client_->call_tool("echo", JsonObject{}, {}, {});
  ASSERT_FALSE(outcome);
  ASSERT_TRUE(outcome.error().rpc);
  EXPECT_EQ(outcome.error().rpc->code, -32602);
}

TEST_F(MisbehavingServer, EndlessListsEndHere) {
  start("endless-pages");
  const auto tools = client_->list(McpListKind::tools, {});
  ASSERT_TRUE(tools);
  EXPECT_TRUE(tools->cut);
  EXPECT_EQ(tools->items.size(), kMcpListPagesMax);
  client_->close();
  start("same-page");
  const auto again = client_->list(McpListKind::tools, {});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->cut);
  EXPECT_EQ(again->items.size(), 2U);
}

TEST_F(MisbehavingServer, TenThousandToolsAreTaken) {
  start("many-tools");
  const auto tools = client_->list(McpListKind::tools, {});
  ASSERT_TRUE(tools);
  EXPECT_EQ(tools->items.size(), 10'000U);
}

TEST_F(MisbehavingServer, ProgressIsHeard) {
  start("progress");
  std::vector<std::string> heard;
  const auto outcome =
      client_->call_tool("echo", JsonObject{{"text", "x"}},
                         {.progress = [&](const Json& params) { heard.push_back(to_json(params)); }}, {});
  ASSERT_TRUE(outcome);
  ASSERT_EQ(heard.size(), 3U);
  EXPECT_NE(heard[2].find("\"progress\":3"), std::string::npos);
}

TEST_F(MisbehavingServer, AQuestionInTheMiddleOfACallIsAnswered) {
  start("asks");
  EXPECT_EQ(echo(),
            R"({"jsonrpc":"2.0","id":"q","result":{"roots":[{"uri":"file:///some%20folder","name":"some folder"}]}})");
}

// A configured server through its lives.
class MisbehavingConnection : public MisbehavingServer {
 protected:
  std::shared_ptr<McpConnection> connect(const std::string& mode) {
    connection_ = std::make_shared<McpConnection>(
        clock_, McpConnectionOptions{.settings = {.name = "fixture"},
                                     .identity = "fixture",
                                     .connect_timeout = kLong,
                                     .restart_delay = std::chrono::milliseconds(1),
                                     .make_transport = [this, mode](bool) { return transport(mode); },
                                     .publish =
                                         [this](const std::string&, std::vector<std::shared_ptr<Tool>> tools) {
                                           const std::lock_guard lock(mutex_);
                                           ++published_;
                                           tools_ = std::move(tools);
                                         }});
    connection_->start();
    EXPECT_TRUE(connection_->wait_until_settled(clock_.now() + kLong, {}));
    return connection_;
  }
  std::vector<std::string> tool_names() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& tool : tools_) names.push_back(tool->spec().name);
    return names;
  }
  void TearDown() override {
    if (connection_) connection_->stop();
    MisbehavingServer::TearDown();
  }

  std::shared_ptr<McpConnection> connection_;
  std::vector<std::shared_ptr<Tool>> tools_;  // under mutex_
  int published_ = 0;                         // under mutex_
};

TEST_F(MisbehavingConnection, ToolsArePublishedAndOddOnesAreLeftOutWithAReason) {
  connect("odd-tools");
  EXPECT_EQ(tool_names(), (std::vector<std::string>{"mcp__fixture__echo"}));
  EXPECT_EQ(connection_->status().problems.size(), 4U);
}

TEST_F(MisbehavingConnection, ToolsAreTamedHaveNamesOfTheirOwnAndDoNotFillThePrompt) {
  connect("hostile-tools");
  std::map<std::string, std::shared_ptr<Tool>> tools;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& tool : tools_) tools.emplace(tool->spec().name, tool);
  }
  ASSERT_EQ(tools.size(), 6U) << "all but the huge one";
  const ToolSpec& loud = tools.at("mcp__fixture__loud")->spec();
  EXPECT_TRUE(loud.description.starts_with("Reads.[2J Quietly.xxx")) << loud.description.substr(0, 40);
  EXPECT_LE(loud.description.size(), kMcpDescriptionBytesMax);
  EXPECT_TRUE(loud.always_load);
  EXPECT_TRUE(tools.at("mcp__fixture__greedy")->spec().always_load);
  EXPECT_FALSE(tools.at("mcp__fixture__greedier")->spec().always_load);
  EXPECT_TRUE(tools.contains("mcp__fixture__get_one"));
  EXPECT_EQ(connection_->status().problems.size(), 2U);
}

TEST_F(MisbehavingConnection, AToolWithARecursiveSchemaIsUsed) {
  connect("recursive-schema");
  EXPECT_EQ(tool_names(), (std::vector<std::string>{"mcp__fixture__echo", "mcp__fixture__tree"}));
  const std::lock_guard lock(mutex_);
  const auto schema = Schema::compile(tools_[1]->spec().input_schema);
  ASSERT_TRUE(schema);
  EXPECT_TRUE(schema->accepts(*parse_json(R"({"children":[{"children":[]}]})")));
  EXPECT_FALSE(schema->accepts(*parse_json(R"({"children":[{"children":7}]})")));
}

TEST_F(MisbehavingConnection, ADeadServerDisablesItsToolsAndComesBack) {
  connect("dies");
  ASSERT_EQ(tool_names().size(), 1U);
  EXPECT_FALSE(connection_->down());
  const auto outcome = connection_->call_tool("echo", JsonObject{}, {}, {});
  ASSERT_FALSE(outcome);
  EXPECT_FALSE(outcome.error().not_processed) << "nobody knows what it did";
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex_);
    return published_ >= 2;
  })) << "it was started again";
  EXPECT_TRUE(eventually([&] { return connection_->status().state == McpState::ready; }));
}

TEST_F(MisbehavingConnection, OneThatNeverStartsIsGivenUpAfterAFewAttempts) {
  connect("exits");
  EXPECT_TRUE(eventually([&] { return connection_->status().detail.starts_with("it was started 6 times in vain"); }))
      << connection_->status().detail;
  ASSERT_TRUE(connection_->down());
  EXPECT_NE(connection_->down()->find("no licence"), std::string::npos);
  const auto outcome = connection_->call_tool("echo", JsonObject{}, {}, {});
  ASSERT_FALSE(outcome);
  EXPECT_TRUE(outcome.error().not_processed);
}

TEST_F(MisbehavingConnection, AChangedListIsAskedForAnew) {
  connect("changes-tools");
  EXPECT_EQ(tool_names().size(), 1U);
  ASSERT_TRUE(connection_->call_tool("echo", JsonObject{}, {}, {}));
  EXPECT_TRUE(eventually([&] { return tool_names().size() == 2; }));
}

TEST_F(MisbehavingConnection, AToolOfASessionThatIsOverSaysSo) {
  connect("good");
  std::vector<std::shared_ptr<Tool>> tools;
  {
    const std::lock_guard lock(mutex_);
    tools = tools_;
  }
  connection_->stop();
  connection_.reset();
  ASSERT_EQ(tools.size(), 1U);
  EXPECT_EQ(tools[0]->disabled(), "The MCP server fixture is not part of this session any more.");
}

}  // namespace
}  // namespace deft
