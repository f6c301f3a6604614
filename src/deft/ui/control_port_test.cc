#include "deft/ui/control_port.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace deft {
namespace {

class ControlPortTest : public ::testing::Test {
 protected:
  std::string written(std::size_t line, std::string_view key) const {
    return std::string(find_string(lines_.at(line), key).value_or(""));
  }

  std::vector<Json> lines_;
  std::promise<std::string> asked_;  // the name of the first request
  ControlPort port_{[this](const JsonObject& line) {
    lines_.emplace_back(line);
    if (lines_.size() == 1) {
      asked_.set_value(std::string(find_string(lines_[0], "request_id").value_or("")));
    }
  }};
};

TEST_F(ControlPortTest, AnAnswerGoesToWhoAskedAndOnlyOnce) {
  std::vector<std::string> heard;
  const std::string first =
      port_.ask({{"subtype", "a"}}, [&](Result<Json> answer) { heard.push_back(to_json(*answer)); });
  const std::string second =
      port_.ask({{"subtype", "b"}}, [&](Result<Json> answer) { heard.push_back(answer.error().message); });
  EXPECT_EQ(written(0, "type"), "control_request");
  EXPECT_EQ(written(1, "request_id"), second);
  EXPECT_TRUE(port_.take_answer(second, fail(Errc::failed, "no")));
  EXPECT_TRUE(port_.take_answer(first, Json(7)));
  EXPECT_FALSE(port_.take_answer(first, Json(8)));
  EXPECT_FALSE(port_.take_answer("stranger", Json()));
  EXPECT_EQ(heard, (std::vector<std::string>{"no", "7"}));
}

TEST_F(ControlPortTest, WhatIsCancelledIsToldToTheHostAndNeverHeard) {
  const std::string id = port_.ask({{"subtype", "a"}}, [](Result<Json>) { FAIL(); });
  port_.cancel(id);
  EXPECT_EQ(written(1, "type"), "control_cancel_request");
  EXPECT_EQ(written(1, "request_id"), id);
  EXPECT_FALSE(port_.take_answer(id, Json()));
  port_.cancel(id);
  EXPECT_EQ(lines_.size(), 2U);
}

TEST_F(ControlPortTest, WhoBeginsAnewIsToldWhatIsOpen) {
  std::vector<std::string> heard;
  const auto then = [&](Result<Json> answer) { heard.push_back(answer ? "answer" : answer.error().message); };
  const std::string question = port_.ask({{"subtype", "can_use_tool"}, {"tool_name", "Bash"}}, then);
  const std::string hook = port_.ask({{"subtype", "hook_callback"}}, then);
  port_.give_up("hook_callback", {Errc::failed, "lost"});
  EXPECT_EQ(heard, std::vector<std::string>{"lost"});
  EXPECT_EQ(written(2, "type"), "control_cancel_request");
  EXPECT_EQ(written(2, "request_id"), hook);
  EXPECT_FALSE(port_.take_answer(hook, Json()));
  port_.answer_begin("r1", {{"commands", JsonArray{}}});
  const Json inner = *find(lines_.at(3), "response");
  EXPECT_EQ(to_json(*find(inner, "pending_permission_requests")), "[" + to_json(lines_.at(0)) + "]");
  EXPECT_EQ(to_json(*find(inner, "pending_user_dialog_requests")), "[]");
  EXPECT_EQ(to_json(*find(inner, "pending_elicitation_requests")), "[]");
  EXPECT_TRUE(port_.take_answer(question, Json()));
  EXPECT_TRUE(port_.open_requests("can_use_tool").empty());
}

TEST_F(ControlPortTest, WhenTheHostIsGoneEverythingFailsAtOnce) {
  std::vector<Errc> heard;
  const auto then = [&](Result<Json> answer) { heard.push_back(answer.error().code); };
  port_.ask({{"subtype", "a"}}, then);
  port_.close();
  port_.ask({{"subtype", "b"}}, then);
  EXPECT_EQ(heard, (std::vector<Errc>{Errc::io, Errc::io}));
  EXPECT_EQ(lines_.size(), 1U);
  EXPECT_EQ(port_.ask_and_wait({{"subtype", "c"}}, std::nullopt, {}).error().code, Errc::io);
}

TEST_F(ControlPortTest, WhoWaitsGetsTheAnswer) {
  auto answer =
      std::async(std::launch::async, [&] { return port_.ask_and_wait({{"subtype", "a"}}, std::nullopt, {}); });
  EXPECT_TRUE(port_.take_answer(asked_.get_future().get(), Json("yes")));
  EXPECT_EQ(to_json(*answer.get()), R"("yes")");
}

TEST_F(ControlPortTest, WhoIsStoppedOrTooLateTellsTheHost) {
  std::stop_source stop;
  auto stopped = std::async(std::launch::async,
                            [&] { return port_.ask_and_wait({{"subtype", "a"}}, std::nullopt, stop.get_token()); });
  asked_.get_future().wait();
  stop.request_stop();
  EXPECT_EQ(stopped.get().error().code, Errc::cancelled);
  EXPECT_EQ(written(1, "type"), "control_cancel_request");
  EXPECT_EQ(port_.ask_and_wait({{"subtype", "b"}}, TimePoint{}, {}).error().code, Errc::timeout);
}

TEST_F(ControlPortTest, OurAnswersHaveTheNameOfTheQuestion) {
  port_.answer("r1", {{"a", 1}});
  port_.refuse("r2", "no");
  EXPECT_EQ(to_json(lines_[0]),
            R"({"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"a":1}}})");
  EXPECT_EQ(to_json(lines_[1]),
            R"({"type":"control_response","response":{"subtype":"error","request_id":"r2","error":"no"}})");
}

}  // namespace
}  // namespace deft
