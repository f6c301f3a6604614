#include "deft/agent/given_results.h"

#include <gtest/gtest.h>

#include <random>

#include "deft/base/utf8.h"
#include "deft/core/message_content.h"
#include "deft/core/result_size.h"
#include "deft/testing/engine_bench.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/virtual_clock.h"

namespace deft {
namespace {

class GivenResultsTest : public ::testing::Test {
 protected:
  GivenResults& given(ResultOptions options = {.budget = ResultOptions::Budget::request}) {
    if (!given_) given_.emplace(std::move(options), store, journal, frontend);
    return *given_;
  }
  std::string journal_text() const { return folder.bytes("journal.jsonl").value_or(""); }

  TempFolder folder;
  VirtualClock clock;
  RecordingFrontend frontend;
  Journal journal = Journal::open(folder.path(), clock).value();
  ResultStore store{folder.path()};

 private:
  std::optional<GivenResults> given_;
};

CallAnswered answer(const std::string& id, std::string text, std::size_t limit = 50'000) {
  return {.call_id = id,
          .tool = "Tool",
          .result = {.text = std::move(text), .limit = {.characters_max = limit}, .identity = "identity of " + id}};
}

std::size_t total(const std::vector<CallAnswered>& answers) {
  std::size_t sum = 0;
  for (const CallAnswered& one : answers) sum += result_characters(one.result);
  return sum;
}

std::string content_bytes(const std::vector<CallAnswered>& answers) {
  std::string bytes;
  for (const CallAnswered& one : answers) bytes += result_block(one.call_id, one.result) + "\n";
  return bytes;
}

TEST_F(GivenResultsTest, TheLargestOfAMessageAreStoredAway) {
  std::vector<CallAnswered> answers;
  for (int i = 0; i < 5; ++i)
    answers.push_back(answer(std::to_string(i), std::string(45'000, static_cast<char>('a' + i))));
  answers[2].result.text += "x";
  given().fit(answers);
  EXPECT_EQ(answers[1].result.text, std::string(45'000, 'b'));
  EXPECT_TRUE(answers[2].result.text.starts_with("<persisted-output>"));
  EXPECT_LE(total(answers), 200'000U);
  EXPECT_EQ(folder.bytes("tool-results/2.txt"), std::string(45'000, 'c') + "x");
  EXPECT_EQ(folder.names("tool-results").size(), 1U);
}

TEST_F(GivenResultsTest, OfReadsThatExceedTheBudgetTheLaterAreCutAndCountAsNotRead) {
  std::vector<CallAnswered> answers;
  for (int i = 0; i < 3; ++i) {
    answers.push_back(answer(std::to_string(i), std::string(90'000, 'r'), kUnlimited));
    answers.back().result.shows_files = {"/p/" + std::to_string(i)};
  }
  given().fit(answers);
  EXPECT_EQ(answers[0].result.text.size(), 90'000U);
  EXPECT_EQ(answers[1].result.text.size(), 90'000U);
  EXPECT_NE(answers[2].result.text.find("with offset and limit"), std::string::npos);
  EXPECT_LE(total(answers), 200'000U);
  EXPECT_EQ(given().take_hidden_files(), std::vector<std::string>{"/p/2"});
}

TEST_F(GivenResultsTest, WhatLeavesOneByOneGetsWhatIsLeftOfTheBudget) {
  GivenResults& leaving = given({.budget = ResultOptions::Budget::leaving});
  std::vector<CallAnswered> answers;
  for (int i = 0; i < 6; ++i) {
    answers.push_back(answer(std::to_string(i), std::string(45'000, static_cast<char>('a' + i))));
    leaving.leave({.call_id = std::to_string(i), .call_key = 0}, answers.back().result);
  }
  EXPECT_EQ(answers[3].result.text.size(), 45'000U);
  EXPECT_TRUE(answers[4].result.text.starts_with("<persisted-output>"));
  EXPECT_LE(total(answers), 200'000U);
  EXPECT_NE(journal_text().find(R"("type":"shown")"), std::string::npos);
  EXPECT_NE(journal_text().find(json_quote(answers[4].result.text)), std::string::npos)
      << "the journal has what the model sees";
  leaving.end_message();
  CallAnswered next = answer("next", std::string(45'000, 'n'));
  leaving.leave({.call_id = "next"}, next.result);
  EXPECT_EQ(next.result.text.size(), 45'000U) << "the next message has a budget of its own";
}

TEST_F(GivenResultsTest, ARepeatedResultIsAReferenceUnlessNobodyKnowsTheContext) {
  GivenResults& leaving = given({.budget = ResultOptions::Budget::leaving});
  CallAnswered first = answer("1", std::string(5'000, 'a'));
  CallAnswered second = first;
  leaving.leave({.call_id = "1", .title = "Grep(x)", .call_key = 1}, first.result);
  leaving.end_message();
  leaving.leave({.call_id = "2", .title = "Grep(y)", .call_key = 2}, second.result);
  EXPECT_EQ(first.result.text.size(), 5'000U);
  EXPECT_EQ(second.result.text,
            "(The same result as that of the earlier call Grep(x), id 1: it is not repeated here.)");
  leaving.forget();
  CallAnswered third = first;
  leaving.leave({.call_id = "3"}, third.result);
  EXPECT_EQ(third.result.text.size(), 5'000U);
}

TEST_F(GivenResultsTest, StrangersAreToldNothingOfEarlierResults) {
  GivenResults& leaving = given({.is_in_context = false, .budget = ResultOptions::Budget::leaving});
  for (int i = 0; i < 5; ++i) {
    CallAnswered same = answer("1", std::string(5'000, 'a'));
    leaving.leave({.call_id = std::to_string(i)}, same.result);
    leaving.end_message();
    EXPECT_EQ(same.result.text.size(), 5'000U);
  }
}

// Any sizes, limited and not, texts of one to four bytes a character.
std::vector<CallAnswered> random_message(std::mt19937& random) {
  static const std::string kCharacters[] = {"a", "\n", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
  std::vector<CallAnswered> answers;
  const std::size_t count = 1 + random() % 30;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = random() % 3 == 0 ? random() % 60'000 : random() % 6'000;
    std::string text = std::to_string(i) + ":";
    while (text.size() < size) text += kCharacters[random() % std::size(kCharacters)] + std::string(random() % 40, 'b');
    const std::size_t limit = random() % 4 == 0 ? kUnlimited : 20'000 + random() % 40'000;
    answers.push_back(answer("call-" + std::to_string(random()) + "-" + std::to_string(i), std::move(text), limit));
  }
  return answers;
}

TEST_F(GivenResultsTest, ForResultsOfAnySizeTheBudgetHoldsNothingIsLostAndASecondLookChangesNothing) {
  constexpr std::size_t kBudget = 100'000;
  GivenResults& all = given({.limits = {.message_max = kBudget}, .budget = ResultOptions::Budget::request});
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    const std::vector<CallAnswered> originals = random_message(random);
    std::vector<CallAnswered> answers = originals;
    for (CallAnswered& one : answers) store.bound(one.result, one.call_id);
    all.fit(answers);
    ASSERT_LE(total(answers), kBudget + 1'000 * answers.size()) << seed;
    std::size_t paths = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const ToolResult& now = answers[i].result;
      const std::string& before = originals[i].result.text;
      ASSERT_TRUE(is_utf8(now.text)) << seed;
      if (now.is_cut) {
        ASSERT_NE(now.text.find("with offset and limit"), std::string::npos);
        const std::size_t cut = now.text.find("[Cut: ");
        ASSERT_EQ(before.substr(0, cut < 2 ? 0 : cut - 2), now.text.substr(0, cut < 2 ? 0 : cut - 2)) << seed;
      } else if (now.stored) {
        ++paths;
        ASSERT_NE(now.text.find(now.stored->path), std::string::npos) << seed;
        ASSERT_EQ(folder.bytes(now.stored->path.substr(folder.path().size() + 1)), before) << seed;
      } else {
        ASSERT_EQ(now.text, before) << seed;
      }
    }
    if (paths == 0 && total(originals) <= kBudget) {
      ASSERT_EQ(content_bytes(answers), content_bytes(originals));
    }
    const std::string bytes = content_bytes(answers);
    all.fit(answers);
    ASSERT_EQ(content_bytes(answers), bytes) << seed;
  }
}

}  // namespace
}  // namespace deft
