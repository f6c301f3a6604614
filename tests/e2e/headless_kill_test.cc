#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "deft/agent/session.h"
#include "deft/core/conversation.h"
#include "deft/testing/places.h"
#include "deft_print.h"

// kill -9 of the real program at any moment of a session of fifty calls with side effects, and going on with it, until
// it is done: commands, files written and edited, an MCP server's tool, subagents, commands in the background, and
// compactions between them. Some of the model's answers break off. Half of the lives end at a random time, the others
// at a random step of what the program does to files, also in the middle of a write (preloaded/file_spy.cc).
// DEFT_KILLS=500 for the long form.

namespace deft::testing {
namespace {

constexpr int kKillsDefault = 30;
constexpr std::size_t kCalls = 50;
constexpr std::size_t kCallsPerMessage = 4;
constexpr int kLongestLifeMilliseconds = 250;
constexpr int kStepsMax = 120;
constexpr unsigned kAnswersForOneThatBreaks = 15;
constexpr std::int64_t kTokensPerResult = 7'000;  // as the model says: some compactions in fifty calls
const char* const kSession = "5b3c5f5e-1c5a-4a55-8a5e-0d5f5b6c7d11";
const char* const kSettings = R"({"autoCompactWindow": 100000})";

// An MCP server with a tool that has an effect.
constexpr std::string_view kNotesServer = R"(#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \"id\":([0-9]+|\"[^\"]*\") ]] || continue
  id=${BASH_REMATCH[1]}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"append","description":"Appends.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]}' ;;
    *'"tools/call"'*) [[ $line =~ call_[0-9]+ ]]; echo "${BASH_REMATCH[0]}" >> effects
                      result="{\"content\":[{\"type\":\"text\",\"text\":\"done ${BASH_REMATCH[0]}\"}]}" ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
)";

enum class Kind { command, write, edit, server, subagent, background };

Kind kind_of(std::size_t number) { return static_cast<Kind>(number % 6); }
std::string id_of(std::size_t number) { return "call_" + std::to_string(number); }

StreamedCall call_number(std::size_t number, const std::string& project) {
  const std::string id = id_of(number);
  const std::string effect = "echo " + id + " >> effects; echo done " + id;
  switch (kind_of(number)) {
    case Kind::command: break;
    case Kind::write:
      return {id, "Write", {{"file_path", project + "/" + id + ".txt"}, {"content", "done " + id + "\n"}}};
    case Kind::edit:
      return {id, "Edit", {{"file_path", project + "/list.txt"}, {"old_string", "END"}, {"new_string", id + "\nEND"}}};
    case Kind::server: return {id, "mcp__notes__append", {{"text", id}}};
    case Kind::subagent: return {id, "Agent", {{"description", "a part"}, {"prompt", "part of " + id}}};
    case Kind::background: return {id, "Bash", {{"command", effect}, {"run_in_background", true}}};
  }
  return {id, "Bash", {{"command", effect}}};
}

// The number behind the last "call_" in a text; 0: there is none.
std::size_t last_number(std::string_view text) {
  std::size_t last = 0;
  for (std::size_t at = 0; (at = text.find("call_", at)) != std::string_view::npos; ++at) {
    last = std::max<std::size_t>(last, std::strtoul(text.substr(at + 5, 4).data(), nullptr, 10));
  }
  return last;
}

template <class Take>
void for_each_block(const Json& body, std::string_view type, const Take& take) {
  for (const Json& message : *find_array(body, "messages")) {
    const JsonArray* content = find_array(message, "content");
    for (std::size_t i = 0; content && i < content->size(); ++i) {
      if (text_of((*content)[i], "type") == type) take((*content)[i]);
    }
  }
}

std::optional<std::string> problem_of(const Json& body) {
  History history;
  for (const Json& message : *find_array(body, "messages")) {
    const Json& content = *find(message, "content");
    history.push_back({text_of(message, "role") == "user" ? Role::user : Role::assistant, to_json(content)});
  }
  return history_problem(history);
}

// What a full disk may cost: results that could not be written down before the process ended.
enum class Memory { keeps_all, may_lose_results };

// A model whose next word depends on nothing but what it is told, and that remembers all it was ever told.
class Model {
 public:
  Model(std::string project, Memory memory, unsigned seed)
      : project_(std::move(project)), memory_(memory), random_(seed) {}

  void answer(const PeerRequest& request, PeerAnswer& answer) {
    const Json body = parse_json(request.body).value_or(Json(JsonObject{{"messages", JsonArray{}}}));
    const std::string stream = answer_to(body);
    const std::size_t breaks_at = breaking_point(stream.size());
    // In pieces, so that a life can end between them.
    answer.head(200, {{"Content-Type", "text/event-stream"}});
    for (std::size_t begin = 0; begin < stream.size() && answer.is_open();) {
      if (begin >= breaks_at) return answer.cut();
      const std::size_t end = std::min(stream.find("\n\n", begin), stream.size() - 2) + 2;
      answer.chunk(std::string_view(stream).substr(begin, end - begin));
      std::this_thread::sleep_for(std::chrono::microseconds(300));
      begin = end;
    }
    if (answer.is_open()) answer.end();
  }

  std::vector<std::string> problems() {
    const std::lock_guard lock(mutex_);
    return problems_;
  }
  std::map<std::string, std::string> results() {  // of the main agent's calls
    const std::lock_guard lock(mutex_);
    return results_;
  }
  std::size_t compactions() {
    const std::lock_guard lock(mutex_);
    return compactions_;
  }

 private:
  // Of most answers: none.
  std::size_t breaking_point(std::size_t size) {
    const std::lock_guard lock(mutex_);
    return random_() % kAnswersForOneThatBreaks == 0 ? random_() % size : std::string::npos;
  }

  std::string answer_to(const Json& body) {
    const std::lock_guard lock(mutex_);
    if (auto problem = problem_of(body)) problems_.push_back(*problem);
    const std::string first = to_json(find_array(body, "messages")->at(0));
    if (const auto part = first.find("part of call_"); part != std::string::npos) return answer_part(body, first, part);
    std::size_t results = 0;
    for_each_block(body, "tool_result", [&](const Json& block) {
      ++results;
      remember(block);
    });
    if (to_json(find_array(body, "messages")->back()).contains("Write that summary now")) {
      ++compactions_;
      return anthropic_text("So far: up to " + id_of(made_in(body)));
    }
    const std::size_t made = made_in(body);
    const JsonObject usage{{"input_tokens", static_cast<std::int64_t>(results) * kTokensPerResult}};
    if (made >= kCalls) return anthropic_text("all done", usage);
    std::vector<StreamedCall> calls;
    for (std::size_t n = made + 1; n <= std::min(made + kCallsPerMessage, kCalls); ++n) {
      calls.push_back(call_number(n, project_));
    }
    if (made == 0) calls.insert(calls.begin(), {"first", "Read", {{"file_path", project_ + "/list.txt"}}});
    return anthropic_calls(calls, "On it goes.", usage);
  }

  static std::string answer_part(const Json& body, const std::string& first, std::size_t part) {
    const std::string id = id_of(last_number(std::string_view(first).substr(part, 20)));
    bool has_called = false;
    bool has_failed = false;
    for_each_block(body, "tool_use", [&](const Json&) { has_called = true; });
    for_each_block(body, "tool_result", [&](const Json& result) { has_failed = find(result, "is_error") != nullptr; });
    if (has_called) return anthropic_text(has_failed ? "it could not be done" : "done " + id);
    return anthropic_calls({{"p_" + id, "Bash", {{"command", "echo part_" + id + " >> effects"}}}});
  }

  static std::size_t made_in(const Json& body) {
    std::size_t made = 0;
    for_each_block(body, "tool_use",
                   [&](const Json& call) { made = std::max(made, last_number(text_of(call, "id"))); });
    for_each_block(body, "text", [&](const Json& block) {  // a summary
      const std::string text = text_of(block, "text");
      if (const auto at = text.find("So far: up to "); at != std::string::npos) {
        made = std::max(made, last_number(std::string_view(text).substr(at, 30)));
      }
    });
    return made;
  }

  void remember(const Json& block) {
    JsonObject plain = block.get_object();
    plain.erase("cache_control");
    const std::string id = text_of(block, "tool_use_id");
    const std::string text = to_json(plain);
    if (memory_ == Memory::may_lose_results) {
      results_.insert_or_assign(id, text);
      return;
    }
    const auto [known, is_new] = results_.try_emplace(id, text);
    if (!is_new && known->second != text) problems_.push_back(id + " was " + known->second + " and is " + text);
  }

  const std::string project_;
  const Memory memory_;
  std::mutex mutex_;
  std::mt19937 random_;
  std::vector<std::string> problems_;
  std::map<std::string, std::string> results_;
  std::size_t compactions_ = 0;
};

class HeadlessKill : public ::testing::Test {
 protected:
  HeadlessKill() {
    place.project.put("list.txt", "END\n");
    place.project.put("notes-server", std::string(kNotesServer));
    ::chmod((place.project / "notes-server").c_str(), 0700);
  }

  // True: it came to its end. False: it was killed.
  bool live_once(const std::string& url, Memory memory, std::mt19937& random) {
    const std::string journal = ".local/state/deft/sessions/" + std::string(kSession) + "/journal.jsonl";
    const bool exists = place.home.bytes(journal).value_or("").contains('\n');
    const Arguments which = exists ? Arguments{"--resume", kSession} : Arguments{"--session-id", kSession};
    const Json servers = JsonObject{{"mcpServers", {{"notes", {{"command", place.project / "notes-server"}}}}}};
    const bool fills_disk = memory == Memory::may_lose_results;
    const bool by_step = fills_disk || std::uniform_int_distribution(0, 1)(random) == 1;
    place.environment.clear();
    if (by_step) {
      const int step = std::uniform_int_distribution(1, kStepsMax)(random);
      place.environment = {std::string("LD_PRELOAD=") + DEFT_FILE_SPY, "DEFT_SPY_KILL=" + std::to_string(step)};
      const int full = std::uniform_int_distribution(1, step)(random);
      if (fills_disk) place.environment.push_back("DEFT_SPY_FULL=" + std::to_string(full));
    }
    const auto program = place.start(url, Arguments{"-p", "go on", "--permission-mode", "bypassPermissions",
                                                    "--settings", kSettings, "--mcp-config", to_json(servers)} +
                                              which);
    program->close_input();
    if (!by_step) {
      const int life = std::uniform_int_distribution(0, kLongestLifeMilliseconds)(random);
      std::this_thread::sleep_for(std::chrono::milliseconds(life));
      program->send_signal(SIGKILL);
    }
    const int exit_code = program->wait();
    EXPECT_TRUE(exit_code == 0 || exit_code == 128 + SIGKILL || fills_disk) << exit_code << " " << program->errors();
    return exit_code == 0;
  }

  void check(Model& model) {
    for (const std::string& problem : model.problems()) ADD_FAILURE() << problem;
    std::map<std::string, int> effects;
    std::istringstream lines(place.project.bytes("effects").value_or("") +
                             place.project.bytes("list.txt").value_or(""));
    for (std::string line; std::getline(lines, line);) ++effects[line];
    const auto results = model.results();
    for (std::size_t number = 1; number <= kCalls; ++number) {
      const std::string id = id_of(number);
      const auto result = results.find(id);
      ASSERT_NE(result, results.end()) << id << " was never answered";
      const Kind kind = kind_of(number);
      const std::string& text = result->second;
      const auto file = place.project.bytes(id + ".txt");
      if (kind == Kind::write) {
        EXPECT_TRUE(!file || *file == "done " + id + "\n") << id << ": " << *file;
      }
      const int times = kind == Kind::subagent ? effects["part_" + id]
                        : kind == Kind::write  ? (file ? 1 : 0)
                                               : effects[id];
      EXPECT_LE(times, 1) << id << " " << text;
      if (text.contains(kNotDoneText)) {
        EXPECT_EQ(times, 0) << id << " " << text;
      }
      const bool is_done = kind == Kind::write  ? text.contains("Created /")
                           : kind == Kind::edit ? text.contains("Edited /")
                                                : text.contains("done " + id);
      if (is_done) {
        EXPECT_EQ(times, 1) << id << " " << text;
      }
      done_ += is_done ? 1 : 0;
      interrupted_ += text.contains(kInterruptedText) ? 1 : 0;
      not_done_ += text.contains(kNotDoneText) ? 1 : 0;
    }
  }

  void live_and_die(Memory memory);

  PrintPlace place;
  int done_ = 0, interrupted_ = 0, not_done_ = 0;
};

void HeadlessKill::live_and_die(Memory memory) {
  const char* wanted = std::getenv("DEFT_KILLS");
  const int kills_wanted = wanted ? std::atoi(wanted) : kKillsDefault;
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int kills = 0;
  int sessions = 0;
  std::size_t compactions = 0;
  while (kills < kills_wanted && !HasFailure()) {
    if (sessions++ > 0) {
      for (const char* left : {"effects", "list.txt"}) std::filesystem::remove(place.project / left);
      for (std::size_t n = 1; n <= kCalls; ++n) std::filesystem::remove(place.project / (id_of(n) + ".txt"));
      std::filesystem::remove_all(place.home / ".local");
      place.project.put("list.txt", "END\n");
    }
    Model model(place.project.path(), memory, static_cast<unsigned>(random()));
    ModelPeer peer({[&](const PeerRequest& request, PeerAnswer& answer) { model.answer(request, answer); }});
    while (!live_once(peer.url(), memory, random) && !HasFailure()) ++kills;
    if (!HasFailure()) check(model);
    compactions += model.compactions();
  }
  std::printf("%d kills of %d sessions: %d calls done, %d interrupted, %d not done; %zu compactions\n", kills, sessions,
              done_, interrupted_, not_done_, compactions);
  EXPECT_GT(done_, 0);
}

TEST_F(HeadlessKill, NoEffectTwiceNoResultLostTheHistoryAlwaysValid) { live_and_die(Memory::keeps_all); }

TEST_F(HeadlessKill, NoEffectTwiceOnADiskThatIsFullForAMoment) { live_and_die(Memory::may_lose_results); }

}  // namespace
}  // namespace deft::testing
