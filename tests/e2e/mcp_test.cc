#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "deft/base/json.h"
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

TEST(Mcp, NothingOfAProjectsEntryRunsOrLeavesTheMachineBeforeItIsApproved) {
  const PrintPlace place;
  HttpPeer web([](const PeerRequest&, PeerAnswer& answer) { answer.send(404, {}, ""); });
  const std::string mark = place.home / "mark";
  place.project.put(".mcp.json", to_json(JsonObject{{"mcpServers",
                                                     {{"web",
                                                       {{"type", "http"},
                                                        {"url", web.url("/${ANTHROPIC_API_KEY}")},
                                                        {"headers", {{"X-Key", "${ANTHROPIC_API_KEY}"}}},
                                                        {"headersHelper", "touch " + mark + "; echo '{}'"}}}}}}));
  const ModelPeer model({anthropic_text("done")});
  place.run(model, kGo);
  place.run(model, kGo + Arguments{"--trust"});
  for (const char* word : {"list", "test", "login", "get"}) {
    place.run(model, word == std::string_view("list") ? Arguments{"mcp", "list"} : Arguments{"mcp", word, "web"});
  }
  EXPECT_FALSE(std::filesystem::exists(mark));
  EXPECT_TRUE(web.requests().empty());
  EXPECT_EQ(place.run(model, {"mcp", "approve", "web"}).exit_code, 0);
  place.run(model, kGo + Arguments{"--trust"});
  EXPECT_TRUE(std::filesystem::exists(mark));
  ASSERT_FALSE(web.requests().empty());
  for (const PeerRequest& request : web.requests()) {
    EXPECT_EQ(request.path.find("key-of-the-test"), std::string::npos) << "a model's key is not for a repository";
    EXPECT_EQ(request.header("X-Key"), "${ANTHROPIC_API_KEY}");
  }
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
  const auto got = parse_json(place.run(model, {"mcp", "get", "fix", "--json"}).output);
  ASSERT_TRUE(got);
  EXPECT_EQ(find_string(*got, "scope"), "local");
  const auto tested = parse_json(place.run(model, {"mcp", "test", "--json", "fix"}).output);
  ASSERT_TRUE(tested);
  EXPECT_EQ(find_string(*tested, "state"), "ready");
  EXPECT_NE(to_json(*tested).find("mcp__fix__echo"), std::string::npos);
  EXPECT_EQ(place.run(model, {"mcp", "approve", "fix"}).exit_code, 0);
  EXPECT_EQ(place.run(model, {"mcp", "get", "--json"}).exit_code, 2);
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

TEST(Mcp, AChangeOfAResourceThatTheModelWantsToHearOfIsToldWithItsNextRequest) {
  const PrintPlace place;
  const ModelPeer model(
      {anthropic_calls({{"t1", "ReadMcpResourceTool", {{"server", "fix"}, {"uri", "note://1"}, {"subscribe", true}}}}),
       anthropic_calls({echo("t2", "x")}), anthropic_calls({echo("t3", "x")}), anthropic_text("done")});
  place.run(model,
            kGo + Arguments{"--mcp-config", config("watched"), "--allowedTools", "mcp__fix", "ReadMcpResourceTool"});
  ASSERT_EQ(model.requests(), 4U);
  EXPECT_NE(to_json(model.bodies().at(1)).find("You will be told when it changes."), std::string::npos);
  EXPECT_EQ(to_json(model.bodies().at(1)).find("have changed since"), std::string::npos);
  EXPECT_NE(to_json(model.bodies().at(2)).find("note://1 of the server fix"), std::string::npos);
  // What was told stands where it stood; the second change is told behind it.
  const std::string before = to_json(*find(model.bodies().at(2), "messages"));
  const std::string after = to_json(*find(model.bodies().at(3), "messages"));
  EXPECT_GT(after.size(), before.size());
}

TEST(Mcp, AToolThatOnlyRunsAsATaskWorks) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({echo("t1", "ping")}), anthropic_text("done")});
  place.run(model, kGo + kAllowed + Arguments{"--mcp-config", config("tasks")});
  EXPECT_NE(last_results(model).find("by a task: ping"), std::string::npos) << last_results(model);
}

// What models call a tool by, if it is too long for their APIs.
std::string api_name_in(const ModelPeer& model, std::string_view beginning) {
  const std::string body = to_json(model.bodies().at(0));
  const std::size_t at = body.find(beginning);
  return at == std::string::npos ? "" : body.substr(at, body.find('"', at) - at);
}

TEST(Mcp, RulesAndHooksKnowAToolByItsFullNameWhateverModelsCallIt) {
  const std::string full = "mcp__fix__find_" + std::string(70, 'x');
  const PrintPlace place;
  const ModelPeer look({anthropic_text("done")});
  place.run(look, kGo + Arguments{"--mcp-config", config("odd-names")});
  const std::string api_name = api_name_in(look, "mcp__fix__find_");
  ASSERT_EQ(api_name.size(), 64U);

  const auto results = [&](const Arguments& more) {
    const ModelPeer model(
        {anthropic_calls({{"t1", api_name, {{"text", "long"}}}, {"t2", "mcp__fix__users_get_one", {{"text", "odd"}}}}),
         anthropic_text("done")});
    place.run(model, kGo + Arguments{"--mcp-config", config("odd-names")} + more);
    return last_results(model);
  };
  const std::string allowed = results({"--allowedTools", full, "mcp__fix__users/get.one"});
  EXPECT_EQ(allowed.find("no rule allows it"), std::string::npos) << allowed;
  EXPECT_NE(results({"--allowedTools", api_name}).find("no rule allows it"), std::string::npos);
  const std::string denied = results({"--allowedTools", "mcp__fix", "--disallowedTools", full, "mcp__fix__users/*"});
  EXPECT_EQ(denied.find("long"), std::string::npos) << denied;
  EXPECT_EQ(denied.find("odd"), std::string::npos) << denied;
  EXPECT_EQ(results({"--allowedTools", "mcp__fix", "--disallowedTools", api_name}).find("long"), std::string::npos);

  const std::string command = "cat >> " + place.project.path() + "/seen.txt";
  const JsonObject hook{{"matcher", full}, {"hooks", {{{"type", "command"}, {"command", command}}}}};
  results({"--allowedTools", "mcp__fix", "--settings", to_json(JsonObject{{"hooks", {{"PreToolUse", {hook}}}}})});
  const std::string seen = place.project.bytes("seen.txt").value_or("");
  EXPECT_NE(seen.find(R"("tool_name":")" + full + "\""), std::string::npos) << seen;
  EXPECT_NE(seen.find(R"("mcp_server":{"name":"fix")"), std::string::npos) << seen;
}

TEST(Mcp, NoServerPassesForAToolOfAnother) {
  const PrintPlace place;
  const auto one = [&](std::string_view tool) {
    return JsonObject{{"command", fixture()}, {"args", JsonArray{"named", Json(tool)}}};
  };
  const std::string servers = to_json(JsonObject{{"mcpServers", {{"a", one("b__echo")}, {"a__b", one("echo")}}}});
  const ModelPeer model({anthropic_calls({{"t1", "mcp__a__b__echo", {{"text", "x"}}}}), anthropic_text("done")});
  place.run(model, kGo + Arguments{"--mcp-config", servers, "--allowedTools", "mcp__a"});
  EXPECT_NE(last_results(model).find("no rule allows it"), std::string::npos) << last_results(model);
  const ModelPeer other({anthropic_calls({{"t1", "mcp__a__b__echo", {{"text", "x"}}}}), anthropic_text("done")});
  place.run(other, kGo + Arguments{"--mcp-config", servers, "--allowedTools", "mcp__a__b"});
  EXPECT_NE(last_results(other).find("by echo"), std::string::npos) << last_results(other);
}

// --- without a model ---

std::vector<Json> exec_lines(const PrintPlace& place, const ModelPeer& nobody, const Arguments& more,
                             std::string_view input) {
  const Finished run = place.run(nobody, Arguments{"exec"} + more, input);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  return json_lines(run.output);
}

TEST(McpExec, ConfiguredServersToolsCanBeCalledByHand) {
  const PrintPlace place;
  const ModelPeer nobody({anthropic_text("x")});
  const std::string call = R"({"type":"tool_use","id":"t1","name":"mcp__fix__echo","input":{"text":"by hand"}})"
                           "\n";
  const auto result = [&](const Arguments& more) {
    return to_json(of_type(exec_lines(place, nobody, more, call), "tool_result").at(0));
  };
  const Arguments allowed = {"--settings", R"({"permissions":{"allow":["mcp__fix"]}})"};
  EXPECT_NE(result(allowed).find("No such tool"), std::string::npos) << "none is configured";
  const Arguments good = {"--mcp-config", config("good")};
  EXPECT_NE(result(good + allowed).find("by hand"), std::string::npos);
  EXPECT_NE(result(good).find("mcp__fix__echo would have to be asked for"), std::string::npos) << result(good);
  EXPECT_NE(result(Arguments{"--mcp-config", config("dies")} + allowed).find("Nobody knows whether it was carried out"),
            std::string::npos);

  ASSERT_EQ(place.run(nobody, {"mcp", "add", "fix", fixture(), "good"}).exit_code, 0);
  EXPECT_NE(result(allowed).find("by hand"), std::string::npos) << "of the user's own settings";
  EXPECT_NE(result(allowed + Arguments{"--strict-mcp-config"}).find("No such tool"), std::string::npos);
}

TEST(McpExec, AToolOfAServerCanBeAHook) {
  const PrintPlace place;
  const ModelPeer nobody({anthropic_text("x")});
  const std::string deny =
      R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"says fix"}})";
  const JsonObject hook{{"type", "mcp_tool"}, {"server", "fix"}, {"tool", "echo"}, {"input", {{"text", deny}}}};
  const std::string settings = to_json(
      JsonObject{{"permissions", {{"allow", JsonArray{"Bash"}}}},
                 {"hooks", {{"PreToolUse", JsonArray{JsonObject{{"matcher", "Bash"}, {"hooks", JsonArray{hook}}}}}}}});
  const auto lines = exec_lines(place, nobody, {"--settings", settings, "--mcp-config", config("good")},
                                R"({"type":"tool_use","id":"t1","name":"Bash","input":{"command":"touch made"}})"
                                "\n");
  EXPECT_NE(to_json(of_type(lines, "tool_result").at(0)).find("says fix"), std::string::npos);
  EXPECT_FALSE(place.project.bytes("made").has_value());
}

TEST(McpExec, AProjectsServerNeedsTrustAndApproval) {
  const PrintPlace place;
  place.project.put(".mcp.json", config("good"));
  const ModelPeer nobody({anthropic_text("x")});
  const auto names = [&](const Arguments& more) {
    return place.run(nobody, Arguments{"tools", "--mcp"} + more).output;
  };
  EXPECT_EQ(names({}).find("mcp__fix__echo"), std::string::npos);
  EXPECT_EQ(names({"--trust"}).find("mcp__fix__echo"), std::string::npos);
  EXPECT_EQ(place.run(nobody, {"mcp", "approve", "fix"}).exit_code, 0);
  EXPECT_EQ(names({}).find("mcp__fix__echo"), std::string::npos);
  EXPECT_NE(names({"--trust"}).find("mcp__fix__echo"), std::string::npos);
}

TEST(McpExec, TheListOfToolsHasThemOnRequest) {
  const PrintPlace place;
  const ModelPeer nobody({anthropic_text("x")});
  const Finished json = place.run(nobody, {"tools", "--json", "--mcp-config", config("good")});
  EXPECT_EQ(json.exit_code, 0) << json.errors;
  const auto list = parse_json(json.output);
  ASSERT_TRUE(list);
  EXPECT_NE(json.output.find(R"("name":"mcp__fix__echo")"), std::string::npos);
  EXPECT_EQ(place.run(nobody, {"tools", "--json"}).output.find("mcp__"), std::string::npos);
  const Finished dead = place.run(nobody, {"tools", "--mcp-config", config("exits")});
  EXPECT_EQ(dead.exit_code, 0);
  EXPECT_NE(dead.errors.find("no licence"), std::string::npos) << dead.errors;
  EXPECT_EQ(place.run(nobody, {"tools", "--mcp-config"}).exit_code, 2);
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
