#include "deft/core/context_gauge.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

HistoryMessage said(Role role, std::size_t bytes) { return {role, std::string(bytes, 'x')}; }

TEST(ContextGauge, EstimatesRatherTooMuch) {
  EXPECT_GE(estimated_tokens("twelve bytes"), 4U);
  EXPECT_EQ(estimated_tokens(std::string(3'000, 'x')), 1'001U);
}

TEST(ContextGauge, APictureCountsByThePieceAndNotByItsBytes) {
  const std::string data(900'000, 'A');
  const std::string content =
      R"([{"type":"tool_result","tool_use_id":"1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":")" +
      data + R"("}}]}])";
  EXPECT_LT(estimated_tokens(content), kImageTokens + 100);
  EXPECT_GE(estimated_tokens(content), kImageTokens);
}

TEST(ContextGauge, ATextThatSpeaksOfBase64IsNotTakenForData) {
  const std::string content = R"([{"type":"text","text":"\"base64\" )" + std::string(3'000, 'A') + "\"}]";
  EXPECT_GE(estimated_tokens(content), 1'000U);
}

TEST(ContextGauge, TakesTheModelsOwnCountAndEstimatesOnlyWhatCameSince) {
  History history{said(Role::user, 300'000), said(Role::assistant, 300)};
  ContextGauge gauge;
  EXPECT_GT(gauge.tokens(history, 3'000), 101'000U);
  gauge.answered(history, {.input = 10, .output = 20, .cache_read = 50'000});
  EXPECT_EQ(gauge.tokens(history, 3'000), 50'030U);
  history.push_back(said(Role::user, 3'000));
  EXPECT_EQ(gauge.tokens(history, 3'000), 51'031U);
  history.back().content += std::string(3'000, 'y');  // the user said more
  EXPECT_EQ(gauge.tokens(history, 3'000), 52'031U);
}

TEST(ContextGauge, AModelThatCountsNothingIsEstimatedFor) {
  History history{said(Role::user, 3'000), said(Role::assistant, 3'000)};
  ContextGauge gauge;
  gauge.answered(history, {});
  EXPECT_EQ(gauge.tokens(history, 300), 2'102U);
  history.push_back(said(Role::user, 3'000));
  EXPECT_EQ(gauge.tokens(history, 300), 3'103U);
}

TEST(ContextGauge, AnotherHistoryIsEstimatedAnew) {
  const History history{said(Role::user, 3'000)};
  ContextGauge gauge;
  gauge.answered(history, {.input = 150'000});
  gauge.reset();
  EXPECT_EQ(gauge.tokens(history, 0), 1'001U);
}

TEST(ContextGauge, LeavesRoomForTheAnswerInWindowsOfAnySize) {
  EXPECT_EQ(compaction_threshold(200'000, 32'000), 170'000U);
  EXPECT_EQ(compaction_threshold(200'000, 8'000), 182'000U);
  EXPECT_EQ(compaction_threshold(8'000, 32'000), 5'600U);
}

}  // namespace
}  // namespace deft
