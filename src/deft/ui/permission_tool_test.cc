#include "deft/ui/permission_tool.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

Json says(std::string_view text, bool is_error = false) {
  return JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", text}}}}, {"isError", is_error}};
}

TEST(PermissionTool, AnAnswerIsOneTextWithADecision) {
  const auto allowed = permission_reply(says(R"({"behavior":"allow","updatedInput":{"command":"ls"}})"));
  ASSERT_TRUE(allowed);
  EXPECT_EQ(find_string(*allowed, "behavior"), "allow");
  EXPECT_TRUE(permission_reply(says(R"({"behavior":"deny","message":"no"})")));
  EXPECT_TRUE(permission_reply(says(R"({"behavior":"allow"})")));
}

TEST(PermissionTool, WhateverElseItSaysIsNoAnswer) {
  for (const Json& wrong : {says("yes"), says("[]"), says(R"({"behavior":"maybe"})"), says("{}"),
                            says(R"({"behavior":"allow"})", /*is_error=*/true), Json(JsonObject{}), Json("allow"),
                            Json(JsonObject{{"content", JsonArray{}}}),
                            Json(JsonObject{{"content", JsonArray{JsonObject{{"type", "image"}}}}})}) {
    EXPECT_FALSE(permission_reply(wrong)) << to_json(wrong);
  }
}

}  // namespace
}  // namespace deft
