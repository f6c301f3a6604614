#include <gtest/gtest.h>

#include "deft_headless.h"
#include "deft_print.h"

// The plan of a subagent goes to whoever leads it.

namespace deft::testing {
namespace {

constexpr const char* kPlanner = R"({"planner":{"description":"plans","prompt":"You plan.","permissionMode":"plan"}})";

JsonObject task() { return {{"description", "plan it"}, {"prompt", "Plan the garden."}, {"subagent_type", "planner"}}; }
ModelPeer::Answer calls(std::string id, std::string tool, JsonObject input) {
  return ModelPeer::streams(anthropic_calls({{std::move(id), std::move(tool), std::move(input)}}));
}
ModelPeer::Answer says(std::string_view text) { return ModelPeer::streams(anthropic_text(text)); }
// Writes the plan where the request says that it belongs.
void write_plan(const PeerRequest& request, PeerAnswer& answer) {
  constexpr std::string_view kBefore = "which you write to ";
  const std::size_t begin = request.body.find(kBefore) + kBefore.size();
  const std::string path = request.body.substr(begin, request.body.find(". When", begin) - begin);
  calls("w", "Write", {{"file_path", path}, {"content", "roses"}})(request, answer);
}

TEST(SubagentPlan, IsApprovedWithFeedbackAndEditsAndThenTheModeBeforeIsBack) {
  const PrintPlace place;
  const ModelPeer model({calls("a", "Agent", task()), write_plan, calls("x1", "ExitPlanMode", {}),
                         calls("x2", "ExitPlanMode", {}),
                         calls("f", "Write", {{"file_path", place.project / "bed.txt"}, {"content", "tulips"}}),
                         says("planted"), says("done")});
  HostedDeft deft(place, model.url(), {"--agents", kPlanner, "--permission-prompt-tool", "stdio"});
  deft.say("make a garden");
  const Json first = deft.next_request("can_use_tool");
  const Json& asked = *find(first, "request");
  EXPECT_EQ(text_of(asked, "tool_name"), "ExitPlanMode");
  EXPECT_FALSE(text_of(asked, "agent_id").empty());
  const Json& input = *find(asked, "input");
  EXPECT_EQ(text_of(input, "plan"), "roses");
  EXPECT_EQ(text_of(input, "requestId"), text_of(asked, "tool_use_id"));
  EXPECT_EQ(find_bool(input, "awaitingLeaderApproval"), true);
  deft.respond(first, JsonObject{{"behavior", "deny"}, {"message", "too thorny"}});

  const Json again = deft.next_request("can_use_tool");
  JsonObject edited = find(*find(again, "request"), "input")->get_object();
  edited["plan"] = "tulips";
  deft.respond(again, JsonObject{{"behavior", "allow"}, {"updatedInput", edited}});

  const Json write = deft.next_request("can_use_tool");
  EXPECT_EQ(text_of(*find(write, "request"), "tool_name"), "Write") << "it asks, as its leader does";
  deft.respond(write, JsonObject{{"behavior", "allow"}});
  EXPECT_EQ(text_of(deft.next("result"), "result"), "done");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(place.project.bytes("bed.txt"), "tulips");
  EXPECT_NE(to_json(model.bodies().at(3)).find("too thorny"), std::string::npos);
  const std::string approved = to_json(model.bodies().at(4));
  EXPECT_NE(approved.find("with changes of their own"), std::string::npos) << approved;
}

TEST(SubagentPlan, IsAnsweredAtOnceWhereNobodyCanBeAsked) {
  const PrintPlace place;
  const ModelPeer model({calls("a", "Agent", task()), write_plan, calls("x1", "ExitPlanMode", {}),
                         says("the plan: roses"), says("done")});
  const auto lines = place.lines(model, Arguments{"-p", "make a garden", "--agents", kPlanner} + kStreamJson);
  EXPECT_EQ(text_of(lines.back(), "result"), "done");
  EXPECT_NE(to_json(model.bodies().at(3)).find("nobody can be asked here"), std::string::npos);
}

TEST(SubagentPlan, WhoseLeaderPlansTooPlansOn) {
  const PrintPlace place;
  const ModelPeer model({calls("a", "Agent", {{"description", "plan it"}, {"prompt", "Plan the garden."}}), write_plan,
                         calls("x1", "ExitPlanMode", {}),
                         calls("f", "Write", {{"file_path", place.project / "bed.txt"}, {"content", "tulips"}}),
                         says("the plan: roses"), says("done")});
  HostedDeft deft(place, model.url(), {"--permission-mode", "plan", "--permission-prompt-tool", "stdio"});
  deft.say("make a garden");
  deft.respond(deft.next_request("can_use_tool"), JsonObject{{"behavior", "allow"}});
  EXPECT_EQ(text_of(deft.next("result"), "result"), "done");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(place.project.bytes("bed.txt"));
  EXPECT_NE(to_json(model.bodies().at(3)).find("still plans"), std::string::npos);
}

TEST(SubagentPlan, OnlyOneThatPlansHasTheToolForIt) {
  const PrintPlace place;
  const ModelPeer model(
      {calls("a", "Agent", {{"description", "do it"}, {"prompt", "Do it."}}), says("report"), says("done")});
  place.lines(model, Arguments{"-p", "go"} + kStreamJson);
  EXPECT_NE(to_json(*find(model.bodies().at(0), "tools")).find("ExitPlanMode"), std::string::npos);
  EXPECT_EQ(to_json(*find(model.bodies().at(1), "tools")).find("ExitPlanMode"), std::string::npos);
}

}  // namespace
}  // namespace deft::testing
