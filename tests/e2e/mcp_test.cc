#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "deft/testing/places.h"
#include "deft_print.h"

// MCP servers in `deft -p` and `deft mcp`.

namespace deft::testing {
namespace {

std::string fixture() { return std::filesystem::path(DEFT_PROGRAM).parent_path() / "mcp-misbehaving-server"; }

std::string config(std::string_view mode) {
  return to_json(JsonObject{{"mcpServers", {{"fix", {{"command", fixture()}, {"args", JsonArray{Json(mode)}}}}}}});
}

StreamedCall echo(std::string id, std::string_view text) { return {std::move(id), "mcp__fix__echo", {{"text", text}}}; }

const Arguments kGo = {"-p", "go"};
const Arguments kAllowed = {"--allowedTools", "mcp__fix"};

std::string last_results(const ModelPeer& model) {
  return to_json(*find(find_array(model.bodies().back(), "messages")->back(), "content"));
}

TEST(Mcp, AServersToolIsOfferedAndCalledThroughTheGate) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({echo("t1", "ping")}), anthropic_text("done")});
  const auto lines = place.lines(model, kGo + kStreamJson + kAllowed + Arguments{"--mcp-config", config("good")});
  EXPECT_NE(to_json(model.bodies().at(0)).find("mcp__fix__echo"), std::string::npos);
  EXPECT_NE(last_results(model).find("ping"), std::string::npos);
  const auto init = of_type(lines, "system", "init");
  ASSERT_EQ(init.size(), 1U);
  EXPECT_NE(to_json(*find(init[0], "mcp_servers")).find(R"("status":"connected")"), std::string::npos);
}

TEST(Mcp, WithoutARuleItIsNotAllowed) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({echo("t1", "ping")}), anthropic_text("done")});
  place.lines(model, kGo + kStreamJson + Arguments{"--mcp-config", config("good")});
  EXPECT_NE(last_results(model).find("no rule allows it"), std::string::npos);
}

TEST(Mcp, AToolThatADenyRuleForbidsIsNeverShown) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("done")});
  place.lines(model, kGo + kStreamJson + Arguments{"--mcp-config", config("good"), "--disallowedTools", "mcp__fix"});
  EXPECT_EQ(to_json(model.bodies().at(0)).find("mcp__fix__echo"), std::string::npos);
}

TEST(Mcp, AServerThatDiesInACallFailsItOnceAndTheTurnGoesOn) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({echo("t1", "ping")}), anthropic_text("done")});
  const Finished run = place.run(model, kGo + kAllowed + Arguments{"--mcp-config", config("dies")});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(last_results(model).find("Nobody knows whether it was carried out"), std::string::npos)
      << last_results(model);
}

TEST(Mcp, AServerThatDoesNotStartIsSaidAndHoldsUpNothing) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("done")});
  const auto lines = place.lines(model, kGo + kStreamJson + Arguments{"--mcp-config", config("exits")});
  EXPECT_NE(to_json(*find(of_type(lines, "system", "init").at(0), "mcp_servers")).find("no licence"),
            std::string::npos);
  EXPECT_EQ(of_type(lines, "result").size(), 1U);
}

TEST(Mcp, AProjectsServerStartsOnlyWhenTheFolderIsTrustedAndTheEntryApproved) {
  const PrintPlace place;
  place.project.put(".mcp.json", config("good"));
  const ModelPeer model({anthropic_text("1"), anthropic_text("2"), anthropic_text("3"), anthropic_text("4")});
  const auto offered = [&](const Arguments& more) {
    const Finished run = place.run(model, kGo + more);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return to_json(model.bodies().back()).find("mcp__fix__echo") != std::string::npos;
  };
  EXPECT_FALSE(offered({}));
  EXPECT_FALSE(offered({"--trust"}));
  EXPECT_EQ(place.run(model, {"mcp", "approve", "fix"}).exit_code, 0);
  EXPECT_TRUE(offered({"--trust"}));
  place.project.put(".mcp.json", config("slow"));
  EXPECT_FALSE(offered({"--trust"})) << "it has changed since";
}

TEST(Mcp, ServersAreAddedListedTestedAndRemoved) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("x")});
  EXPECT_EQ(place.run(model, {"mcp", "add", "fix", fixture(), "good"}).exit_code, 0);
  const Finished list = place.run(model, {"mcp", "list"});
  EXPECT_EQ(list.exit_code, 0) << list.errors;
  EXPECT_NE(list.output.find("ready, 1 tool, "), std::string::npos) << list.output;
  EXPECT_NE(place.run(model, {"mcp", "test", "fix"}).output.find("mcp__fix__echo"), std::string::npos);
  EXPECT_NE(place.run(model, {"mcp", "get", "fix"}).output.find("local"), std::string::npos);
  EXPECT_EQ(place.run(model, {"mcp", "add", "broken", "/does/not/exist"}).exit_code, 0);
  EXPECT_EQ(place.run(model, {"mcp", "list"}).exit_code, 1);
  EXPECT_EQ(place.run(model, {"mcp", "remove", "broken"}).exit_code, 0);
  EXPECT_EQ(place.run(model, {"mcp", "remove", "fix"}).exit_code, 0);
  EXPECT_EQ(place.run(model, {"mcp", "get", "fix"}).exit_code, 1);
  EXPECT_EQ(place.run(model, {"mcp", "frobnicate"}).exit_code, 2);
}

TEST(Mcp, ResourcesAreListedAndRead) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({{"t1", "ListMcpResourcesTool", JsonObject{}}}),
                         anthropic_calls({{"t2", "ReadMcpResourceTool", {{"server", "fix"}, {"uri", "note://1"}}}}),
                         anthropic_text("done")});
  place.run(model, kGo + Arguments{"--mcp-config", config("good"), "--allowedTools", "ListMcpResourcesTool",
                                   "ReadMcpResourceTool"});
  EXPECT_NE(to_json(model.bodies().at(1)).find("note://1"), std::string::npos);
  EXPECT_NE(last_results(model).find("what the note says"), std::string::npos) << last_results(model);
}

TEST(Mcp, AServersPromptIsACommand) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("done")});
  place.run(model, Arguments{"-p", "/mcp__fix__greet Ada", "--mcp-config", config("good")});
  EXPECT_NE(to_json(model.bodies().at(0)).find("Greet Ada."), std::string::npos);
}

TEST(Mcp, AServerAsksTheUsersModelOnlyWhereARuleAllowsIt) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({echo("t1", "x")}), anthropic_text("done"), anthropic_calls({echo("t2", "x")}),
                         anthropic_text("sampled words"), anthropic_text("done")});
  const Arguments samples = {"--mcp-config", config("samples"), "--allowedTools", "mcp__fix"};
  place.run(model, kGo + samples);
  EXPECT_NE(last_results(model).find("the rule McpSampling__fix allows it"), std::string::npos) << last_results(model);
  place.run(model, kGo + samples + Arguments{"McpSampling__fix"});
  ASSERT_EQ(model.requests(), 5U);
  EXPECT_NE(to_json(model.bodies().at(3)).find("What is it?"), std::string::npos);
  EXPECT_NE(last_results(model).find("sampled words"), std::string::npos);
}

TEST(Mcp, AServerInsideOfTheHostWorks) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({{"t1", "mcp__calc__add", {{"a", 1}, {"b", 2}}}}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), {"--allowedTools", "mcp__calc"});
  const std::string id = deft.send_request({{"subtype", "initialize"}, {"sdkMcpServers", JsonArray{"calc"}}});
  bool has_asked = false;
  for (bool called = false; !called;) {
    const Json line = deft.next_request("mcp_message");
    const Json message = line.at("request").at("message");
    const std::string method(find_string(message, "method").value_or(""));
    Json result = JsonObject{};
    if (method == "initialize") {
      result = JsonObject{{"protocolVersion", "2025-11-25"},
                          {"capabilities", {{"tools", JsonObject{}}}},
                          {"serverInfo", {{"name", "calc"}, {"version", "1"}}}};
    } else if (method == "tools/list") {
      result = JsonObject{{"tools", {{{"name", "add"}, {"inputSchema", {{"type", "object"}}}}}}};
    } else if (method == "tools/call") {
      called = true;
      result = JsonObject{{"content", {{{"type", "text"}, {"text", "three"}}}}};
    }
    JsonObject answer{{"jsonrpc", "2.0"}, {"id", find(message, "id") ? *find(message, "id") : Json(0)}};
    if (method == "server/discover") {
      answer["error"] = {{"code", -32601}, {"message", "not found"}};
    } else {
      answer["result"] = std::move(result);
    }
    deft.respond(line, JsonObject{{"mcp_response", std::move(answer)}});
    if (!std::exchange(has_asked, true)) deft.say("go");
  }
  deft.next("result");
  EXPECT_NE(last_results(model).find("three"), std::string::npos);
  EXPECT_EQ(deft.finish(), 0);
}

}  // namespace
}  // namespace deft::testing
