#include "deft/model/ask_once.h"

#include <gtest/gtest.h>

#include "deft/testing/fake_model.h"
#include "deft/testing/model_record.h"

namespace deft {
namespace {

constexpr TimePoint kNever = TimePoint::max();

TEST(AskOnce, GivesTheTextAndWhatItCost) {
  FakeModel model;
  model.will_answer({text_of_model("Yes, "), text_of_model("it is.")});
  const auto answer = ask_once(model, testing::model_request("is it?"), kNever, {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "Yes, it is.");
  EXPECT_EQ(answer->stop_reason, "end_turn");
  EXPECT_EQ(answer->use.total(), 110U);
}

TEST(AskOnce, AFailureATimeoutAndAStopAreErrors) {
  FakeModel model;
  model.will({failure_of({.message = "overloaded"})});
  EXPECT_NE(ask_once(model, testing::model_request(), kNever, {}).error().message.find("overloaded"),
            std::string::npos);
  model.will({});
  EXPECT_EQ(ask_once(model, testing::model_request(), TimePoint{}, {}).error().code, Errc::timeout);
  EXPECT_FALSE(model.is_open());
  model.will({});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(ask_once(model, testing::model_request(), kNever, stop.get_token()).error().code, Errc::cancelled);
}

}  // namespace
}  // namespace deft
