#include "deft/testing/sim_plan.h"

#include "deft/base/check.h"
#include "deft/testing/sim_random.h"

namespace deft::sim {
namespace {

using PathUse = Footprint::PathUse;
using Use = Footprint::Use;
using What = Stage::What;

// Draws a turn. The numbers are chosen so that about half of the turns are undisturbed, most have conflicts, and
// everything that can happen happens many times in ten thousand turns.
class Planner {
 public:
  Planner(std::uint64_t seed, TurnPlan& plan) : random_(seed), plan_(plan) {}

  void plan_turn() {
    static constexpr std::array<std::uint8_t, 8> kSlots = {1, 1, 2, 2, 3, 3, 4, 10};
    plan_.clear();
    plan_.slots_max = kSlots[random_.below(kSlots.size())];
    plan_.coalesce = random_.chance(50);
    plan_message(0);
  }

 private:
  std::uint8_t plan_message(unsigned depth) {
    const auto index = static_cast<std::uint8_t>(plan_.message_count);
    MessagePlan& message = plan_.add_message();  // messages never move: calls of agents are planned recursively
    const auto paths_of_parent = paths_;
    choose_paths();
    message.streaming = random_.chance(70);
    message.abort_ends_stream = random_.chance(50);
    message.sibling_cancellation = random_.chance(90);
    message.close_gap = random_.below(4);
    for (std::uint32_t odds = 25; random_.chance(odds); odds = 15) plan_disturbance(message);
    const std::uint32_t count = call_count(depth);
    message.calls.reserve(count);
    while (message.calls.size() < count) plan_call(message.calls.emplace_back(), depth);
    paths_ = paths_of_parent;
    return index;
  }

  std::uint32_t call_count(unsigned depth) {
    if (depth > 0) return random_.below(4);
    if (random_.chance(2)) return random_.below(24);
    return 1 + random_.below(7);
  }

  // Few paths in one message: its calls shall meet.
  void choose_paths() {
    for (PathId& path : paths_) path = static_cast<PathId>(random_.below(kPaths.size()));
  }

  void plan_disturbance(MessagePlan& message) {
    using Kind = Disturbance::What;
    static constexpr std::array<Kind, 3> kKinds = {Kind::interrupt, Kind::abort, Kind::discard};
    message.disturbances.push_back({.at = random_.below(16), .what = kKinds[random_.below(kKinds.size())]});
  }

  void plan_call(CallPlan& call, unsigned depth) {
    call.gap = random_.below(4);
    call.invalid = random_.chance(4);
    if (call.invalid) return;
    call.shell = random_.chance(18);
    call.input = call.shell ? shell_input() : input();
    call.leaves_modifiers = random_.chance(30);
    call.ending = random_.chance(call.shell ? 25 : 10) ? Ending::failed : Ending::completed;
    call.stubborn = random_.chance(25);
    call.grace = random_.below(4);
    call.stopped_ending = static_cast<Ending>(random_.below(3));
    plan_stages(call, depth);
  }

  void plan_stages(CallPlan& call, unsigned depth) {
    work(call, 6);
    if (random_.chance(14)) {
      call.then(answer(), random_.below(10));
      work(call, 3);
    }
    if (random_.chance(14)) {
      call.then(What::replace);
      work(call, 6);
    }
    call.replacement = random_.chance(25) ? call.input : call.shell ? shell_input() : input();
    if (depth < kAgentDepthMax && plan_.message_count < kTurnMessagesMax && random_.chance(depth == 0 ? 5 : 20)) {
      if (random_.chance(60)) call.input = call.replacement = {};  // an agent's calls are not its parent's footprint
      call.input.read_only = call.replacement.read_only = false;
      call.then(What::agent);
      call.agent_message = plan_message(depth + 1);
      work(call, 3);
    } else if (random_.chance(10)) {
      call.then(What::wait, random_.below(12));
      work(call, 2);
    }
  }

  void work(CallPlan& call, std::uint32_t duration_max) { call.then(What::work, random_.below(duration_max)); }

  What answer() {
    static constexpr std::array<What, 5> kAnswers = {What::ask_allow, What::ask_allow, What::ask_deny,
                                                     What::ask_replace, What::ask_replace};
    return kAnswers[random_.below(kAnswers.size())];
  }

  Word word(PathUse use) {
    static constexpr std::array<Via, 5> kVias = {Via::plain, Via::plain, Via::plain, Via::link, Via::cwd};
    return {.path = paths_[random_.below(paths_.size())], .via = kVias[random_.below(kVias.size())], .use = use};
  }

  Input touching(PathUse use) {
    Input input{.word_count = 1, .read_only = use != PathUse::write};
    input.words[0] = word(use);
    return input;
  }

  Input input() {
    Input input = plain_input();
    input.interruptible = random_.chance(40);
    if (input.word_count > 0 && random_.chance(5)) {
      input.resolves = random_.chance(50) ? Resolves::to_everything : Resolves::to_nothing;
    }
    return input;
  }

  Input plain_input() {
    const std::uint32_t kind = random_.below(100);
    if (kind < 27) return touching(PathUse::read);
    if (kind < 37) return touching(PathUse::read_tree);
    if (kind < 61) return touching(PathUse::write);
    if (kind < 70) {  // copies
      Input input = touching(PathUse::write);
      input.words[input.word_count++] = word(PathUse::read);
      return input;
    }
    if (kind < 77) return {.everything = true};
    if (kind < 82) return {.session = Use::read, .read_only = true};
    if (kind < 90) return {.session = Use::write};
    if (kind < 92) return {.network = Use::read, .read_only = true};
    if (kind < 94) return {.network = Use::write};
    return {.read_only = true};  // touches nothing: a timer
  }

  Input shell_input() {
    if (random_.chance(30)) return {.everything = true, .interruptible = random_.chance(40)};
    Input input = touching(random_.chance(70) ? PathUse::read_tree : PathUse::write);
    input.read_only = input.read_only && random_.chance(50);
    input.interruptible = random_.chance(40);
    return input;
  }

  Random random_;
  TurnPlan& plan_;
  std::array<PathId, 4> paths_{};
};

}  // namespace

void TurnPlan::clear() {
  message_count = 0;
  slots_max = 1;
  coalesce = false;
}

MessagePlan& TurnPlan::add_message() {
  DEFT_CHECK(message_count < kTurnMessagesMax);
  MessagePlan& message = messages[message_count++];
  message.calls.clear();
  message.disturbances.clear();
  message.streaming = true;
  message.abort_ends_stream = true;
  message.sibling_cancellation = true;
  message.close_gap = 0;
  return message;
}

void plan_turn(std::uint64_t seed, TurnPlan& plan) { Planner(seed, plan).plan_turn(); }

std::string describe(const Input& input) {
  static constexpr std::array<const char*, 3> kUses = {"reads ", "reads all below ", "writes "};
  static constexpr std::array<const char*, 3> kVias = {"", " (through a link)", " (relative)"};
  if (input.everything) return "everything";
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (std::size_t i = 0; i < input.word_count; ++i) {
    const Word& word = input.words[i];
    add(kUses[static_cast<std::size_t>(word.use)] + std::string(kPaths[word.path]) +
        kVias[static_cast<std::size_t>(word.via)]);
  }
  if (input.session != Use::none) add(input.session == Use::read ? "reads session" : "writes session");
  if (input.network != Use::none) add(input.network == Use::read ? "reads network" : "writes network");
  if (text.empty()) text = "nothing";
  if (input.resolves == Resolves::to_everything) text += ", resolves to everything";
  if (input.resolves == Resolves::to_nothing) text += ", resolves to nothing";
  return text;
}

}  // namespace deft::sim
