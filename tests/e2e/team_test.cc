#include <gtest/gtest.h>

#include "deft_headless.h"

// Agents that talk to each other, in `deft -p`.

namespace deft::testing {
namespace {

std::string when(std::string_view told, std::string_view answer, int times = 1) {
  return to_json(JsonObject{{"when", told}, {"times", times}, {"answer", answer}});
}
std::string call_when(std::string_view told, std::string_view tool, JsonObject input) {
  return to_json(
      JsonObject{{"when", told}, {"answer", JsonArray{JsonObject{{"call", tool}, {"input", std::move(input)}}}}});
}

TEST(Team, IsMadeTalksAndIsEnded) {
  const TempFolder folder;
  DeftHeadless deft(
      folder, {call_when("Build the house", "TeamCreate", {{"team_name", "builders"}}),
               call_when("The team builders is there", "Agent",
                         {{"description", "the wall"}, {"prompt", "Begin the wall."}, {"name", "ann"}}),
               when("Begin the wall.", "begun"),
               call_when("ann has nothing to do", "SendMessage", {{"to", "ann"}, {"message", "How far is it?"}}),
               call_when("How far is it?", "SendMessage", {{"to", "team-lead"}, {"message", "Half of it stands."}}),
               when("Sent to team-lead.", "told"), call_when("Half of it stands.", "TeamDelete", {{"force", true}}),
               call_when("The team is gone. Ended: ann.", "SendMessage", {{"to", "ann"}, {"message", "Hello?"}}),
               // Whatever comes before the news that the main agent waits for.
               when("has ended and reads nothing any more", "all done", 0), when("task-notification", "all done", 0),
               when("has nothing to do", "I go on.", 0), when("Sent to ann.", "I wait for her.", 0),
               when("background", "I wait.", 0)});
  const auto run = deft.run({"Build the house"});
  EXPECT_EQ(run.text(), "all done") << run.all();
  for (const char* said : {"The team builders is there", "Sent to ann.", "Sent to team-lead.", "Ended: ann.",
                           "has ended and reads nothing any more"}) {
    EXPECT_NE(run.all().find(said), std::string::npos) << said << "\n" << run.all();
  }
}

}  // namespace
}  // namespace deft::testing
