#include <gtest/gtest.h>
#include <malloc.h>

#include "deft/agent/agent.h"
#include "deft/testing/fake_model.h"
#include "deft/testing/lambda_tool.h"
#include "deft/testing/sanitized.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/virtual_clock.h"

// A session of many turns holds its conversation, and nothing else that grows with it.

namespace deft {
namespace {

// mallinfo2() knows nothing of a sanitizer's allocator: there only the history is looked at, which needs less.
constexpr std::size_t kTurns = testing::kIsSanitized ? 300 : 1'000;
constexpr std::size_t kWarmUpTurns = 200;
constexpr std::size_t kBytesPerTurnMax = 1'500;  // ids of calls, and what the file of the journal needs

// Says the same again and again: a call, then a word; keeps nothing of what it was asked.
class ForgetfulModel final : public ModelClient {
 public:
  std::unique_ptr<ModelCall> ask(const ModelRequest& request, Sink sink) override {
    history_bytes = 0;
    for (const HistoryMessage& message : *request.history) history_bytes += message.content.size();
    const bool calls = ++requests_ % 2 == 1;
    const std::string id = "t" + std::to_string(requests_);
    auto events = stream_of({calls ? call_of_model(id, "Look") : text_of_model("done")});
    for (ModelEvent& event : events) sink(std::move(event));
    return std::make_unique<ModelCall>();
  }
  std::string_view name() const override { return "forgetful"; }

  std::size_t history_bytes = 0;  // of the last request

 private:
  std::size_t requests_ = 0;
};

class Silence final : public Frontend {
 public:
  void show(Event) override {}
};

TEST(LongSession, GrowsByWhatWasSaidAlone) {
  const TempFolder folder;
  ForgetfulModel model;
  Silence frontend;
  VirtualClock clock;
  AgentOptions options;
  options.engine.working_directory = folder.path();
  options.engine.session_folder = folder / "session";
  options.engine.mode = Mode::bypass;
  options.engine.clock = &clock;
  options.model = "forgetful";
  auto agent = Agent::open(options, model, frontend);
  ASSERT_TRUE(agent);
  LambdaTool::Parts look{.spec = {.name = "Look", .input_schema = any_object_schema()},
                         .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "seen"}; },
                         .is_read_only = [](const Json&) { return true; }};
  ASSERT_TRUE((*agent)->add_tool(std::make_shared<LambdaTool>(std::move(look))));
  std::size_t memory = 0, said = 0;
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    if (turn == kWarmUpTurns) {
      memory = ::mallinfo2().uordblks;
      said = model.history_bytes;
    }
    ASSERT_EQ((*agent)->run_turn(Prompt::of("again")).reason, TurnReason::completed);
  }
  const std::size_t memory_at_end = ::mallinfo2().uordblks;
  const std::size_t grown = memory_at_end > memory ? memory_at_end - memory : 0;
  const std::size_t said_since = model.history_bytes - said;
  EXPECT_LE(grown, 2 * said_since + (kTurns - kWarmUpTurns) * kBytesPerTurnMax);
  EXPECT_EQ((*agent)->history().size(), 4 * kTurns);
}

}  // namespace
}  // namespace deft
