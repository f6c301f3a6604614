#include <gtest/gtest.h>

#include "deft_headless.h"
#include "deft_print.h"

// A small model that judges calls: in auto mode, and of what was granted with a plan.

namespace deft::testing {
namespace {

std::string call(std::string_view tool, JsonObject input) {
  return to_json(JsonObject{{"answer", JsonArray{JsonObject{{"call", tool}, {"input", std::move(input)}}}}});
}
std::string when(std::string_view told, std::string_view answer) {
  return to_json(JsonObject{{"when", told}, {"answer", answer}});
}
constexpr const char* kSmall = R"({"smallModel":"small"})";
// A command that no rule and no list of ours knows.
JsonObject unknown_command() { return {{"command", "perl -e 'open(F, \">\", \"made\")'"}}; }

TEST(Classifier, InAutoModeTheSmallModelLetsAHarmlessCommandRunAndIsCounted) {
  const TempFolder folder;
  DeftHeadless deft(folder, {call("Bash", unknown_command()),
                             R"({"when":"<call>","answer":"{\"verdict\":\"harmless\",\"reason\":\"it makes a file\"}",)"
                             R"("usage":{"input_tokens":700,"output_tokens":9}})",
                             when("no output", "done")});
  const auto run = deft.run({"go", "--settings", kSmall, "--permission-mode", "auto"});
  EXPECT_EQ(run.text(), "done") << run.all();
  EXPECT_TRUE(folder.bytes("project/made").has_value());
  const Json result = run.result();
  const Json* used = find(*find(result, "modelUsage"), "small");
  ASSERT_NE(used, nullptr) << run.all();
  EXPECT_EQ(find_int(*used, "inputTokens"), 700);
}

TEST(Classifier, WhatItCallsRiskyOrDoesNotAnswerInJsonIsNotRun) {
  for (const char* answer :
       {"{\\\"verdict\\\":\\\"risky\\\",\\\"reason\\\":\\\"it may do anything\\\"}", "It is harmless."}) {
    const TempFolder folder;
    DeftHeadless deft(
        folder, {call("Bash", unknown_command()), R"({"when":"<call>","answer":")" + std::string(answer) + R"("})",
                 when("nobody can be asked", "refused")});
    const auto run = deft.run({"go", "--settings", kSmall, "--permission-mode", "auto"});
    EXPECT_EQ(run.text(), "refused") << run.all();
    EXPECT_FALSE(folder.bytes("project/made").has_value());
  }
}

TEST(Classifier, IsNotAskedWhereARuleOrACheckDecidesNorWhereNoSmallModelWasNamed) {
  const TempFolder folder;
  // A request to judge would find no line for it, and fail the run's text.
  DeftHeadless denied(folder, {call("Bash", unknown_command()), when("denied", "as you wish")});
  EXPECT_EQ(
      denied.run({"go", "--settings", kSmall, "--permission-mode", "auto", "--disallowedTools", "Bash(perl *)"}).text(),
      "as you wish");
  DeftHeadless removal(folder, {call("Bash", {{"command", "rm -rf /"}}), when("nobody can be asked", "as you wish")});
  EXPECT_EQ(removal.run({"go", "--settings", kSmall, "--permission-mode", "auto"}).text(), "as you wish");
  DeftHeadless none(folder, {call("Bash", unknown_command()), when("nobody can be asked", "as you wish")});
  EXPECT_EQ(none.run({"go", "--permission-mode", "auto"}).text(), "as you wish");
  EXPECT_FALSE(folder.bytes("project/made").has_value());
}

TEST(Classifier, WhatTheSettingsForbidIsDeniedAndARepositorySaysNothingToIt) {
  const TempFolder folder;
  DeftHeadless deft(folder, {call("Bash", unknown_command()),
                             R"({"when":"<call>","answer":"{\"verdict\":\"forbidden\",\"reason\":\"perl\"}"})",
                             when("auto mode forbids it: perl", "forbidden")});
  const auto run = deft.run({"go", "--permission-mode", "auto", "--settings",
                             R"({"smallModel":"small","autoMode":{"hard_deny":["running perl"]}})"});
  EXPECT_EQ(run.text(), "forbidden") << run.all();

  folder.put("project/.claude/settings.json", R"({"autoMode":{"hard_deny":["running perl"],"soft_deny":[]}})");
  DeftHeadless other(folder,
                     {call("Bash", unknown_command()), R"({"when":"<call>","answer":"{\"verdict\":\"forbidden\"}"})",
                      when("nobody can be asked", "asked for")});
  const auto ignored = other.run({"go", "--permission-mode", "auto", "--settings", kSmall, "--trust"});
  EXPECT_EQ(ignored.text(), "asked for") << ignored.all();
}

// --- grants by meaning ---

class PlanGrants : public ::testing::Test {
 protected:
  const PrintPlace place;

  // The n-th call of the model is this one.
  static ModelPeer::Answer calls(std::string tool, JsonObject input) {
    return ModelPeer::streams(anthropic_calls({{"c" + tool + std::to_string(input.size()), std::move(tool), input}}));
  }
  static ModelPeer::Answer says(std::string_view text) { return ModelPeer::streams(anthropic_text(text)); }
  // Writes its plan where it was told to.
  static void write_plan(const PeerRequest& request, PeerAnswer& answer) {
    constexpr std::string_view kBefore = "which you write to ";
    const std::size_t begin = request.body.find(kBefore) + kBefore.size();
    const std::string path = request.body.substr(begin, request.body.find(". When", begin) - begin);
    ModelPeer::streams(anthropic_calls({{"w", "Write", {{"file_path", path}, {"content", "count"}}}}))(request, answer);
  }
  static JsonObject wishes() {
    return {{"allowedPrompts", JsonArray{JsonObject{{"tool", "Bash"}, {"prompt", "count with perl"}},
                                         JsonObject{{"tool", "Write"}, {"prompt", "write anything"}}}}};
  }
};

TEST_F(PlanGrants, LetCommandsRunThatTheClassifierFindsCoveredAndNoOthers) {
  const ModelPeer model({write_plan, calls("ExitPlanMode", wishes()),
                         ModelPeer::streams(anthropic_calls({{"b1", "Bash", {{"command", "perl -e 'print 40 + 2'"}}}})),
                         says(R"({"verdict":"covered","which":0})"),
                         ModelPeer::streams(anthropic_calls({{"b2", "Bash", unknown_command()}})),
                         says(R"({"verdict":"other"})"), says("done")});
  HostedDeft deft(place, model.url(),
                  {"--settings", kSmall, "--permission-mode", "plan", "--permission-prompt-tool", "stdio"});
  deft.say("count");
  const Json plan = deft.next_request("can_use_tool");
  const Json* request = find(plan, "request");
  EXPECT_EQ(text_of(*request, "tool_name"), "ExitPlanMode");
  deft.respond(plan, JsonObject{{"behavior", "allow"}});
  const Json second = deft.next_request("can_use_tool");
  EXPECT_EQ(text_of(*find(second, "request"), "tool_use_id"), "b2") << "the first was covered, and ran";
  deft.respond(second, JsonObject{{"behavior", "deny"}, {"message", "not that"}});
  EXPECT_EQ(text_of(deft.next("result"), "result"), "done");
  EXPECT_NE(to_json(model.bodies().at(4)).find("42"), std::string::npos);
  const std::string judged = to_json(model.bodies().at(3));
  EXPECT_NE(judged.find("count with perl"), std::string::npos) << judged;
  EXPECT_EQ(judged.find("write anything"), std::string::npos) << "only shells are granted anything by meaning";
  EXPECT_EQ(deft.finish(), 0);
}

TEST_F(PlanGrants, GrantNothingWithoutAClassifier) {
  const ModelPeer model({write_plan, calls("ExitPlanMode", wishes()),
                         ModelPeer::streams(anthropic_calls({{"b1", "Bash", {{"command", "perl -e 'print 40 + 2'"}}}})),
                         says("done")});
  HostedDeft deft(place, model.url(), {"--permission-mode", "plan", "--permission-prompt-tool", "stdio"});
  deft.say("count");
  deft.respond(deft.next_request("can_use_tool"), JsonObject{{"behavior", "allow"}});
  const Json asked = deft.next_request("can_use_tool");
  EXPECT_EQ(text_of(*find(asked, "request"), "tool_use_id"), "b1");
  deft.respond(asked, JsonObject{{"behavior", "deny"}, {"message", "no"}});
  EXPECT_EQ(text_of(deft.next("result"), "result"), "done");
  EXPECT_EQ(deft.finish(), 0);
}

}  // namespace
}  // namespace deft::testing
