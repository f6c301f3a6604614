#include "deft/agent/hook_stages.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

OutputChange replaced(const char* original, const char* updated) {
  HookOutcome outcome;
  outcome.updated_output = *parse_json(updated);
  ToolResult result{.text = "as it was", .details = *parse_json(original)};
  return replace_output(outcome, /*has_known_shape=*/true, result);
}

TEST(HookOutput, MayBeThePublishedOneWithoutFieldsOfOurOwn) {
  const char* const kOurs = R"({"stdout":"a","stderr":"","interrupted":false,"exitCode":0})";
  EXPECT_EQ(replaced(kOurs, R"({"stdout":"b","stderr":"","interrupted":false})"), OutputChange::replaced);
  EXPECT_EQ(replaced(kOurs, R"({"stdout":"b","stderr":"","interrupted":false,"exitCode":1})"), OutputChange::replaced);
}

TEST(HookOutput, OfAnotherShapeIsRefused) {
  const char* const kOurs = R"({"stdout":"a","stderr":"","interrupted":false,"exitCode":0})";
  for (const char* const wrong : {R"({"stdout":"b","stderr":""})", R"({"stdout":1,"stderr":"","interrupted":false})",
                                  R"("b")", "{}", R"({"stdout":"b","stderr":"","interrupted":false,"exitCode":"0"})"}) {
    EXPECT_EQ(replaced(kOurs, wrong), OutputChange::refused) << wrong;
  }
}

}  // namespace
}  // namespace deft
