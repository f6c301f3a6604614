#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "deft/testing/places.h"
#include "deft_print.h"

// What a host may ask of `deft -p --input-format stream-json` beside turns: servers called by hand, directories,
// settings that are kept, hooks listed.

namespace deft::testing {
namespace {

std::string fixture() { return std::filesystem::path(DEFT_PROGRAM).parent_path() / "mcp-misbehaving-server"; }

Arguments server(std::string_view mode) {
  return {"--mcp-config",
          to_json(JsonObject{{"mcpServers", {{"fix", {{"command", fixture()}, {"args", JsonArray{Json(mode)}}}}}}})};
}

JsonObject echo(std::string_view text) {
  return {{"subtype", "mcp_call"}, {"tool", "mcp__fix__echo"}, {"arguments", JsonObject{{"text", text}}}};
}

// Of a request that is refused: why.
std::string refusal(HostedDeft& deft, JsonObject request) {
  const Json inner = deft.response(deft.send_request(std::move(request)));
  EXPECT_EQ(text_of(inner, "subtype"), "error") << to_json(inner);
  return text_of(inner, "error");
}

std::string only_text(const Json& answer) {
  const JsonArray* content = find_array(answer, "content");
  return content && content->size() == 1 ? text_of(content->front(), "text") : to_json(answer);
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// --- servers that come with the start ---

TEST(HostServers, ComeWithInitializeInsteadOfOnTheCommandLine) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url(), {"--await-initialize", "--strict-mcp-config", "--allowedTools", "mcp__fix"});
  const JsonObject good{{"command", fixture()}, {"args", JsonArray{"good"}}};
  const JsonObject servers{{"fix", good}, {"broken", JsonObject{{"type", "nonsense"}}}};
  EXPECT_EQ(find_bool(deft.request({{"subtype", "initialize"}, {"mcpServers", servers}}), "mcp_servers_applied"), true);
  deft.say("go");
  const Json init = deft.next("system", "init");
  EXPECT_TRUE(has(to_json(*find(init, "tools")), "mcp__fix__echo")) << to_json(init);
  EXPECT_TRUE(has(to_json(*find(init, "mcp_servers")), "broken")) << to_json(init);
  EXPECT_EQ(only_text(deft.request(echo("pong"))), "pong");
  // It is for the start alone; the same set is still the one in force, another is not.
  const JsonObject other{{"late", good}};
  EXPECT_EQ(find_bool(deft.request({{"subtype", "initialize"}, {"mcpServers", servers}}), "mcp_servers_applied"), true);
  EXPECT_EQ(find_bool(deft.request({{"subtype", "initialize"}, {"mcpServers", other}}), "mcp_servers_applied"), false);
  EXPECT_FALSE(has(to_json(deft.request({{"subtype", "mcp_status"}})), "late"));
  EXPECT_EQ(find(deft.request({{"subtype", "initialize"}}), "mcp_servers_applied"), nullptr);
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HostServers, ThatPolicyForbidsAreNotStarted) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url(), {"--managed-settings", R"({"deniedMcpServers":[{"serverName":"fix"}]})"});
  const JsonObject servers{{"fix", JsonObject{{"command", fixture()}, {"args", JsonArray{"good"}}}}};
  deft.request({{"subtype", "initialize"}, {"mcpServers", servers}});
  deft.say("go");
  const Json init = deft.next("system", "init");
  EXPECT_FALSE(has(to_json(*find(init, "tools")), "mcp__fix")) << to_json(init);
  EXPECT_TRUE(has(to_json(*find(init, "mcp_servers")), "disabled")) << to_json(init);
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HostServers, HaveToolsThatTheHostDeniesOrWantsToBeAskedAboutInEveryMode) {
  const PrintPlace place;
  const StreamedCall call{"t1", "mcp__fix__echo", {{"text", "ping"}}};
  for (const std::string word : {"always_deny", "always_ask", "nonsense"}) {
    const ModelPeer model({anthropic_calls({call}), anthropic_text("done")});
    HostedDeft deft(place, model.url(), {"--permission-prompt-tool", "stdio", "--dangerously-skip-permissions"});
    const JsonArray tools{JsonObject{{"name", "echo"}, {"permission_policy", word}}, JsonObject{{"name", 7}}};
    const JsonObject servers{
        {"fix", JsonObject{{"command", fixture()}, {"args", JsonArray{"good"}}, {"tools", tools}}}};
    deft.request({{"subtype", "initialize"}, {"mcpServers", servers}});
    deft.say("go");
    if (word != "always_deny") deft.respond(deft.next_request("can_use_tool"), JsonObject{{"behavior", "allow"}});
    deft.next("result");
    EXPECT_EQ(deft.finish(), 0);
    const std::string result = to_json(find_array(model.bodies().at(1), "messages")->back());
    EXPECT_EQ(has(result, "ping"), word != "always_deny") << result;
  }
}

TEST(HostServers, PoliciesComeAndGoWithTheServersOfAHost) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url());
  const auto rules = [&] { return to_json(*find(deft.request({{"subtype", "list_permission_rules"}}), "state")); };
  const auto set = [&](const char* policy) {
    JsonObject entry{{"command", fixture()}, {"args", JsonArray{"good"}}};
    if (policy) entry["tools"] = JsonArray{JsonObject{{"name", "echo"}, {"permission_policy", policy}}};
    deft.request({{"subtype", "mcp_set_servers"}, {"servers", JsonObject{{"fix", entry}}}});
    deft.say("go");
    deft.next("result");
  };
  set("always_deny");
  EXPECT_TRUE(has(rules(), R"("behavior":"deny","source":"cliArg","rule":"mcp__fix__echo")")) << rules();
  set("always_allow");
  EXPECT_FALSE(has(rules(), "mcp__fix__echo")) << rules();
  EXPECT_EQ(deft.finish(), 0);
}

// --- mcp_call ---

TEST(HostMcpCall, IsMadeWithoutATurnAndBeforeTheFirst) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url(), server("good") + Arguments{"--allowedTools", "mcp__fix"});
  EXPECT_EQ(only_text(deft.request(echo("xylophone"))), "xylophone");
  deft.say("go");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "ok");
  EXPECT_EQ(only_text(deft.request(echo("pong"))), "pong");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(has(to_json(model.bodies().at(0)), "xylophone"));  // the model does not hear of it
}

TEST(HostMcpCall, WhatNoRuleAllowsIsNotRun) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url(), server("good"));
  const std::string why = refusal(deft, echo("ping"));
  EXPECT_TRUE(why.starts_with("The tool did not run: ")) << why;
  EXPECT_TRUE(has(why, "no rule allows it")) << why;
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HostMcpCall, TheHostIsAskedIfItDecides) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url(), server("good") + Arguments{"--permission-prompt-tool", "stdio"});
  const std::string yes = deft.send_request(echo("asked"));
  const Json question = deft.next_request("can_use_tool");
  EXPECT_EQ(text_of(*find(question, "request"), "tool_name"), "mcp__fix__echo");
  deft.respond(question, JsonObject{{"behavior", "allow"}, {"updatedInput", JsonObject{{"text", "changed"}}}});
  const Json allowed = deft.response(yes);
  EXPECT_EQ(only_text(*find(allowed, "response")), "changed");
  const std::string no = deft.send_request(echo("asked"));
  deft.respond(deft.next_request("can_use_tool"), JsonObject{{"behavior", "deny"}, {"message", "not on a Sunday"}});
  const Json denied = deft.response(no);
  EXPECT_TRUE(has(text_of(denied, "error"), "not on a Sunday")) << to_json(denied);
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HostMcpCall, DenyRulesAndPlanModeAndHooksHold) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft denied(place, model.url(), server("good") + Arguments{"--disallowedTools", "mcp__fix__echo"});
  EXPECT_TRUE(has(refusal(denied, echo("x")), "denied by a rule"));
  EXPECT_EQ(denied.finish(), 0);
  HostedDeft planning(place, model.url(),
                      server("good") + Arguments{"--allowedTools", "mcp__fix", "--permission-mode", "plan"});
  EXPECT_TRUE(has(refusal(planning, echo("x")), "plan mode"));
  EXPECT_EQ(planning.finish(), 0);
  const std::string hooks =
      R"({"hooks":{"PreToolUse":[{"matcher":"mcp__fix__.*","hooks":[{"type":"command","command":"echo by hook >&2; exit 2"}]}]}})";
  HostedDeft hooked(place, model.url(),
                    server("good") + Arguments{"--permission-mode", "bypassPermissions", "--settings", hooks});
  EXPECT_TRUE(has(refusal(hooked, echo("x")), "by hook"));
  EXPECT_EQ(hooked.finish(), 0);
}

TEST(HostMcpCall, IsJournaledAndTheSessionGoesOnAfterIt) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("one"), anthropic_text("two")});
  const Arguments arguments = server("good") + Arguments{"--allowedTools", "mcp__fix"};
  HostedDeft deft(place, model.url(), arguments);
  deft.say("go");
  const std::string session = text_of(deft.next("result"), "session_id");
  deft.request(echo("xylophone"));
  EXPECT_EQ(deft.finish(), 0);
  const auto journal =
      place.home.bytes(".local/state/deft/sessions/" + session + "/journal.jsonl").value_or("no journal");
  EXPECT_TRUE(has(journal, R"("type":"intent")") && has(journal, "xylophone")) << journal;
  const Finished again = place.run(model, arguments + Arguments{"-p", "go on", "--resume", session});
  EXPECT_EQ(again.output, "two\n") << again.errors;
  EXPECT_FALSE(has(to_json(model.bodies().at(1)), "xylophone"));
}

TEST(HostMcpCall, RunsBesideATurn) {
  const PrintPlace place;
  const ModelPeer model(
      {anthropic_calls({{"t1", "Bash", {{"command", "touch begun; until test -e go; do sleep 0.01; done"}}}}),
       anthropic_text("done")});
  HostedDeft deft(place, model.url(), server("good") + Arguments{"--permission-mode", "bypassPermissions"});
  deft.say("go");
  ASSERT_TRUE(eventually([&] { return place.project.bytes("begun").has_value(); }));
  EXPECT_EQ(only_text(deft.request(echo("beside"))), "beside");
  place.project.put("go", "");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "done");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HostMcpCall, OneThatIsCancelledGetsNoAnswerAndHoldsUpNothing) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url(), server("silent-call") + Arguments{"--allowedTools", "mcp__fix"});
  const std::string id = deft.send_request(echo("never"));
  deft.send({{"type", "control_cancel_request"}, {"request_id", id}});
  deft.say("go");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "ok");
  EXPECT_EQ(deft.finish(), 0);
  for (const Json& line : of_type(deft.lines(), "control_response")) {
    EXPECT_NE(text_of(*find(line, "response"), "request_id"), id) << to_json(line);
  }
}

TEST(HostMcpCall, WhatCannotBeDoneIsRefusedByItsName) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url(), server("good") + Arguments{"--permission-mode", "bypassPermissions"});
  const auto with = [](std::string_view key, Json value) {
    JsonObject request = echo("x");
    request[key] = std::move(value);
    return request;
  };
  EXPECT_TRUE(has(refusal(deft, with("tool", "Bash")), "no MCP server"));
  EXPECT_TRUE(has(refusal(deft, with("tool", "mcp__nobody__x")), "no MCP server"));
  EXPECT_TRUE(has(refusal(deft, with("tool", Json())), "tool"));
  EXPECT_TRUE(has(refusal(deft, with("arguments", "x")), "arguments"));
  EXPECT_TRUE(has(refusal(deft, with("arguments", JsonObject{{"text", 5}})), "InputValidationError"));
  EXPECT_TRUE(has(refusal(deft, with("check_permissions", "yes")), "check_permissions"));
  EXPECT_TRUE(has(refusal(deft, with("input_files", JsonArray{})), "staged"));
  EXPECT_TRUE(has(refusal(deft, with("timeout_ms", 1000)), "staged"));
  EXPECT_EQ(deft.finish(), 0);
}

// --- set_mcp_permission_mode_override ---

TEST(HostServerMode, IsStricterThanBypassUntilItIsTakenBack) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url(), server("good") + Arguments{"--permission-mode", "bypassPermissions"});
  EXPECT_EQ(only_text(deft.request(echo("before"))), "before");
  const auto set = [&](std::string_view name, Json mode) {
    return deft.request(
        {{"subtype", "set_mcp_permission_mode_override"}, {"serverName", name}, {"mode", std::move(mode)}});
  };
  EXPECT_EQ(find(set("fix", "default"), "warning"), nullptr);
  EXPECT_TRUE(has(refusal(deft, echo("x")), "no rule allows it"));
  EXPECT_EQ(find(set("fix", Json()), "warning"), nullptr);
  EXPECT_EQ(only_text(deft.request(echo("after"))), "after");
  EXPECT_TRUE(has(text_of(set("nobody", "auto"), "warning"), "nobody"));
  EXPECT_TRUE(has(
      refusal(deft,
              {{"subtype", "set_mcp_permission_mode_override"}, {"serverName", "fix"}, {"mode", "bypassPermissions"}}),
      "default, auto or null"));
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HostServerMode, CountsForTheModelsCallsToo) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({{"t1", "mcp__fix__echo", {{"text", "x"}}}}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), server("good") + Arguments{"--permission-mode", "bypassPermissions"});
  deft.request({{"subtype", "set_mcp_permission_mode_override"}, {"serverName", "fix"}, {"mode", "default"}});
  deft.say("go");
  EXPECT_EQ(find_array(deft.next("result"), "permission_denials")->size(), 1U);
  EXPECT_EQ(deft.finish(), 0);
}

// --- register_repo_root ---

TEST(HostRepoRoot, AFolderOfTheProjectIsAddedOnceAndHooksAreTold) {
  const PrintPlace place;
  place.project.put("library/CLAUDE.md", "The library speaks Latin.\n");
  const std::string hooks = R"({"hooks":{"DirectoryAdded":[{"hooks":[{"type":"command","command":"cat > told"}]}]}})";
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url(), {"--settings", hooks});
  const JsonObject request{{"subtype", "register_repo_root"}, {"directory", "library"}, {"reload_claude_md", true}};
  deft.request(request);
  const Json told = parse_json(place.project.bytes("told").value_or("null")).value_or(Json());
  EXPECT_EQ(text_of(told, "hook_event_name"), "DirectoryAdded");
  EXPECT_EQ(text_of(told, "directory"), place.project / "library");
  EXPECT_EQ(text_of(told, "source"), "register_repo_root");
  EXPECT_TRUE(has(refusal(deft, request), "already"));
  deft.say("go");
  deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  const std::string body = to_json(model.bodies().at(0));
  EXPECT_TRUE(has(body, place.project / "library")) << body;
  EXPECT_TRUE(has(body, "speaks Latin")) << body;
}

TEST(HostRepoRoot, NothingOutsideOfWhatTheSessionWasGivenIsAdded) {
  const PrintPlace place;
  const TempFolder elsewhere;
  elsewhere.put("inner/a", "");
  place.project.put("plain", "");
  place.project.put("hidden/a", "");
  std::filesystem::create_directory_symlink(elsewhere.path(), place.project / "link");
  const ModelPeer model({anthropic_text("ok")});
  const auto add = [](std::string_view directory) {
    return JsonObject{{"subtype", "register_repo_root"}, {"directory", directory}};
  };
  HostedDeft deft(place, model.url(), {"--disallowedTools", "Read(hidden/**)", "Read(hidden)"});
  for (const std::string& no :
       {std::string("."), std::string("/"), std::string("link"), std::string("link/inner"), elsewhere.path(),
        std::string("plain"), std::string("missing"), std::string("../.."), std::string("hidden"), std::string("")}) {
    refusal(deft, add(no));
  }
  EXPECT_EQ(deft.finish(), 0);
  HostedDeft given(place, model.url(), {"--add-dir", elsewhere.path()});
  given.request(add(elsewhere / "inner"));
  EXPECT_EQ(given.finish(), 0);
}

// --- update_settings ---

TEST(HostSettings, AFewKeysAreWrittenAndEverythingElseStaysAsItIs) {
  const PrintPlace place;
  const std::string before = "{\n  \"permissions\": {\"deny\": [\"Bash(rm:*)\"]},\n  \"effortLevel\": \"low\"\n}\n";
  place.home.put(".config/deft/settings.json", before);
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url());
  const auto update = [](std::string_view source, JsonObject settings) {
    return JsonObject{{"subtype", "update_settings"}, {"source", source}, {"settings", std::move(settings)}};
  };
  deft.request(update("userSettings", {{"effortLevel", "high"}}));
  EXPECT_EQ(place.home.bytes(".config/deft/settings.json"),
            "{\n  \"permissions\": {\"deny\": [\"Bash(rm:*)\"]},\n  \"effortLevel\": \"high\"\n}\n");
  deft.request(update("localSettings", {{"outputStyle", "default"}}));
  EXPECT_EQ(place.project.bytes(".deft/settings.local.json"), "{\n  \"outputStyle\": \"default\"\n}\n");
  for (const JsonObject& no :
       {update("userSettings", {{"effortLevel", "max"}}), update("userSettings", {{"effortLevel", Json()}}),
        update("userSettings", {{"permissions", JsonObject{{"allow", JsonArray{"Bash"}}}}}),
        update("localSettings", {{"hooks", JsonObject{}}}), update("localSettings", {{"outputStyle", "pirate"}}),
        update("policySettings", {{"effortLevel", "low"}}), update("projectSettings", {{"outputStyle", "default"}}),
        update("userSettings", {}), update("", {{"effortLevel", "low"}})}) {
    refusal(deft, no);
  }
  EXPECT_EQ(deft.finish(), 0);
  HostedDeft without(place, model.url(), {"--setting-sources", "project"});
  EXPECT_TRUE(has(refusal(without, update("userSettings", {{"effortLevel", "low"}})), "--setting-sources"));
  EXPECT_EQ(without.finish(), 0);
}

// --- get_hooks_listing ---

TEST(HostSettings, InForceAreThoseOfAllSourcesWithTheStrongestFirst) {
  const PrintPlace place;
  place.home.put(
      ".claude/settings.json",
      R"json({"effortLevel":"low","permissions":{"allow":["Bash(ls:*)"],"deny":["Read(./a)","Read(./b)"]}})json");
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url(),
                  {"--settings", R"({"effortLevel":"high","permissions":{"allow":["WebSearch"]}})"});
  const Json effective = *find(deft.request({{"subtype", "get_settings"}}), "effective");
  EXPECT_EQ(find_string(effective, "effortLevel"), "high");
  const Json& permissions = *find(effective, "permissions");
  EXPECT_EQ(to_json(*find(permissions, "allow")), R"json(["WebSearch","Bash(ls:*)"])json");
  EXPECT_EQ(to_json(*find(permissions, "deny")), R"json(["Read(./a)","Read(./b)"])json");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HostHooks, AreListedWithWhereTheyComeFrom) {
  const PrintPlace place;
  place.home.put(".config/deft/settings.json", R"json({"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
      {"type":"command","command":"echo \u001b[31m key-of-the-test","timeout":7,"async":true,"if":"Bash(git *)"}]}]}})json");
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url(), {"--settings", R"({"disableAllHooks":false})"});
  deft.request({{"subtype", "initialize"},
                {"hooks", JsonObject{{"Stop", JsonArray{JsonObject{{"hookCallbackIds", JsonArray{"h1"}}}}}}}});
  const Json listing = deft.request({{"subtype", "get_hooks_listing"}});
  EXPECT_EQ(deft.finish(), 0);
  const JsonArray* hooks = find_array(listing, "hooks");
  ASSERT_TRUE(hooks && hooks->size() == 2) << to_json(listing);
  const Json& bash = (*hooks)[0];
  EXPECT_EQ(text_of(bash, "event"), "PreToolUse");
  EXPECT_EQ(text_of(bash, "matcher"), "Bash");
  EXPECT_EQ(text_of(bash, "source"), "userSettings");
  EXPECT_EQ(text_of(bash, "type"), "command");
  EXPECT_EQ(text_of(bash, "condition"), "Bash(git *)");
  EXPECT_EQ(find_number(bash, "timeout"), 7);
  EXPECT_EQ(find_bool(bash, "runsInBackground"), true);
  EXPECT_FALSE(has(text_of(bash, "commandText"), "\x1b"));
  EXPECT_FALSE(has(to_json(listing), "key-of-the-test"));
  EXPECT_EQ(text_of((*hooks)[1], "source"), "sessionHook");
  const JsonArray* events = find_array(listing, "events");
  ASSERT_TRUE(events && events->size() == 2);
  EXPECT_EQ(number_of((*events)[0], "hookCount"), 1);
  EXPECT_EQ(find_array(listing, "eventCatalog")->size(), 22U);
  for (const char* key : {"disabledByPolicy", "managedOnly", "pluginOnly", "allDisabled"}) {
    EXPECT_EQ(find_bool(*find(listing, "policy"), key), false) << key;
  }
}

}  // namespace
}  // namespace deft::testing
