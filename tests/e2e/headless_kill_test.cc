#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>

#include "deft/agent/session.h"
#include "deft/core/conversation.h"
#include "deft_print.h"

// kill -9 of the real program at any moment of a session with side effects, and going on with it: DEFT_KILLS=500 for
// the long form.

namespace deft::testing {
namespace {

constexpr int kKillsDefault = 30;
constexpr std::size_t kCalls = 50;
constexpr int kLongestLifeMilliseconds = 250;
const char* const kSession = "5b3c5f5e-1c5a-4a55-8a5e-0d5f5b6c7d11";

// A model whose next word depends on nothing but what it is told: the next call, until all are made.
std::string answer_to(const Json& body) {
  std::size_t made = 0;
  for (const Json& message : *find_array(body, "messages")) {
    const JsonArray* content = find_array(message, "content");
    if (!content) continue;
    for (const Json& block : *content) made += text_of(block, "type") == "tool_use" ? 1 : 0;
  }
  if (made >= kCalls) return anthropic_text("all done");
  const std::string id = "call_" + std::to_string(made + 1);
  return anthropic_calls({{id, "Bash", {{"command", "echo " + id + " >> effects; echo done " + id}}}});
}

std::optional<std::string> problem_of(const Json& body) {
  History history;
  for (const Json& message : *find_array(body, "messages")) {
    const Json& content = *find(message, "content");
    history.push_back({text_of(message, "role") == "user" ? Role::user : Role::assistant, to_json(content)});
  }
  return history_problem(history);
}

TEST(HeadlessKill, NoEffectTwiceNoResultLostTheHistoryAlwaysValid) {
  const char* wanted = std::getenv("DEFT_KILLS");
  const int kills_wanted = wanted ? std::atoi(wanted) : kKillsDefault;
  std::mt19937 random(std::random_device{}());
  int kills = 0;
  while (kills < kills_wanted && !::testing::Test::HasFailure()) {
    const PrintPlace place;
    std::mutex mutex;
    Json last;                          // request
    std::vector<std::string> problems;  // of histories
    ModelPeer model({[&](const PeerRequest& request, PeerAnswer& answer) {
      const Json body = parse_json(request.body).value_or(Json(JsonObject{{"messages", JsonArray{}}}));
      {
        const std::lock_guard lock(mutex);
        if (auto problem = problem_of(body)) problems.push_back(*problem);
        last = body;
      }
      ModelPeer::streams(answer_to(body))(request, answer);
    }});
    const std::string journal = ".local/state/deft/sessions/" + std::string(kSession) + "/journal.jsonl";
    for (bool is_done = false; !is_done && !::testing::Test::HasFailure();) {
      const bool exists = place.home.bytes(journal).value_or("").contains('\n');
      const Arguments which = exists ? Arguments{"--resume", kSession} : Arguments{"--session-id", kSession};
      const auto program =
          place.start(model.url(), Arguments{"-p", "go on", "--permission-mode", "bypassPermissions"} + which);
      program->close_input();
      const int life = std::uniform_int_distribution(0, kLongestLifeMilliseconds)(random);
      std::this_thread::sleep_for(std::chrono::milliseconds(life));
      program->send_signal(SIGKILL);
      const int exit_code = program->wait();
      is_done = exit_code == 0;
      kills += is_done ? 0 : 1;
      ASSERT_TRUE(exit_code == 0 || exit_code == 128 + SIGKILL) << exit_code << " " << program->errors();
    }
    EXPECT_TRUE(problems.empty()) << problems.front();
    std::map<std::string, int> effects;
    std::istringstream lines(place.project.bytes("effects").value_or(""));
    for (std::string line; std::getline(lines, line);) ++effects[line];
    std::size_t answered = 0;
    const std::lock_guard lock(mutex);
    ASSERT_TRUE(find_array(last, "messages"));
    for (const Json& message : *find_array(last, "messages")) {
      const JsonArray* content = find_array(message, "content");
      if (!content) continue;
      for (const Json& block : *content) {
        if (text_of(block, "type") != "tool_result") continue;
        ++answered;
        const std::string id = text_of(block, "tool_use_id");
        const std::string text = to_json(*find(block, "content"));
        EXPECT_LE(effects[id], 1) << id;
        if (text.find("done " + id) != std::string::npos) {
          EXPECT_EQ(effects[id], 1) << id;
        }
        if (text.find(kNotDoneText) != std::string::npos) {
          EXPECT_EQ(effects[id], 0) << id;
        }
      }
    }
    EXPECT_EQ(answered, kCalls);
  }
}

}  // namespace
}  // namespace deft::testing
