#include <gtest/gtest.h>

#include "deft/ui/headless_host.h"

namespace deft {
namespace {

PermissionAnswer answer(std::string_view json) { return answer_of_host("q", parse_json(json).value()); }

TEST(HostPermission, AYesMayChangeTheInputAndThePermissions) {
  const PermissionAnswer plain = answer(R"({"behavior":"allow"})");
  EXPECT_EQ(plain.id, "q");
  EXPECT_EQ(plain.verdict, Verdict::allow);
  EXPECT_EQ(plain.updated_input, std::nullopt);
  const PermissionAnswer changed =
      answer(R"({"behavior":"allow","updatedInput":{"a":1},"updatedPermissions":[{"type":"setMode"}]})");
  EXPECT_EQ(to_json(changed.updated_input.value()), R"({"a":1})");
  EXPECT_EQ(changed.updated_permissions.size(), 1U);
}

TEST(HostPermission, ANoMayEndTheTurn) {
  const PermissionAnswer denied = answer(R"({"behavior":"deny","message":"no","interrupt":true})");
  EXPECT_EQ(denied.verdict, Verdict::deny);
  EXPECT_EQ(denied.feedback, "no");
  EXPECT_TRUE(denied.ends_turn);
}

TEST(HostPermission, WhatIsNotUnderstoodIsANo) {
  for (const std::string_view json : {"null", "[]", "{}", R"({"behavior":"perhaps"})", R"({"behavior":1})",
                                      R"({"behavior":"allow","updatedInput":7})"}) {
    EXPECT_EQ(answer(json).verdict, Verdict::deny) << json;
  }
  EXPECT_EQ(answer_of_host("q", fail(Errc::io, "gone")).verdict, Verdict::deny);
}

TEST(HostPermission, AQuestionTellsWhatAlwaysWouldWrite) {
  const PermissionAsked asked{.id = "q",
                              .call = {"t1", "Bash", JsonObject{{"command", "make"}}, R"({"command":"make"})", {}},
                              .title = "Bash(make)",
                              .decision = {.reason = "nobody allowed it"},
                              .proposal = {"Bash(make:*)", "WebFetch"}};
  const JsonObject request = can_use_tool(asked);
  EXPECT_EQ(to_json(request.at("permission_suggestions")),
            R"([{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"make:*"},{"toolName":"WebFetch"}],)"
            R"("behavior":"allow","destination":"localSettings"}])");
  EXPECT_EQ(to_json(request.at("input")), R"({"command":"make"})");
}

}  // namespace
}  // namespace deft
