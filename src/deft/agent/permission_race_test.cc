#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "deft/testing/engine_bench.h"

// Answers, "always", aborts and interrupts at once, from several threads: one outcome for each call and each question.

namespace deft {
namespace {

constexpr unsigned kRuns = 1'000;
constexpr int kCalls = 6;
constexpr int kFeeders = 3;

LambdaTool::Parts tool(std::string name, std::atomic<int>& runs) {
  return {.spec = {.name = std::move(name)},
          .run = [&runs](const Json&, ToolIo&) -> Result<ToolResult> {
            ++runs;
            return ToolResult{.text = "ran"};
          },
          .footprint = [](const Json&) { return std::optional(Footprint::nothing()); }};
}

Feed random_item(std::mt19937& random) {
  PermissionAnswer answer{.id = "perm_" + std::to_string(1 + random() % kCalls)};
  switch (random() % 8) {
    case 0: return Feed(Aborted{});
    case 1: return Feed(Interrupted{});
    case 2:
    case 3: return Feed(answer);  // a denial
    case 4:
      answer.always = AlwaysAllow{.rules = {random() % 2 == 0 ? "Even" : "Odd"}, .destination = SettingSource::session};
      [[fallthrough]];
    default: answer.verdict = Verdict::allow; return Feed(answer);
  }
}

void run_once(unsigned seed) {
  std::atomic<int> runs = 0;
  EngineBench bench({.executor = {.slots = 4, .asking = Asking::frontend}, .mode = Mode::normal});
  bench.add_tool(tool("Even", runs));
  bench.add_tool(tool("Odd", runs));
  for (int i = 0; i < kCalls; ++i) bench.call("t" + std::to_string(i), i % 2 == 0 ? "Even" : "Odd");
  std::vector<std::thread> feeders;
  for (unsigned feeder = 0; feeder < kFeeders; ++feeder) {
    feeders.emplace_back([&bench, seed, feeder] {
      std::mt19937 random(seed * kFeeders + feeder);
      for (auto count = random() % 8; count > 0; --count) bench.feed(random_item(random));
    });
  }
  for (std::thread& feeder : feeders) feeder.join();
  bench.finish();

  std::map<std::string, int> answers;
  int ran = 0;
  for (const CallAnswered& answered : bench.answers()) {
    ++answers[answered.call_id];
    if (answered.result.text == "ran") ++ran;
  }
  for (const auto& [id, count] : answers) ASSERT_EQ(count, 1) << id << ", seed " << seed;
  ASSERT_EQ(answers.size(), static_cast<std::size_t>(kCalls)) << "seed " << seed;
  ASSERT_EQ(ran, runs.load()) << "what ran was answered as having run, seed " << seed;
  std::set<std::string> asked;
  for (const PermissionAsked& question : bench.frontend.all<PermissionAsked>()) {
    ASSERT_TRUE(asked.insert(question.id).second) << "seed " << seed;
  }
  std::set<std::string> withdrawn;
  for (const PermissionWithdrawn& question : bench.frontend.all<PermissionWithdrawn>()) {
    ASSERT_TRUE(asked.contains(question.id)) << "seed " << seed;
    ASSERT_TRUE(withdrawn.insert(question.id).second) << "withdrawn twice, seed " << seed;
  }
}

TEST(PermissionRace, EveryCallAndEveryQuestionHasOneOutcome) {
  for (unsigned seed = 0; seed < kRuns && !::testing::Test::HasFatalFailure(); ++seed) run_once(seed);
}

}  // namespace
}  // namespace deft
