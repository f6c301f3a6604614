#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "deft/agent/agent.h"
#include "deft/agent/session.h"
#include "deft/core/conversation.h"
#include "deft/testing/engine_bench.h"
#include "deft/testing/fake_model.h"
#include "deft/testing/lambda_tool.h"
#include "deft/testing/temp_folder.h"
#include "deft/tools/builtin.h"

// A session of fifty calls with effects, whose process is killed (kill -9) at random moments and started again, until
// it is done: no effect twice, no result lost, the history always valid. DEFT_KILLS=500 kills more often.

namespace deft {
namespace {

constexpr std::size_t kCalls = 50;
constexpr std::size_t kCallsPerMessage = 4;
constexpr int kKillsDefault = 30;
constexpr int kLongestLifeMicroseconds = 60'000;

class SilentFrontend final : public Frontend {
 public:
  void show(Event) override {}
};

std::size_t calls_in(const History& history) {
  std::size_t count = 0;
  for (const HistoryMessage& message : history) {
    for (std::size_t at = 0; (at = message.content.find("\"tool_use\"", at)) != std::string::npos; ++at) ++count;
  }
  return count;
}

// What the model says depends only on what it has said before: it never asks for the same call twice.
std::vector<ModelEvent> next_message(const ModelRequest& request) {
  const std::size_t made = calls_in(*request.history);
  if (made >= kCalls) return stream_of({text_of_model("Done.")});
  std::vector<Block> blocks{text_of_model("On it goes.")};
  for (std::size_t i = made; i < std::min(made + kCallsPerMessage, kCalls); ++i) {
    const std::string id = "c" + std::to_string(i);
    blocks.push_back(call_of_model(id, "Append", JsonObject{{"what", id}}));
  }
  return stream_of(std::move(blocks));
}

// In a process of its own, which may end at any moment.
[[noreturn]] void work(const TempFolder& folder) {
  SilentFrontend frontend;
  FakeModel model;
  model.answer = next_message;
  AgentOptions options;
  options.engine.working_directory = folder.path();
  options.engine.session_folder = folder / "session";
  options.engine.mode = Mode::bypass;
  options.model = "scripted";
  auto agent = Agent::open(options, model, frontend);
  if (!agent) {
    std::fprintf(stderr, "%s\n", agent.error().message.c_str());
    ::_exit(3);
  }
  LambdaTool::Parts append{.spec = {.name = "Append", .input_schema = any_object_schema()},
                           .run = [&](const Json& input, ToolIo&) -> Result<ToolResult> {
                             const std::string line = std::string(find_string(input, "what").value_or("")) + "\n";
                             std::ofstream(folder / "effects", std::ios::app) << line << std::flush;
                             return ToolResult{.text = "done " + line};
                           }};
  if (!(*agent)->add_tool(std::make_shared<LambdaTool>(std::move(append)))) ::_exit(4);
  const TurnEnd end = (*agent)->run_turn(Prompt::of("go on"));
  ::_exit(end.reason == TurnReason::completed ? 0 : 5);
}

class KillLoop : public ::testing::Test {
 protected:
  // True: the session is done. False: it was killed.
  bool live_once(const TempFolder& folder, std::chrono::microseconds life) {
    const pid_t child = ::fork();
    if (child == 0) work(folder);
    std::this_thread::sleep_for(life);
    ::kill(child, SIGKILL);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << status;
    return WIFEXITED(status);
  }

  // What is remembered now; what was remembered before is still there, byte for byte.
  void check(const TempFolder& folder, History& before) {
    if (!folder.bytes("session/journal.jsonl").value_or("").contains('\n')) return;
    const auto session = Session::load(folder / "session/journal.jsonl");
    ASSERT_TRUE(session) << session.error().message;
    const History& now = session->history;
    ASSERT_GE(now.size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      // The last one may have grown by what the user has said since.
      const std::string_view old = before[i].content;
      ASSERT_TRUE(now[i].content.starts_with(old.substr(0, old.size() - 1))) << old << "\n" << now[i].content;
    }
    before = now;
  }

  void check_effects(const TempFolder& folder, const History& history) {
    std::map<std::string, int> effects;
    std::istringstream lines(folder.bytes("effects").value_or(""));
    for (std::string line; std::getline(lines, line);) ++effects[line];
    std::size_t answered = 0;
    for (const HistoryMessage& message : history) {
      if (message.role != Role::user) continue;
      const Json content = parse_json(message.content).value();
      for (const Json& block : content.get_array()) {
        if (find_string(block, "type") != "tool_result") continue;
        ++answered;
        const std::string id(find_string(block, "tool_use_id").value_or(""));
        const std::string text(find_string(block, "content").value_or(""));
        const int times = effects[id];
        if (text.starts_with("done")) {
          EXPECT_EQ(times, 1) << id;
        }
        if (text.contains(kNotDoneText)) {
          EXPECT_EQ(times, 0) << id;
        }
        EXPECT_LE(times, 1) << id;
      }
    }
    EXPECT_EQ(answered, kCalls);
  }
};

TEST_F(KillLoop, NoEffectTwiceNoResultLostTheHistoryAlwaysValid) {
  const char* wanted = std::getenv("DEFT_KILLS");
  const int kills_wanted = wanted ? std::atoi(wanted) : kKillsDefault;
  std::mt19937 random(std::random_device{}());
  int kills = 0;
  while (kills < kills_wanted && !HasFatalFailure()) {
    const TempFolder folder;
    History history;
    for (bool is_done = false; !is_done && !HasFatalFailure();) {
      // A process that never gets anywhere would never end the test.
      const int life = std::uniform_int_distribution(0, kLongestLifeMicroseconds)(random);
      is_done = live_once(folder, std::chrono::microseconds(life));
      if (!is_done) ++kills;
      check(folder, history);
    }
    check_effects(folder, history);
  }
}

}  // namespace
}  // namespace deft
