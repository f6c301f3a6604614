#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>

#include "deft/testing/engine_bench.h"

namespace deft {
namespace {

// Something that is waited for and hears of a stop itself: the test says when it has obeyed.
struct Errand {
  LambdaTool::Parts tool(bool obeys = true) {
    return {
        .spec = {.name = "Errand"},
        .run = [](const Json&, ToolIo& io) -> Result<ToolResult> {
          if (io.stop.stop_requested()) return fail(Errc::cancelled, "half of it is done");
          return ToolResult{.text = "done"};
        },
        .is_read_only = [](const Json&) { return true; },
        .wait_for =
            [this, obeys](const Json&, ToolIo& io) {
              stop = io.stop;
              return std::optional(Wait{.watch = [this](std::function<void()> end_wait) { ended.set_value(end_wait); },
                                        .obeys_stop = obeys});
            }};
  }
  // Once the wait has begun.
  std::function<void()> end_wait() { return ended.get_future().get(); }

  std::stop_token stop;
  std::promise<std::function<void()>> ended;
};

TEST(ExecutorWait, IsEndedByWhateverItWaitsFor) {
  EngineBench bench;
  Errand errand;
  bench.add_tool(errand.tool());
  bench.call("1", "Errand");
  errand.end_wait()();
  bench.finish();
  EXPECT_EQ(bench.answers().at(0).result.text, "done");
}

TEST(ExecutorWait, WhatObeysAStopIsAnsweredWhenItHasObeyed) {
  EngineBench bench;
  Errand errand;
  bench.add_tool(errand.tool());
  bench.call("1", "Errand");
  const auto end_wait = errand.end_wait();
  std::atomic<bool> obeyed = false;
  const std::stop_callback on_stop(errand.stop, [&] {
    EXPECT_TRUE(bench.answers().empty());
    obeyed = true;
    end_wait();
  });
  bench.feed(Feed(Aborted{}));
  const auto answered = bench.frontend.wait_for<CallAnswered>();
  EXPECT_TRUE(obeyed);
  EXPECT_EQ(answered.result.error, Errc::cancelled);
  EXPECT_NE(answered.result.text.find("half of it is done"), std::string::npos);
  EXPECT_EQ(bench.finish().stuck_workers, 0U);
}

TEST(ExecutorWait, WhatDoesNotObeyInTimeIsAnsweredFor) {
  EngineBench bench({.executor = {.stop_grace = std::chrono::milliseconds(5)}});
  Errand errand;
  bench.add_tool(errand.tool());
  bench.call("1", "Errand");
  const auto end_wait = errand.end_wait();
  bench.feed(Feed(Aborted{}));
  const auto answered = bench.frontend.wait_for<CallAnswered>();
  EXPECT_NE(answered.result.text.find("may still be running"), std::string::npos);
  end_wait();
  EXPECT_EQ(bench.finish().stuck_workers, 1U);
}

TEST(ExecutorWait, AnyOtherIsAnsweredForAtOnce) {
  EngineBench bench;
  Errand errand;
  bench.add_tool(errand.tool(/*obeys=*/false));
  bench.call("1", "Errand");
  const auto end_wait = errand.end_wait();
  bench.feed(Feed(Aborted{}));
  EXPECT_EQ(bench.frontend.wait_for<CallAnswered>().result.error, Errc::cancelled);
  bench.finish();
}

// Its own calls may have changed something, whatever it does itself.
class Delegates final : public Tool {
 public:
  const ToolSpec& spec() const override { return spec_; }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  bool makes_calls() const override { return true; }
  Result<ToolResult> run(const Json&, ToolIo&) override { return ToolResult{.text = "done"}; }

 private:
  const ToolSpec spec_{.name = "Delegate", .aliases = {}, .description = {}, .input_schema = any_object_schema()};
};

TEST(ExecutorWait, ACallThatMakesCallsIsWrittenDownBeforeItBegins) {
  EngineBench bench;
  bench.add_tool(std::make_shared<Delegates>());
  bench.call("1", "Delegate");
  bench.finish();
  EXPECT_EQ(bench.answers().at(0).result.text, "done");
  EXPECT_NE(bench.journal_text().find("\"intent\""), std::string::npos);
}

}  // namespace
}  // namespace deft
