#include "deft/mcp/mcp_tool.h"

#include <gtest/gtest.h>

#include "deft/os/disk_files.h"
#include "deft/testing/tool_bench.h"

namespace deft {
namespace {

// A server that is the test's own.
class FakeServer final : public McpCaller {
 public:
  const std::string& name() const override { return name_; }
  std::optional<std::string> down() const override { return why_down; }
  McpOutcome call_tool(const std::string& tool, const Json& arguments, McpCallOptions options,
                       std::stop_token) override {
    called = tool + " " + to_json(arguments);
    as_task = options.as_task;
    headers = options.headers;
    for (int i = 0; i < progresses; ++i) options.progress(JsonObject{{"progress", i}, {"total", 9}, {"odd", 1}});
    return outcome;
  }
  std::expected<McpList, McpFailure> list(McpListKind kind, std::stop_token) override {
    if (kind != McpListKind::resources) return McpList{};
    return McpList{.items = {*parse_json(R"({"uri":"note://1","name":"a note"})")}};
  }
  McpOutcome read_resource(const std::string& uri, std::stop_token) override {
    return Json(JsonObject{{"contents", {{{"uri", uri}, {"text", "inside"}}}}});
  }

  std::expected<void, McpFailure> watch_resource(const std::string& uri, bool watch, std::stop_token) override {
    if (!can_watch) return std::unexpected(McpFailure{.message = "the server does not tell"});
    watched = (watch ? "+" : "-") + uri;
    return {};
  }

  bool can_watch = true;
  std::string watched;
  bool as_task = false;
  std::optional<std::string> why_down;
  McpOutcome outcome = Json(JsonObject{{"content", {{{"type", "text"}, {"text", "said"}}}}});
  std::string called;
  HttpHeaders headers;
  int progresses = 0;

 private:
  const std::string name_ = "srv";
};

class McpToolTest : public ::testing::Test {
 protected:
  std::shared_ptr<Tool> tool(std::string_view entry, bool changed = false) {
    auto definition = read_tool_definition(*parse_json(entry));
    EXPECT_TRUE(definition);
    const McpToolName name{.server = "srv", .tool = definition->name};
    return make_mcp_tool(server_, *std::move(definition), name, changed, [this] { ++runs_; });
  }
  std::string failure(McpFailure failure) { return mcp_call_error("srv", failure).message; }

  std::shared_ptr<FakeServer> server_ = std::make_shared<FakeServer>();
  int runs_ = 0;
  DiskFiles files_;
  ToolBench bench_{files_};
};

constexpr std::string_view kPlain = R"({"name":"t","description":"d","inputSchema":{"type":"object"}})";

TEST_F(McpToolTest, ACallGoesToTheServerUnderItsOwnName) {
  const auto t =
      tool(R"({"name":"t.x","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"R"}}}})");
  const auto result = bench_.call(*t, JsonObject{{"r", "eu"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text, "said");
  EXPECT_EQ(server_->called, R"(t.x {"r":"eu"})");
  EXPECT_EQ(server_->headers, (HttpHeaders{{"Mcp-Param-R", "eu"}}));
  EXPECT_EQ(runs_, 1);
}

TEST_F(McpToolTest, HintsSteerWhenItRunsAndNeverWhether) {
  const auto t = tool(R"({"name":"t","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}})");
  const SessionView view(bench_.session(), {});
  EXPECT_TRUE(t->is_concurrency_safe(JsonObject{}, view));
  EXPECT_FALSE(t->is_read_only(JsonObject{}, view));
  EXPECT_FALSE(t->check_permission(JsonObject{}, view));
}

TEST_F(McpToolTest, AChangedDescriptionIsAskedAboutUntilItHasRun) {
  const auto t = tool(kPlain, /*changed=*/true);
  const SessionView view(bench_.session(), {});
  const auto verdict = t->check_permission(JsonObject{}, view);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->verdict, Verdict::ask);
  EXPECT_EQ(verdict->reason,
            "the server srv describes this tool otherwise than when it was last allowed; the user can accept that with "
            "`deft mcp approve srv`");
  ASSERT_TRUE(bench_.call(*t, JsonObject{}));
  EXPECT_FALSE(t->check_permission(JsonObject{}, view));
}

TEST_F(McpToolTest, ADeadServerDisablesIt) {
  const auto t = tool(kPlain);
  EXPECT_FALSE(t->disabled());
  server_->why_down = "The MCP server srv is not running.";
  EXPECT_EQ(t->disabled(), "The MCP server srv is not running.");
}

TEST_F(McpToolTest, AFloodOfProgressIsThinnedOut) {
  server_->progresses = 1000;
  ASSERT_TRUE(bench_.call(*tool(kPlain), JsonObject{}));
  ASSERT_FALSE(bench_.progress().empty());
  EXPECT_LT(bench_.progress().size(), 100U);
  EXPECT_EQ(to_json(bench_.progress()[0]), R"({"type":"mcp_progress","progress":0,"total":9})");
}

TEST_F(McpToolTest, AFailureSaysWhatIsKnownOfTheCall) {
  EXPECT_NE(failure({.message = "gone"}).find("Nobody knows whether it was carried out"), std::string::npos);
  EXPECT_NE(failure({.message = "down", .not_processed = true}).find("did not get the call"), std::string::npos);
  EXPECT_NE(failure({.code = Errc::timeout, .message = "no answer"}).find("look before you call it again"),
            std::string::npos);
  EXPECT_NE(failure({.message = "bad", .rpc = RpcError{.code = -32602}}).find("refused the call: bad"),
            std::string::npos);
  EXPECT_NE(failure({.message = "m", .rpc = RpcError{.code = -32042}}).find("visit a page"), std::string::npos);
}

TEST_F(McpToolTest, ResourcesAreListedAndReadByServer) {
  const McpCallers callers = [this] { return std::vector<std::shared_ptr<McpCaller>>{server_}; };
  const auto list = bench_.call(*make_list_mcp_resources_tool(callers), JsonObject{});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->text, R"([{"server":"srv","uri":"note://1","name":"a note"}])");
  const auto read = make_read_mcp_resource_tool(callers);
  EXPECT_EQ(bench_.call(*read, JsonObject{{"server", "srv"}, {"uri", "note://1"}})->text,
            "[resource note://1]\ninside");
  const auto unknown = bench_.call(*read, JsonObject{{"server", "x"}, {"uri", "u"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "There is no MCP server \"x\". Known servers: srv.");
}

TEST_F(McpToolTest, PeopleKnowItByTheNamesOfServerAndToolWhateverModelsCallIt) {
  const std::string longest = "a_tool/of.many" + std::string(80, 'x');
  const auto t = tool(R"({"name":")" + longest + R"(","inputSchema":{"type":"object"}})");
  EXPECT_EQ(t->spec().name.size(), kMcpApiNameCharactersMax);
  ASSERT_TRUE(t->spec().mcp);
  EXPECT_EQ(t->spec().mcp->full(), "mcp__srv__" + longest);
}

TEST_F(McpToolTest, AToolThatOnlyRunsAsATaskIsCalledSo) {
  const auto t = tool(R"({"name":"t","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}})");
  ASSERT_TRUE(bench_.call(*t, JsonObject{}));
  EXPECT_TRUE(server_->as_task);
  ASSERT_TRUE(bench_.call(*tool(kPlain), JsonObject{}));
  EXPECT_FALSE(server_->as_task);
}

TEST_F(McpToolTest, AResourceCanBeWatchedAndLetGo) {
  const auto read = make_read_mcp_resource_tool([this] { return std::vector<std::shared_ptr<McpCaller>>{server_}; });
  const auto plain = bench_.call(*read, JsonObject{{"server", "srv"}, {"uri", "note://1"}});
  ASSERT_TRUE(plain);
  EXPECT_EQ(server_->watched, "");
  EXPECT_EQ(plain->text.find("told"), std::string::npos);
  const auto begun = bench_.call(*read, JsonObject{{"server", "srv"}, {"uri", "note://1"}, {"subscribe", true}});
  ASSERT_TRUE(begun);
  EXPECT_EQ(server_->watched, "+note://1");
  EXPECT_NE(begun->text.find("You will be told when it changes."), std::string::npos);
  const auto ended = bench_.call(*read, JsonObject{{"server", "srv"}, {"uri", "note://1"}, {"subscribe", false}});
  ASSERT_TRUE(ended);
  EXPECT_EQ(server_->watched, "-note://1");
  server_->can_watch = false;
  const auto refused = bench_.call(*read, JsonObject{{"server", "srv"}, {"uri", "note://1"}, {"subscribe", true}});
  ASSERT_TRUE(refused) << "it is read all the same";
  EXPECT_NE(refused->text.find("inside"), std::string::npos);
  EXPECT_NE(refused->text.find("You will not be told of changes: the server does not tell."), std::string::npos);
}

}  // namespace
}  // namespace deft
