#include "deft/core/compaction_plan.h"

#include <gtest/gtest.h>

#include "deft/base/json.h"
#include "deft/core/context_gauge.h"
#include "deft/core/conversation.h"
#include "deft/core/message_content.h"

namespace deft {
namespace {

HistoryMessage prompt(std::string_view text) { return {Role::user, content_of({text_block(text)})}; }
HistoryMessage answer(std::string_view text) { return {Role::assistant, content_of({text_block(text)})}; }
HistoryMessage call(const std::string& id, const std::string& input = "{}") {
  return {Role::assistant, R"([{"type":"tool_use","id":")" + id + R"(","name":"Read","input":)" + input + "}]"};
}
HistoryMessage result(const std::string& id, std::string text) {
  return {Role::user, content_of({result_block(id, ToolResult{.text = std::move(text)})})};
}

// A conversation with `calls` calls, each with a result of 3,000 bytes.
History with_calls(std::size_t calls) {
  History history{prompt("do it")};
  for (std::size_t i = 0; i < calls; ++i) {
    history.push_back(call(std::to_string(i)));
    history.push_back(result(std::to_string(i), std::string(3'000, 'r')));
  }
  return history;
}

void expect_valid(const History& history) { EXPECT_EQ(history_problem(history), std::nullopt); }

TEST(CompactionPlan, KeepsAsManyOfTheLastMessagesAsTheBudgetAllows) {
  const History history = with_calls(10);
  EXPECT_EQ(kept_tail(history, 3'500), 6U);
  EXPECT_EQ(kept_tail(history, 0), 0U);
}

TEST(CompactionPlan, NeverSeparatesAResultFromItsCall) {
  const History history = with_calls(20);
  for (std::uint64_t budget = 0; budget < 25'000; budget += 97) {
    const auto kept = kept_tail(history, budget);
    ASSERT_TRUE(kept);
    expect_valid(compacted_history(history, summary_content("the summary", {}), *kept));
  }
}

TEST(CompactionPlan, BetweenTurnsAPromptThatIsTooLongItselfDoesNotStay) {
  History history = with_calls(3);
  EXPECT_EQ(kept_tail_between_turns(history, 100), kept_tail(history, 100));
  history.push_back(answer("done"));
  history.push_back(prompt("short"));
  EXPECT_EQ(kept_tail_between_turns(history, 100), 2U);
  history.back() = prompt(std::string(30'000, 'p'));
  EXPECT_EQ(kept_tail_between_turns(history, 100), 0U);
  EXPECT_EQ(kept_tail_between_turns({history.back()}, 100), 0U);
  EXPECT_EQ(kept_tail_between_turns({prompt("short")}, 100), std::nullopt);
  EXPECT_EQ(kept_tail_between_turns({}, 100), std::nullopt);
}

TEST(CompactionPlan, WhatTheUserHasJustSaidStaysWhateverItsLength) {
  History history = with_calls(3);
  history.push_back(answer("done"));
  history.push_back(prompt(std::string(30'000, 'p')));
  EXPECT_EQ(kept_tail(history, 100), 1U);
  const History shorter = compacted_history(history, summary_content("the summary", {"a hook adds"}), 1);
  ASSERT_EQ(shorter.size(), 1U);
  expect_valid(shorter);
  EXPECT_NE(shorter[0].content.find("the summary"), std::string::npos);
  EXPECT_NE(shorter[0].content.find("a hook adds"), std::string::npos);
  EXPECT_NE(shorter[0].content.find("pppp"), std::string::npos);
}

TEST(CompactionPlan, AConversationThatHasHardlyBegunIsNotSummarised) {
  EXPECT_EQ(kept_tail({}, 1'000), std::nullopt);
  EXPECT_EQ(kept_tail({prompt("hello")}, 1'000), std::nullopt);
  EXPECT_EQ(kept_tail({prompt(std::string(90'000, 'x'))}, 1'000), std::nullopt);
}

TEST(CompactionPlan, AShortOneIsSummarisedAsAWholeWhenThatIsWanted) {
  EXPECT_EQ(kept_tail({prompt("hello"), answer("hi")}, 20'000), 0U);
  EXPECT_EQ(kept_tail({prompt("a"), answer("b"), prompt("c")}, 20'000), 1U);
}

TEST(CompactionPlan, EveryRequestForASummaryIsOneThatTheApiTakes) {
  History history = with_calls(12);
  history.push_back(answer("done"));
  history.push_back(prompt("and now?"));
  for (std::size_t kept : {0U, 1U, 2U, 4U, 14U}) {
    for (std::size_t attempt = 0; attempt < kSummaryTries; ++attempt) {
      const auto request = summary_request(history, kept, attempt, "");
      ASSERT_TRUE(request);
      expect_valid(*request);
    }
  }
}

TEST(CompactionPlan, EachAttemptSendsLess) {
  const History history = with_calls(40);
  std::uint64_t before = ~std::uint64_t{0};
  for (std::size_t attempt = 0; attempt < kSummaryTries; ++attempt) {
    const auto request = summary_request(history, 0, attempt, "");
    ASSERT_TRUE(request);
    EXPECT_LT(estimated_tokens(*request), before);
    before = estimated_tokens(*request);
  }
}

TEST(CompactionPlan, ShortensTextsInputsAndPicturesAndLeavesSignedThinkingAlone) {
  const std::string thought(5'000, 't');
  const History history{
      prompt(std::string(5'000, 'p')),
      {Role::assistant, R"([{"type":"thinking","thinking":")" + thought +
                            R"(","signature":"s"},{"type":"tool_use","id":"1","name":"Write","input":{"content":")" +
                            std::string(5'000, 'w') + R"("}}])"},
      {Role::user,
       R"([{"type":"tool_result","tool_use_id":"1","content":[{"type":"image","source":{"type":"base64","data":"AAAA"}}]}])"}};
  const auto request = summary_request(history, 0, 1, "");
  ASSERT_TRUE(request);
  expect_valid(*request);
  const std::string all = (*request)[0].content + (*request)[1].content + (*request)[2].content;
  EXPECT_EQ(all.find(std::string(2'001, 'p')), std::string::npos);
  EXPECT_EQ(all.find(std::string(2'001, 'w')), std::string::npos);
  EXPECT_NE(all.find(thought), std::string::npos);
  EXPECT_EQ(all.find("AAAA"), std::string::npos);
}

TEST(CompactionPlan, SaysWhatTheUserWantsOfTheSummary) {
  const auto request = summary_request(with_calls(1), 0, 0, "above all the schema");
  ASSERT_TRUE(request);
  EXPECT_NE(request->back().content.find("above all the schema"), std::string::npos);
}

TEST(CompactionPlan, ContentThatIsNoJsonIsPassedOnAsItIs) {
  const History history{{Role::user, "broken"}, {Role::assistant, "too"}, {Role::user, "tool_result"}};
  EXPECT_TRUE(kept_tail(history, 0));
  EXPECT_TRUE(summary_request(history, 0, 1, ""));
}

}  // namespace
}  // namespace deft
