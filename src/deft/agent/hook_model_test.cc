#include "deft/agent/hook_model.h"

#include <gtest/gtest.h>

#include "deft/testing/fake_model.h"

namespace deft {
namespace {

HookServices::Question question_until(TimePoint deadline) {
  return {.prompt = "safe?", .model = {}, .deadline = deadline};
}

TEST(HookModel, TheModelIsAskedOnceWithoutToolsAndItsObjectIsTheReply) {
  FakeModel model;
  model.will(stream_of({text_of_model("Sure:\n```json\n{\"ok\": false, \"reason\": \"no\"}\n```")}));
  const SystemClock clock;
  const auto reply = hook_model(model, clock, "small")(question_until(clock.now() + std::chrono::hours(1)), {});
  ASSERT_TRUE(reply);
  EXPECT_EQ(*reply, R"({"ok": false, "reason": "no"})");
  const ModelRequest request = model.requests().at(0);
  EXPECT_EQ(request.model, "small");
  EXPECT_TRUE(request.tools.empty());
  EXPECT_GE(request.output_tokens_max, 4'000U);  // today's small models think before they answer
}

TEST(HookModel, AFailureATimeAndAStopAreErrors) {
  const SystemClock clock;
  FakeModel failing;
  failing.will({failure_of({.message = "overloaded"})});
  EXPECT_EQ(hook_model(failing, clock, "m")(question_until(clock.now() + std::chrono::hours(1)), {}).error().code,
            Errc::failed);
  FakeModel silent;
  silent.will({});
  EXPECT_EQ(hook_model(silent, clock, "m")(question_until(clock.now()), {}).error().code, Errc::timeout);
  std::stop_source stop;
  stop.request_stop();
  silent.will({});
  EXPECT_EQ(hook_model(silent, clock, "m")(question_until(clock.now() + std::chrono::hours(1)), stop.get_token())
                .error()
                .code,
            Errc::cancelled);
}

}  // namespace
}  // namespace deft
