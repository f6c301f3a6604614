#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "deft_print.h"

// Hosts show people what deft says beside the model's words, and go on with a session whatever was said in it: what
// they are told, and what a message may do to a conversation.

namespace deft::testing {
namespace {

StreamedCall bash(std::string id, std::string_view command) { return {std::move(id), "Bash", {{"command", command}}}; }

JsonObject user_line(Json content) {
  return {{"type", "user"},
          {"message", JsonObject{{"role", "user"}, {"content", std::move(content)}}},
          {"parent_tool_use_id", Json()},
          {"session_id", ""}};
}

TEST(HostWords, WhatTheHostWantedWrittenIsNoNewsToIt) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "touch one")}), anthropic_calls({bash("t2", "true")}),
                         anthropic_text("done"), anthropic_calls({bash("t3", "true")}), anthropic_text("more")});
  HostedDeft deft(place, model.url(), {"--permission-prompt-tool", "stdio"});
  deft.say("go");
  const Json asked = deft.next_request("can_use_tool");
  const Json* suggested = find(*find(asked, "request"), "permission_suggestions");
  ASSERT_NE(suggested, nullptr);
  deft.respond(asked, JsonObject{{"behavior", "allow"}, {"updatedPermissions", *suggested}});
  EXPECT_EQ(text_of(deft.next("result"), "result"), "done");
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(place.project / ".deft/settings.local.json"); }));
  deft.request({{"subtype", "apply_flag_settings"}, {"settings", JsonObject{{"effortLevel", "high"}}}});
  deft.say("more");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "more");
  EXPECT_TRUE(of_type(deft.lines(), "system", "informational").empty());
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HostWords, SettingsThatSomebodyElseChangesAreNews) {
  const PrintPlace place;
  const std::string settings = R"({"permissions":{"deny":["WebFetch"]}})";
  const ModelPeer model({anthropic_calls({bash("t1", "printf '%s' '" + settings + "' > .deft/settings.json")}),
                         anthropic_calls({bash("t2", "true")}), anthropic_text("done")});
  std::filesystem::create_directory(place.project / ".deft");
  HostedDeft deft(place, model.url(), {"--dangerously-skip-permissions"});
  deft.say("go");
  const Json said = deft.next("system", "informational");
  EXPECT_NE(text_of(said, "content").find("settings have changed"), std::string::npos);
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HostWords, WhatTheModelIsToldOfAnInterruptIsNotSaidToWhoeverInterrupted) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "sleep 1000")}), anthropic_text("after")});
  HostedDeft deft(place, model.url(), {"--dangerously-skip-permissions"});
  deft.say("go");
  deft.next("assistant");
  deft.request({{"subtype", "interrupt"}});
  EXPECT_EQ(text_of(deft.next("result"), "subtype"), "error_during_execution");
  deft.say("go on");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "after");
  EXPECT_TRUE(of_type(deft.lines(), "system", "informational").empty());
  std::size_t told = 0;
  for (const Json& line : of_type(deft.lines(), "user")) told += find_bool(line, "isSynthetic").value_or(false) ? 1 : 0;
  EXPECT_EQ(told, 1U);
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HostWords, AnInterruptBehindAMessageEndsItsTurnHoweverQuickItCame) {
  const PrintPlace place;
  const ModelPeer model({[](const PeerRequest& request, PeerAnswer& answer) {
    const bool answers = request.body.rfind("answer me") + 1 > request.body.rfind("stop me") + 1;
    if (answers) return ModelPeer::streams(anthropic_text("here"))(request, answer);
    answer.wait_until_gone();
  }});
  HostedDeft deft(place, model.url());
  const auto say_and_interrupt = [&](const std::string& id) {
    const Json request =
        JsonObject{{"type", "control_request"}, {"request_id", id}, {"request", JsonObject{{"subtype", "interrupt"}}}};
    deft.program->write(to_json(user_line("stop me")) + "\n" + to_json(request) + "\n");
    return text_of(deft.next("result"), "subtype");
  };
  EXPECT_EQ(say_and_interrupt("first"), "error_during_execution");
  deft.say("answer me");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "here");
  EXPECT_EQ(say_and_interrupt("right after a result"), "error_during_execution");
  EXPECT_EQ(deft.finish(), 1);
  const std::vector<Json> responses = of_type(deft.lines(), "control_response");
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_NE(to_json(responses.front()).find(R"("still_queued":[])"), std::string::npos);
}

TEST(HostWords, WhoShowsTheConversationIsToldThatItIsForgotten) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("one")});
  HostedDeft deft(place, model.url());
  const std::string uuid = "11111111-1111-4111-8111-111111111111";
  deft.say("go");
  deft.say("/clear", {{"uuid", uuid}});
  const Json reset = deft.next("conversation_reset");
  EXPECT_EQ(text_of(reset, "trigger"), "clear");
  EXPECT_EQ(text_of(reset, "user_message_uuid"), uuid);
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(of_type(deft.lines(), "conversation_reset").size(), 1U);
}

TEST(HostWords, AModeThatTheModelChangesIsToldWhenItChanges) {
  const PrintPlace place;
  const ModelPeer model(
      {anthropic_calls({{"t1", "EnterPlanMode", {}}}), anthropic_calls({bash("t2", "true")}), anthropic_text("done")});
  HostedDeft deft(place, model.url());
  deft.say("go");
  EXPECT_EQ(text_of(deft.next("system", "status"), "permissionMode"), "plan");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "done");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(of_type(deft.lines(), "system", "status").size(), 1U);
}

TEST(HostWords, AMessageThatTheApiWouldRefuseForEverIsMadeFitOrSaysNothing) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("one"), anthropic_text("two")});
  HostedDeft deft(place, model.url());
  deft.send(user_line(" \n"));
  EXPECT_NE(text_of(deft.next("result"), "result").find("prompt is empty"), std::string::npos);
  const Json picture = JsonObject{
      {"type", "image"}, {"source", JsonObject{{"type", "base64"}, {"media_type", "image/png"}, {"data", "!!"}}}};
  deft.send(user_line(JsonArray{JsonObject{{"type", "text"}, {"text", "look"}},
                                JsonObject{{"type", "text"}, {"text", "  "}}, picture}));
  EXPECT_EQ(text_of(deft.next("result"), "result"), "one");
  const std::string asked = to_json(*find_array(model.bodies().at(0), "messages"));
  EXPECT_EQ(asked.find("image"), std::string::npos) << asked;
  EXPECT_EQ(asked.find(R"("text":"  ")"), std::string::npos) << asked;
  EXPECT_NE(asked.find("a picture is left out"), std::string::npos) << asked;
  EXPECT_EQ(of_type(deft.lines(), "system", "informational").size(), 1U);
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HostWords, InitializeTakesWhatItCanAndRefusesWhatWouldBeMissedIfItWasPassedOver) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({{"t1", "Agent", {{"description", "d"}, {"prompt", "look"}}}}),
                         anthropic_text("seen"), anthropic_text("done")});
  HostedDeft deft(place, model.url(), {"--dangerously-skip-permissions"});
  for (const auto& [field, value] :
       {std::pair{"disallowedTools", Json(JsonArray{"Bash"})}, std::pair{"settings", Json(JsonObject{{"model", "m"}})},
        std::pair{"managedSettings", Json(JsonObject{{"model", "m"}})}}) {
    const Json refused = deft.response(deft.send_request({{"subtype", "initialize"}, {field, value}}));
    EXPECT_EQ(text_of(refused, "subtype"), "error") << field;
    EXPECT_NE(text_of(refused, "error").find("start deft with --"), std::string::npos) << field;
  }
  const Json begun = deft.request({{"subtype", "initialize"},
                                   {"disallowedTools", JsonArray{}},
                                   {"appendSubagentSystemPrompt", "Whisper."},
                                   {"plugins", JsonArray{JsonObject{{"type", "local"}, {"path", "/nowhere"}}}}});
  EXPECT_EQ(find_bool(begun, "plugins_applied"), false);
  deft.say("go");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "done");
  EXPECT_EQ(to_json(*find(model.bodies().at(0), "system")).find("Whisper."), std::string::npos);
  EXPECT_NE(to_json(*find(model.bodies().at(1), "system")).find("Whisper."), std::string::npos);
  const Json no_word = deft.response(deft.send_request({{"subtype", "set_model"}, {"model", 5}}));
  EXPECT_EQ(text_of(no_word, "subtype"), "error");
  EXPECT_EQ(deft.finish(), 0);
}

}  // namespace
}  // namespace deft::testing
