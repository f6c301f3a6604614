#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "deft/testing/engine_bench.h"
#include "deft/testing/sanitized.h"

// Answers of people, of hooks and of a classifier, "always", aborts and interrupts at once, from several threads: one
// outcome for each call and each question.

namespace deft {
namespace {

constexpr unsigned kRuns = testing::kIsSanitized ? 150 : 1'000;
constexpr int kCalls = 6;
constexpr int kFeeders = 3;

LambdaTool::Parts tool(std::string name, std::atomic<int>& runs) {
  return {
      .spec = {.name = std::move(name), .input_schema = any_object_schema()},
      .run = [&runs](const Json&, ToolIo&) -> Result<ToolResult> {
        ++runs;
        return ToolResult{.text = "ran"};
      },
      .footprint = [](const Json&) { return std::optional(Footprint::nothing().and_network(Footprint::Use::read)); }};
}

// A second opinion that is soon there, or late, or never before it is told that nobody wants it any more.
class RandomClassifier final : public CallClassifier {
 public:
  explicit RandomClassifier(unsigned seed) : random_(seed) {}
  std::optional<RiskOpinion> judge(const CallToJudge&, std::stop_token stop) override {
    std::unique_lock lock(mutex_);
    const auto choice = random_() % 6;
    if (choice < 3) return choice == 0 ? std::nullopt : std::optional(RiskOpinion{.is_harmless = choice == 1});
    if (choice == 5) {
      stopped_.wait(lock, stop, [] { return false; });
    } else {
      stopped_.wait_for(lock, stop, std::chrono::microseconds(300), [] { return false; });
    }
    return RiskOpinion{.is_harmless = choice != 3};
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::mt19937 random_;
};

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

// Hooks that answer in a person's place, or don't, or only when nobody wants to know any more.
HookOutcome random_permission(unsigned seed, const HookMoment& moment, std::stop_token stop) {
  std::mt19937 random(seed * 31 + static_cast<unsigned>(moment.call->id.back()));
  const auto permission = [](bool allow) { return HookOutcome{.permission = HookPermission{.allow = allow}}; };
  switch (random() % 6) {
    case 0: return permission(false);
    case 1: return permission(true);
    case 2: return HookOutcome{.permission = HookPermission{.allow = true, .updated_input = JsonObject{{"n", 1}}}};
    case 3: {
      std::mutex mutex;
      std::condition_variable_any stopped;
      std::unique_lock lock(mutex);
      stopped.wait_for(lock, stop, std::chrono::milliseconds(1), [] { return false; });
      return permission(true);
    }
    default: return {};
  }
}

void run_once(unsigned seed, const TempFolder& folder) {
  std::atomic<int> runs = 0;
  RecordingFrontend frontend;
  LambdaHooks hooks;
  const bool has_hooks = seed % 2 == 0;
  if (has_hooks) {
    hooks.on[HookEvent::permission_request] = [seed](const HookMoment& moment, std::stop_token stop) {
      return random_permission(seed, moment, std::move(stop));
    };
  }
  RandomClassifier classifier(seed);
  const bool has_classifier = seed % 4 >= 2;
  auto engine = Engine::open({.working_directory = folder.path(),
                              .session_folder = folder / "session",
                              .mode = has_classifier ? Mode::auto_ : Mode::normal,
                              .executor = {.slots = 4, .asking = Asking::frontend},
                              .hooks = &hooks,
                              .classifier = has_classifier ? &classifier : nullptr,
                              .opinion_patience = {}},  // one that is not there at once comes late
                             frontend);
  ASSERT_TRUE(engine);
  for (const char* name : {"Even", "Odd"}) {
    ASSERT_TRUE((*engine)->add_tool(std::make_shared<LambdaTool>(tool(name, runs))));
  }
  for (int i = 0; i < kCalls; ++i) {
    (*engine)->feed(Feed(CallArrived{{.id = "t" + std::to_string(i),
                                      .name = i % 2 == 0 ? "Even" : "Odd",
                                      .input = JsonObject{},
                                      .input_text = "{}"}}));
  }
  std::vector<std::thread> feeders;
  for (unsigned feeder = 0; feeder < kFeeders; ++feeder) {
    feeders.emplace_back([&engine, seed, feeder] {
      std::mt19937 random(seed * kFeeders + feeder);
      for (auto count = random() % 8; count > 0; --count) (*engine)->feed(random_item(random));
      if (feeder == 0) (*engine)->feed(Feed(InputEnded{}));
    });
  }
  (*engine)->run();
  for (std::thread& feeder : feeders) feeder.join();

  std::map<std::string, int> answers;
  int ran = 0;
  for (const CallAnswered& answered : frontend.all<CallAnswered>()) {
    ++answers[answered.call_id];
    if (answered.result.text == "ran") ++ran;
  }
  for (const auto& [id, count] : answers) ASSERT_EQ(count, 1) << id << ", seed " << seed;
  ASSERT_EQ(answers.size(), static_cast<std::size_t>(kCalls)) << "seed " << seed;
  ASSERT_EQ(ran, runs.load()) << "what ran was answered as having run, seed " << seed;
  std::set<std::string> asked;
  for (const PermissionAsked& question : frontend.all<PermissionAsked>()) {
    ASSERT_TRUE(asked.insert(question.id).second) << "seed " << seed;
  }
  std::set<std::string> withdrawn;  // or answered
  for (const PermissionWithdrawn& question : frontend.all<PermissionWithdrawn>()) {
    ASSERT_TRUE(asked.contains(question.id)) << "seed " << seed;
    ASSERT_TRUE(withdrawn.insert(question.id).second) << "withdrawn twice, seed " << seed;
  }
  for (const PromptAnswered& question : frontend.all<PromptAnswered>()) {
    ASSERT_TRUE(asked.contains(question.id)) << "seed " << seed;
    ASSERT_TRUE(withdrawn.insert(question.id).second) << "settled twice, seed " << seed;
  }
  ASSERT_EQ(withdrawn.size(), asked.size()) << "one is still open, seed " << seed;
}

TEST(PermissionRace, EveryCallAndEveryQuestionHasOneOutcome) {
  const TempFolder folder;  // one for all: making and removing folders would take longer than the runs
  for (unsigned seed = 0; seed < kRuns && !HasFatalFailure(); ++seed) run_once(seed, folder);
}

}  // namespace
}  // namespace deft
