#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "deft_print.h"

// `deft -p --input-format stream-json`: a host sends messages and control requests, and answers ours.

namespace deft::testing {
namespace {

StreamedCall bash(std::string id, std::string_view command) { return {std::move(id), "Bash", {{"command", command}}}; }

JsonObject hooks_on(std::string_view event, std::string_view matcher, std::string_view callback) {
  return {{"subtype", "initialize"},
          {"hooks", JsonObject{{event, JsonArray{JsonObject{{"matcher", matcher},
                                                            {"hookCallbackIds", JsonArray{Json(callback)}}}}}}}};
}

TEST(HeadlessHost, MessagesBecomeTurnsInTheirOrder) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("one"), anthropic_text("two"), anthropic_text("three")});
  HostedDeft deft(place, model.url());
  for (const char* text : {"first", "second", "third"}) deft.say(text);
  EXPECT_EQ(deft.finish(), 0);
  const std::vector<Json> results = of_type(deft.lines(), "result");
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(text_of(results[0], "result"), "one");
  EXPECT_EQ(text_of(results[2], "result"), "three");
  EXPECT_EQ(of_type(deft.lines(), "system", "init").size(), 3U);
  EXPECT_EQ(find_array(model.bodies().at(2), "messages")->size(), 5U);
}

TEST(HeadlessHost, WithoutAMessageItEndsWithItsInput) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("one")});
  HostedDeft deft(place, model.url());
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(of_type(deft.lines(), "result").empty());
}

TEST(HeadlessHost, ALineThatIsNoneIsNamedAndLeftOut) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("one")});
  HostedDeft deft(place, model.url());
  deft.program->write(
      "not json\n{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\"}]}}\n");
  deft.say("go");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(of_type(deft.lines(), "system", "informational").size(), 2U);
  EXPECT_EQ(of_type(deft.lines(), "result").size(), 1U);
}

TEST(HeadlessHost, InitializeSetsTheWordsBeforeTheConversation) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url());
  const Json response = deft.request({{"subtype", "initialize"},
                                      {"systemPrompt", JsonArray{"You are a parrot.", "A green one."}},
                                      {"appendSystemPrompt", "Speak twice."},
                                      {"sdkMcpServers", JsonArray{}}});
  for (const char* key : {"commands", "models", "agents", "available_output_styles"}) {
    EXPECT_NE(find_array(response, key), nullptr) << key;
  }
  deft.say("hello");
  EXPECT_EQ(deft.finish(), 0);
  const std::string system = to_json(*find(model.bodies().at(0), "system"));
  EXPECT_NE(system.find("You are a parrot.\\n\\nA green one."), std::string::npos);
  EXPECT_NE(system.find("Speak twice."), std::string::npos);
}

TEST(HeadlessHost, WhatNobodyTypedCallsNoCommand) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("one"), anthropic_text("two"), anthropic_text("three")});
  HostedDeft deft(place, model.url());
  deft.say("/clear", {{"client_composed", true}});
  EXPECT_EQ(text_of(deft.next("result"), "result"), "one");
  deft.say("/clear", {{"shouldQuery", false}});
  deft.say("go on");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "two");
  const std::string last = to_json(find_array(model.bodies().at(1), "messages")->back());
  EXPECT_NE(last.find("/clear"), std::string::npos);
  EXPECT_NE(last.find("go on"), std::string::npos);
  EXPECT_EQ(find_array(model.bodies().at(1), "messages")->size(), 3U);
  deft.say("/clear");  // of a person
  deft.next("result");
  deft.say("anew");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "three");
  EXPECT_EQ(find_array(model.bodies().at(2), "messages")->size(), 1U);
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HeadlessHost, ARequestThatDoesNotSayWhatItWantsIsRefusedByItsId) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url());
  const Json inner = deft.response(deft.send_request({{"mode", "plan"}}));
  EXPECT_EQ(text_of(inner, "subtype"), "error");
  EXPECT_NE(text_of(inner, "error").find("subtype"), std::string::npos);
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HeadlessHost, TheMarkOfWhatMayBeCachedForAllIsNotToldToTheModel) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url());
  deft.request({{"subtype", "initialize"},
                {"systemPrompt", JsonArray{"For all.", "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__", "For this one."}}});
  deft.say("hello");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_NE(to_json(*find(model.bodies().at(0), "system")).find("For all.\\n\\nFor this one."), std::string::npos);
}

TEST(HeadlessHost, WhatOfInitializeHasNoEffectIsSaid) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url());
  deft.request({{"subtype", "initialize"}, {"promptSuggestions", true}, {"plugins", JsonArray{}}});
  EXPECT_EQ(of_type(deft.lines(), "system", "informational").size(), 0U);
  deft.request({{"subtype", "initialize"}, {"planModeInstructions", "Think."}, {"excludeDynamicSections", true}});
  EXPECT_EQ(of_type(deft.lines(), "system", "informational").size(), 2U);
  const JsonArray callbacks{JsonObject{{"hookCallbackIds", JsonArray{"hook_0"}}}};
  deft.request({{"subtype", "initialize"}, {"hooks", JsonObject{{"PostModelSwitch", callbacks}, {"Stop", callbacks}}}});
  EXPECT_EQ(of_type(deft.lines(), "system", "informational").size(), 2U);  // elsewhere there is such an event
  deft.request({{"subtype", "initialize"}, {"hooks", JsonObject{{"PreToolUze", callbacks}}}});
  EXPECT_EQ(of_type(deft.lines(), "system", "informational").size(), 3U);
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HeadlessHost, WhatItCannotDoIsRefusedByName) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url());
  const Json inner = deft.response(deft.send_request({{"subtype", "fly_to_the_moon"}}));
  EXPECT_EQ(text_of(inner, "subtype"), "error");
  EXPECT_NE(text_of(inner, "error").find("fly_to_the_moon"), std::string::npos);
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HeadlessHost, TheHostAllowsChangesAndDenies) {
  const PrintPlace place;
  const ModelPeer model(
      {anthropic_calls({bash("t1", "touch wrong"), bash("t2", "touch denied")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), {"--permission-prompt-tool", "stdio"});
  deft.say("go");
  const Json first = deft.next_request("can_use_tool");
  const Json& asked = *find(first, "request");
  EXPECT_EQ(text_of(asked, "tool_name"), "Bash");
  EXPECT_EQ(text_of(asked, "tool_use_id"), "t1");
  EXPECT_EQ(text_of(*find(asked, "input"), "command"), "touch wrong");
  EXPECT_NE(find_array(asked, "permission_suggestions"), nullptr);
  deft.respond(first, JsonObject{{"behavior", "allow"}, {"updatedInput", JsonObject{{"command", "touch right"}}}});
  const Json second = deft.next_request("can_use_tool");
  deft.respond(second, JsonObject{{"behavior", "deny"}, {"message", "not on a Sunday"}});
  const Json result = deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(place.project.bytes("right"));
  EXPECT_FALSE(place.project.bytes("wrong"));
  EXPECT_FALSE(place.project.bytes("denied"));
  EXPECT_EQ(find_array(result, "permission_denials")->size(), 1U);
  EXPECT_NE(to_json(model.bodies().at(1)).find("not on a Sunday"), std::string::npos);
}

TEST(HeadlessHost, OneThatComesBackIsToldAtOnceWhatItIsStillAsked) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "touch made")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), {"--permission-prompt-tool", "stdio"});
  const Json first = deft.response(deft.send_request({{"subtype", "initialize"}}));
  EXPECT_EQ(to_json(*find(first, "pending_permission_requests")), "[]");
  deft.say("go");
  const Json question = deft.next_request("can_use_tool");
  const Json again = deft.response(deft.send_request({{"subtype", "initialize"}}));  // the question was lost on its way
  const JsonArray* open = find_array(again, "pending_permission_requests");
  ASSERT_NE(open, nullptr) << to_json(again);
  ASSERT_EQ(open->size(), 1U);
  EXPECT_EQ(open->front(), question);
  EXPECT_NE(find_array(*find(again, "response"), "commands"), nullptr);
  deft.respond(open->front(), JsonObject{{"behavior", "allow"}});
  EXPECT_EQ(text_of(deft.next("result"), "result"), "done");
  EXPECT_TRUE(std::filesystem::exists(place.project / "made"));
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HeadlessHost, OneThatComesBackHasItsHooksAskedAnewAndTheLostOneBlocks) {
  const PrintPlace place;
  const ModelPeer model(
      {anthropic_calls({bash("t1", "touch one")}), anthropic_calls({bash("t2", "touch two")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), {"--permission-mode", "acceptEdits"});
  deft.request(hooks_on("PreToolUse", "Bash", "before"));
  deft.say("go");
  const Json lost = deft.next_request("hook_callback");
  deft.request(hooks_on("PreToolUse", "Bash", "after"));
  EXPECT_EQ(text_of(deft.next("control_cancel_request"), "request_id"), text_of(lost, "request_id"));
  const Json asked = deft.next_request("hook_callback");
  EXPECT_EQ(text_of(*find(asked, "request"), "callback_id"), "after");
  deft.respond(asked, JsonObject{});
  EXPECT_EQ(text_of(deft.next("result"), "result"), "done");
  EXPECT_FALSE(std::filesystem::exists(place.project / "one"));
  EXPECT_TRUE(std::filesystem::exists(place.project / "two"));
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HeadlessHost, WhatComesWithAYesCountsForTheSession) {
  const PrintPlace place;
  const ModelPeer model(
      {anthropic_calls({bash("t1", "touch one")}), anthropic_calls({bash("t2", "touch two")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), {"--permission-prompt-tool", "stdio"});
  deft.say("go");
  const Json asked = deft.next_request("can_use_tool");
  deft.respond(
      asked,
      JsonObject{
          {"behavior", "allow"},
          {"updatedPermissions",
           JsonArray{JsonObject{{"type", "addRules"},
                                {"rules", JsonArray{JsonObject{{"toolName", "Bash"}, {"ruleContent", "touch *"}}}},
                                {"behavior", "allow"},
                                {"destination", "session"}}}}});
  deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(place.project.bytes("two"));
}

TEST(HeadlessHost, AQuestionThatNobodyCanAnswerAnyMoreIsDenied) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "touch made")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), {"--permission-prompt-tool", "stdio"});
  deft.say("go");
  deft.next_request("can_use_tool");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(place.project.bytes("made"));
  EXPECT_EQ(of_type(deft.lines(), "result").size(), 1U);
}

TEST(HeadlessHost, QuestionsOfTheModelAreAnsweredByTheHost) {
  const PrintPlace place;
  const JsonObject question{{"question", "Which colour?"},
                            {"header", "Colour"},
                            {"options", JsonArray{JsonObject{{"label", "red"}, {"description", "r"}},
                                                  JsonObject{{"label", "blue"}, {"description", "b"}}}},
                            {"multiSelect", false}};
  const ModelPeer model(
      {anthropic_calls({{"t1", "AskUserQuestion", {{"questions", JsonArray{question}}}}}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), {"--permission-prompt-tool", "stdio"});
  deft.say("go");
  const Json asked = deft.next_request("can_use_tool");
  EXPECT_EQ(find_bool(*find(asked, "request"), "requires_user_interaction"), true);
  deft.respond(asked, JsonObject{{"behavior", "allow"},
                                 {"updatedInput", JsonObject{{"questions", JsonArray{question}},
                                                             {"answers", JsonObject{{"Which colour?", "blue"}}}}}});
  deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_NE(to_json(model.bodies().at(1)).find("blue"), std::string::npos);
}

TEST(HeadlessHost, WithoutAHostAQuestionOfTheModelHasAClearAnswerAtOnce) {
  const PrintPlace place;
  const JsonObject question{{"question", "Which colour?"},
                            {"header", "Colour"},
                            {"options", JsonArray{JsonObject{{"label", "red"}, {"description", "r"}},
                                                  JsonObject{{"label", "blue"}, {"description", "b"}}}},
                            {"multiSelect", false}};
  const ModelPeer model(
      {anthropic_calls({{"t1", "AskUserQuestion", {{"questions", JsonArray{question}}}}}), anthropic_text("done")});
  EXPECT_EQ(place.run(model, {"-p", "go"}).output, "done\n");
  EXPECT_NE(to_json(model.bodies().at(1)).find("nobody can be asked here"), std::string::npos);
}

TEST(HeadlessHost, ItsFunctionsAreHooks) {
  const PrintPlace place;
  const ModelPeer model(
      {anthropic_calls({bash("t1", "echo before"), bash("t2", "touch made")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), {"--permission-mode", "bypassPermissions"});
  deft.request(hooks_on("PreToolUse", "Bash", "hook_0"));
  deft.say("go");
  for (int i = 0; i < 2; ++i) {
    const Json called = deft.next_request("hook_callback");
    const Json& request = *find(called, "request");
    EXPECT_EQ(text_of(request, "callback_id"), "hook_0");
    const Json& input = *find(request, "input");
    EXPECT_EQ(text_of(input, "hook_event_name"), "PreToolUse");
    EXPECT_EQ(text_of(input, "tool_use_id"), text_of(request, "tool_use_id"));
    const bool is_touch = text_of(*find(input, "tool_input"), "command") == "touch made";
    deft.respond(called, is_touch
                             ? JsonObject{{"hookSpecificOutput", JsonObject{{"hookEventName", "PreToolUse"},
                                                                            {"permissionDecision", "deny"},
                                                                            {"permissionDecisionReason", "hands off"}}}}
                             : JsonObject{});
  }
  deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(place.project.bytes("made"));
  const std::string results = to_json(model.bodies().at(1));
  EXPECT_NE(results.find("hands off"), std::string::npos);
  EXPECT_NE(results.find("before"), std::string::npos);
}

TEST(HeadlessHost, AHookThatTheHostDoesNotAnswerBlocks) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "touch made")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), {"--permission-mode", "bypassPermissions"});
  deft.request(hooks_on("PreToolUse", "Bash", "hook_0"));
  deft.say("go");
  deft.next_request("hook_callback");
  EXPECT_EQ(deft.finish(), 0);  // the input ends without an answer
  EXPECT_FALSE(place.project.bytes("made"));
}

TEST(HeadlessHost, AnInterruptEndsTheTurnAndTheNextOneWorks) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "touch begun; sleep 1000")}), anthropic_text("after")});
  HostedDeft deft(place, model.url(), {"--permission-mode", "bypassPermissions"});
  deft.say("go");
  ASSERT_TRUE(eventually([&] { return place.project.bytes("begun").has_value(); }));
  const Json response = deft.request({{"subtype", "interrupt"}});
  EXPECT_TRUE(find_array(response, "still_queued")->empty());
  const Json result = deft.next("result");
  EXPECT_EQ(text_of(result, "terminal_reason"), "aborted_tools");
  // One between two turns is not meant for the next.
  deft.request({{"subtype", "interrupt"}});
  deft.say("go on");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "after");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HeadlessHost, SigintEndsTheTurnButNotTheRun) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "touch begun; sleep 1000")}), anthropic_text("after")});
  HostedDeft deft(place, model.url(), {"--permission-mode", "bypassPermissions"});
  deft.say("go");
  ASSERT_TRUE(eventually([&] { return place.project.bytes("begun").has_value(); }));
  deft.program->send_signal(SIGINT);
  EXPECT_EQ(text_of(deft.next("result"), "terminal_reason"), "aborted_tools");
  deft.say("go on");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "after");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HeadlessHost, ModelModeAndThinkingChangeForTheNextTurn) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  HostedDeft deft(place, model.url());
  deft.request({{"subtype", "set_model"}, {"model", "other-model"}});
  deft.request({{"subtype", "set_permission_mode"}, {"mode", "plan"}});
  deft.request({{"subtype", "set_max_thinking_tokens"}, {"max_thinking_tokens", 2000}});
  deft.say("go");
  EXPECT_EQ(text_of(deft.next("system", "init"), "permissionMode"), "plan");
  deft.next("result");
  const Json refused =
      deft.response(deft.send_request({{"subtype", "set_permission_mode"}, {"mode", "bypassPermissions"}}));
  EXPECT_EQ(text_of(refused, "subtype"), "error");
  EXPECT_EQ(deft.finish(), 0);
  const Json body = model.bodies().at(0);
  EXPECT_EQ(text_of(body, "model"), "other-model");
  EXPECT_EQ(number_of(*find(body, "thinking"), "budget_tokens"), 2000);
}

TEST(HeadlessHost, MessagesAreReplayedOnRequestAndMayBeTakenBack) {
  const PrintPlace place;
  PeerGate gate;
  const ModelPeer model({[&](const PeerRequest& request, PeerAnswer& answer) {
    answer.wait(gate);
    ModelPeer::streams(anthropic_text("ok"))(request, answer);
  }});
  HostedDeft deft(place, model.url(), {"--replay-user-messages"});
  const std::string first = "0b7e6bd2-6f07-4d0e-9c38-3f1f3c6a1c11";
  deft.say("first", {{"uuid", first}});
  deft.next("system", "init");
  deft.say("second", {{"uuid", "second"}});
  const Json taken = deft.request({{"subtype", "cancel_async_message"}, {"message_uuid", "second"}});
  EXPECT_EQ(find_bool(taken, "cancelled"), true);
  gate.open();
  EXPECT_EQ(deft.finish(), 0);
  const std::vector<Json> replayed = of_type(deft.lines(), "user");
  ASSERT_EQ(replayed.size(), 1U);
  EXPECT_EQ(text_of(replayed[0], "uuid"), first);
  EXPECT_EQ(find_bool(replayed[0], "isReplay"), true);
  EXPECT_EQ(of_type(deft.lines(), "result").size(), 1U);
}

TEST(HeadlessHost, AHostThatDoesNotReadStallsNobody) {
  PrintPlace place;
  place.small_output_pipe = true;
  const ModelPeer model(
      {anthropic_calls({bash("t1", "head -c 60000 /dev/zero | tr '\\0' x; touch done")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), {"--permission-mode", "bypassPermissions"});
  deft.say("go");
  // Nobody has read a line yet.
  ASSERT_TRUE(eventually([&] { return model.requests() == 2; }));
  deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
}

// What the Python SDK does, as its documentation and its source say: the version check, the words of its command line,
// its lines.
TEST(HeadlessPythonSdk, IsDrivenByItsDocumentedLines) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "touch made")}), anthropic_text("done")});
  const Finished version = place.run(model, {"-v"});
  int major = 0, minor = 0, patch = 0;
  ASSERT_EQ(std::sscanf(version.output.c_str(), "%d.%d.%d", &major, &minor, &patch), 3);
  EXPECT_GE(major, 2);

  const auto program = place.start(
      model.url(), {"--output-format", "stream-json", "--verbose", "--system-prompt", "", "--permission-prompt-tool",
                    "stdio", "--setting-sources=", "--input-format", "stream-json"});
  program->write(
      R"({"type":"control_request","request_id":"req_1_abc","request":{"subtype":"initialize","hooks":null}})"
      "\n");
  const Json initialized = *parse_json(*program->read_line());
  EXPECT_EQ(text_of(initialized, "type"), "control_response");
  EXPECT_EQ(text_of(*find(initialized, "response"), "request_id"), "req_1_abc");
  EXPECT_EQ(text_of(*find(initialized, "response"), "subtype"), "success");
  program->write(
      R"({"type":"user","message":{"role":"user","content":"go"},"parent_tool_use_id":null,"session_id":"default"})"
      "\n");
  std::vector<Json> lines;
  while (const auto line = program->read_line()) {
    lines.push_back(*parse_json(*line));
    const Json& last = lines.back();
    if (text_of(last, "type") == "control_request") {
      EXPECT_EQ(text_of(*find(last, "request"), "subtype"), "can_use_tool");
      program->write(R"({"type":"control_response","response":{"subtype":"success","request_id":")" +
                     text_of(last, "request_id") +
                     R"(","response":{"behavior":"allow","updatedInput":{"command":"touch made"}}}})"
                     "\n");
    }
    if (text_of(last, "type") == "result") program->close_input();
  }
  EXPECT_EQ(program->wait(), 0);
  EXPECT_TRUE(place.project.bytes("made"));
  // What its parser needs of each message.
  for (const Json& line : of_type(lines, "assistant")) {
    const Json& message = *find(line, "message");
    EXPECT_NE(find_string(message, "model"), std::nullopt);
    EXPECT_NE(find_array(message, "content"), nullptr);
  }
  const Json result = of_type(lines, "result").at(0);
  for (const char* key : {"subtype", "session_id"}) EXPECT_NE(find_string(result, key), std::nullopt) << key;
  for (const char* key : {"duration_ms", "duration_api_ms", "num_turns"}) {
    EXPECT_NE(find_int(result, key), std::nullopt) << key;
  }
  EXPECT_EQ(find_bool(result, "is_error"), false);
}

}  // namespace
}  // namespace deft::testing
