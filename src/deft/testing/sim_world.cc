#include "deft/testing/sim_world.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "deft/base/check.h"

namespace deft::sim {
namespace {

constexpr std::size_t kRestStepsMax = 1'000;  // a run that has more to say without anything happening is in a loop

std::string text_of(const char* text) { return text; }
std::string text_of(const std::string& text) { return text; }
std::string text_of(std::size_t number) { return std::to_string(number); }

const char* name_of(CancelReason reason) {
  static constexpr std::array<const char*, 4> kNames = {"discard", "sibling error", "abort", "interrupt"};
  return kNames[static_cast<std::size_t>(reason)];
}

const char* name_of(Ending ending) {
  static constexpr std::array<const char*, 3> kNames = {"not run", "completed", "failed"};
  return kNames[static_cast<std::size_t>(ending)];
}

}  // namespace

// What the owner itself knows of a call.
struct SimWorld::OwnCall {
  const CallPlan* plan = nullptr;
  Deed deed;
  std::uint8_t next_stage = 0;
  std::uint8_t generation = 0;
  bool stopped = false;
  bool footprint_taken = false;
  Agent* child = nullptr;
};

// The turn's agent or a subagent, with the one message it carries out.
struct SimWorld::Agent {
  std::uint8_t number = 0;
  const MessagePlan* plan = nullptr;
  Agent* parent = nullptr;
  CallIndex parent_call = 0;
  unsigned depth = 0;
  std::optional<CancelScope> turn;
  std::optional<MessageRun> run;
  Oracle oracle;
  ModelWorld world;
  std::vector<OwnCall> calls;
  bool stream_ended = false;
};

SimWorld::SimWorld() = default;
SimWorld::~SimWorld() = default;

template <class... Parts>
void SimWorld::note(const Agent& agent, const Parts&... parts) {
  if (logging_) write_note(agent, {text_of(parts)...});
}

void SimWorld::write_note(const Agent& agent, std::initializer_list<std::string> parts) {
  log_ += "t=" + std::to_string(now_) + " agent " + std::to_string(agent.number) + ": ";
  for (const std::string& part : parts) log_ += part;
  log_ += '\n';
}

void SimWorld::blame(const Agent& agent, CallIndex call, const char* rule) {
  if (!outcome_.broken.empty()) return;
  outcome_.broken = std::string("broken: ") + rule + " (t=" + std::to_string(now_) + ", agent " +
                    std::to_string(agent.number) + ", call " + std::to_string(call) + ")";
  note(agent, outcome_.broken);
}

bool SimWorld::collect_blame(const Agent& agent) {
  if (agent.oracle.broken()) blame(agent, agent.oracle.broken_call(), agent.oracle.broken());
  return !outcome_.broken.empty();
}

Outcome SimWorld::play(std::uint64_t seed) {
  plan_turn(seed, drawn_);
  return play(drawn_);
}

Outcome SimWorld::play(const TurnPlan& plan) {
  plan_ = &plan;
  slots_.emplace(plan.slots_max);
  agents_used_ = 0;
  open_.clear();
  events_.clear();
  event_number_ = begun_number_ = 0;
  now_ = 0;
  outcome_ = {};
  log_.clear();
  ++tally_.turns;

  Agent& root = open_agent(0, nullptr, 0);
  note(root, "a turn with ", plan.slots_max, " slots",
       plan.coalesce ? "; what happens together is reported together" : "");
  while (!events_.empty() && outcome_.broken.empty()) {
    const Event event = take_event();
    now_ = event.at;
    happen(event);
    if (plan.coalesce && !events_.empty() && events_.front().at == now_) continue;
    ask_all(event.agent);
    close_done_agents();
  }
  if (!open_.empty()) blame(root, 0, "every turn comes to its end");
  while (!open_.empty()) {  // after a broken rule; an agent goes before its parent
    close_agent(*open_.back());
    open_.pop_back();
  }
  return std::move(outcome_);
}

SimWorld::Agent& SimWorld::open_agent(std::uint8_t message, Agent* parent, CallIndex parent_call) {
  if (agents_used_ == agents_.size()) agents_.push_back(std::make_unique<Agent>());
  Agent& agent = *agents_[agents_used_];
  agent.number = static_cast<std::uint8_t>(agents_used_++);
  agent.plan = &plan_->messages[message];
  agent.parent = parent;
  agent.parent_call = parent_call;
  agent.depth = parent ? parent->depth + 1 : 0;
  if (parent) {
    agent.turn.emplace(*parent->turn);
  } else {
    agent.turn.emplace();
  }
  const bool siblings = agent.plan->sibling_cancellation;
  agent.run.emplace(*slots_, *agent.turn, MessageRun::Options{.sibling_cancellation = siblings});
  agent.oracle.begin(*agent.run, siblings);
  agent.world = {};
  agent.calls.clear();
  agent.stream_ended = false;
  open_.push_back(&agent);
  tally_.agents += parent != nullptr;
  tally_.agents_at_depth_max += agent.depth == kAgentDepthMax;

  plan_event(Happens::block_closes, agent.plan->calls.empty() ? 0 : agent.plan->calls[0].gap, agent, 0);
  for (std::size_t i = 0; i < agent.plan->disturbances.size(); ++i) {
    plan_event(Happens::disturbance, agent.plan->disturbances[i].at, agent, static_cast<CallIndex>(i));
  }
  return agent;
}

void SimWorld::close_agent(Agent& agent) {
  if (agent.turn->cancelled()) blame(agent, 0, "a cancelled message never cancels its turn");
  agent.run.reset();
  agent.turn.reset();
}

void SimWorld::expect_serial(Agent& agent) {
  if (agent.oracle.ever_cancelled()) return;
  deeds_.clear();
  for (const OwnCall& own : agent.calls) deeds_.push_back(own.deed);
  const bool in_call_order = !agent.oracle.order_changed();
  ++(in_call_order ? tally_.serial_comparisons : tally_.reordered_comparisons);
  const auto* difference = difference_to_serial_run(deeds_, agent.world, in_call_order);
  if (difference) blame(agent, 0, difference);
}

// --- what happens ---

void SimWorld::plan_event(Happens what, Time after, const Agent& agent, CallIndex call) {
  const bool of_a_call = what == Happens::stage_ends || what == Happens::call_ends || what == Happens::agent_ends;
  events_.push_back({.at = now_ + after,
                     .number = event_number_++,
                     .what = what,
                     .agent = agent.number,
                     .call = static_cast<std::uint8_t>(call),
                     .generation = of_a_call ? agent.calls[call].generation : std::uint8_t{0}});
  std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

SimWorld::Event SimWorld::take_event() {
  std::pop_heap(events_.begin(), events_.end(), std::greater<>());
  const Event event = events_.back();
  events_.pop_back();
  return event;
}

void SimWorld::happen(const Event& event) {
  Agent& agent = *agents_[event.agent];
  if (!agent.run) return;  // the message is answered; what comes late concerns nobody
  switch (event.what) {
    case Happens::block_closes: return block_closes(agent);
    case Happens::disturbance: return disturb(agent, agent.plan->disturbances[event.call].what);
    case Happens::stage_ends:
    case Happens::call_ends:
    case Happens::agent_ends: break;
  }
  if (event.generation != agent.calls[event.call].generation) return;
  if (event.what == Happens::call_ends) return finish(agent, event.call, agent.calls[event.call].plan->stopped_ending);
  if (event.what == Happens::agent_ends) return wait_ends(agent, event.call);
  stage_ends(agent, event.call);
}

void SimWorld::block_closes(Agent& agent) {
  if (agent.stream_ended) return;
  const auto& calls = agent.plan->calls;
  do {
    if (agent.calls.size() == calls.size()) return end_stream(agent);
    add_call(agent);
  } while (!agent.plan->streaming);
  const bool last = agent.calls.size() == calls.size();
  plan_event(Happens::block_closes, last ? agent.plan->close_gap : calls[agent.calls.size()].gap, agent, 0);
}

void SimWorld::add_call(Agent& agent) {
  const auto call = static_cast<CallIndex>(agent.calls.size());
  const CallPlan& plan = agent.plan->calls[call];
  OwnCall& own = agent.calls.emplace_back();
  own.plan = &plan;
  ++tally_.calls;
  if (plan.invalid) {
    note(agent, "call ", call, " arrives and can only fail");
    agent.run->add_answered();
    return agent.oracle.added_answered(call);
  }
  own.deed.call = call;
  own.deed.input = &plan.input;
  own.deed.targets = agent.world.targets(plan.input);
  if (logging_) note(agent, "call ", call, plan.shell ? " (shell)" : "", " arrives: ", describe(plan.input));
  CallTraits its = traits(agent, call, provisional_footprint(plan.input, own.deed.targets));
  agent.oracle.added(call, its);
  agent.run->add(std::move(its));
}

CallTraits SimWorld::traits(const Agent& agent, CallIndex call, Footprint footprint) const {
  const OwnCall& own = agent.calls[call];
  CallTraits its{.footprint = std::move(footprint),
                 .read_only = own.deed.input->read_only,
                 .interruptible = own.deed.input->interruptible,
                 .failure_cancels_siblings = own.plan->shell};
  if (own.plan->shell) its.label = "Bash " + std::to_string(call);
  return its;
}

void SimWorld::end_stream(Agent& agent) {
  if (std::exchange(agent.stream_ended, true)) return;
  note(agent, "the message is complete");
  agent.run->close();
  agent.oracle.closed();
}

void SimWorld::disturb(Agent& agent, Disturbance::What what) {
  using Kind = Disturbance::What;
  if (what == Kind::abort) return abort(agent);
  if (what == Kind::interrupt) {
    note(agent, "interrupt");
    ++tally_.interrupts;
    agent.run->interrupt();
    return agent.oracle.interrupted();
  }
  if (std::exchange(agent.stream_ended, true)) return;  // a complete message cannot break
  const bool accepted = agent.run->discard();
  note(agent, "the stream breaks: ", accepted ? "discarded" : "kept, something may have had an effect");
  ++(accepted ? tally_.discards : tally_.discards_refused);
  agent.oracle.discarded(accepted);
}

void SimWorld::abort(Agent& agent) {
  note(agent, "abort");
  ++tally_.aborts;
  agent.run->abort();
  agent.oracle.aborted();
  if (agent.plan->abort_ends_stream) end_stream(agent);
}

// The current work or wait of a call is over.
void SimWorld::stage_ends(Agent& agent, CallIndex call) {
  OwnCall& own = agent.calls[call];
  if (agent.oracle.is_waiting(call)) return wait_ends(agent, call);
  if (own.next_stage == own.plan->stage_count) return finish(agent, call, own.plan->ending);
  const Stage& stage = own.plan->stages[own.next_stage++];
  if (stage.what != Stage::What::replace) return wait(agent, call, stage);
  if (replace(agent, call)) work_on(agent, call);
}

void SimWorld::work_on(Agent& agent, CallIndex call) {
  OwnCall& own = agent.calls[call];
  const Stage& stage = own.plan->stages[own.next_stage++];
  DEFT_CHECK(stage.what == Stage::What::work);
  plan_event(Happens::stage_ends, stage.duration, agent, call);
}

void SimWorld::wait(Agent& agent, CallIndex call, const Stage& stage) {
  using What = Stage::What;
  OwnCall& own = agent.calls[call];
  const Waiting waiting = stage.what == What::wait || stage.what == What::agent ? Waiting::in_run : Waiting::before_run;
  note(agent, "call ", call, waiting == Waiting::before_run ? " asks" : " waits");
  agent.run->parked(call, waiting);
  agent.oracle.parked(call, waiting);
  ++(waiting == Waiting::before_run ? tally_.questions : tally_.waits);
  if (own.stopped) return plan_event(Happens::call_ends, own.plan->grace, agent, call);
  if (stage.what != What::agent) return plan_event(Happens::stage_ends, stage.duration, agent, call);
  own.child = &open_agent(own.plan->agent_message, &agent, call);
}

void SimWorld::wait_ends(Agent& agent, CallIndex call) {
  OwnCall& own = agent.calls[call];
  const Stage& stage = own.plan->stages[own.next_stage - 1];
  if (stage.what == Stage::What::ask_deny) {
    ++tally_.denials;
    return finish(agent, call, Ending::not_run);
  }
  if (stage.what == Stage::What::ask_replace && !replace(agent, call)) return;
  note(agent, "call ", call, " may go on");
  agent.run->unparked(call);
  agent.oracle.unparked(call);
}

// False: the call is queued again.
bool SimWorld::replace(Agent& agent, CallIndex call) {
  OwnCall& own = agent.calls[call];
  own.deed.input = &own.plan->replacement;
  own.deed.targets = agent.world.targets(*own.deed.input);
  const CallTraits its = traits(agent, call, resolved_footprint(*own.deed.input, own.deed.targets));
  const bool goes_on = agent.run->replaced(call, its);
  if (logging_) note(agent, "call ", call, goes_on ? " now " : " waits, it now ", describe(*own.deed.input));
  agent.oracle.replaced(call, its, goes_on);
  ++(goes_on ? tally_.replaced_and_went_on : tally_.replaced_and_waited);
  tally_.replaced_after_stop += own.stopped;
  if (goes_on) begin_deed(agent, own.deed);
  return goes_on;
}

void SimWorld::begin_deed(const Agent& agent, Deed& deed) {
  // Who is assumed to touch everything is not asked again; its words mean what they mean when it works.
  if (deed.input->resolves == Resolves::to_everything) deed.targets = agent.world.targets(*deed.input);
  deed.seen = agent.world.look(*deed.input, deed.targets);
  deed.begun = begun_number_++;
}

void SimWorld::finish(Agent& agent, CallIndex call, Ending ending) {
  OwnCall& own = agent.calls[call];
  ++own.generation;
  own.deed.done = ending != Ending::not_run;
  if (own.deed.done) agent.world.change(*own.deed.input, own.deed.targets, own.deed.seen, call);
  const bool leaves_modifiers = own.plan->leaves_modifiers && own.deed.done;
  note(agent, "call ", call, " ends: ", name_of(ending), leaves_modifiers ? ", leaves modifiers" : "");
  agent.run->finished(call, ending, leaves_modifiers);
  agent.oracle.finished(call, ending, leaves_modifiers);
}

// --- what the runs say ---

// A slot that one run gave back may be what another waits for: asked until none has anything to say.
void SimWorld::ask_all(std::size_t first) {
  std::size_t quiet = 0;
  std::size_t steps = 0;
  for (std::size_t at = first; quiet < open_.size(); ++at) {
    Agent& agent = *open_[at % open_.size()];
    ++quiet;
    while (true) {
      const MessageRun::Step step = agent.run->next();
      if (step.empty()) break;
      quiet = 1;
      carry_out(agent, step);
      if (++steps > kRestStepsMax) blame(agent, 0, "a run to which nothing happens comes to rest");
      if (collect_blame(agent)) return;
    }
  }
  tally_.steps += steps;
  judge_rest();
}

void SimWorld::judge_rest() {
  std::size_t working = 0;
  for (Agent* agent : open_) {
    agent->oracle.says_nothing(slots_->free());
    if (collect_blame(*agent)) return;
    working += agent->oracle.working();
  }
  outcome_.working_max = std::max(outcome_.working_max, working);
  const Agent& root = *agents_[0];
  if (working > plan_->slots_max) return blame(root, 0, "no more calls work than there are slots");
  if (working + slots_->free() != plan_->slots_max) return blame(root, 0, "exactly the working calls hold slots");
}

void SimWorld::close_done_agents() {
  for (std::size_t i = open_.size(); i-- > 0;) {
    Agent& agent = *open_[i];
    if (!agent.run->done()) continue;
    note(agent, "done");
    expect_serial(agent);
    close_agent(agent);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!agent.parent) continue;
    OwnCall& parent_call = agent.parent->calls[agent.parent_call];
    parent_call.child = nullptr;
    plan_event(parent_call.stopped ? Happens::call_ends : Happens::agent_ends, 0, *agent.parent, agent.parent_call);
  }
}

void SimWorld::carry_out(Agent& agent, const MessageRun::Step& step) {
  for (const auto& stopped : step.stop) stop(agent, stopped);
  for (const auto& answer : step.answer_unstarted) {
    note(agent, "call ", answer.call, " is answered unstarted: ", name_of(answer.why.reason));
    ++agent.calls[answer.call].generation;
    ++tally_.unstarted;
    tally_.siblings_unstarted += answer.why.reason == CancelReason::sibling_error;
    agent.oracle.says_answer_unstarted(answer);
  }
  for (const CallIndex call : step.resolve) agent.oracle.says_resolve(call);
  for (const CallIndex call : step.resolve) resolve(agent, call);
  if (!step.settle.empty()) agent.oracle.says_settle(step.settle);
  tally_.settled += step.settle.size();
  for (const CallIndex call : step.start) start(agent, call);
  for (const CallIndex call : step.emit) {
    note(agent, "call ", call, " is answered");
    agent.oracle.says_emit(call);
    ++outcome_.answers;
    outcome_.end = now_;
  }
}

void SimWorld::stop(Agent& agent, const MessageRun::Stop& stop) {
  note(agent, "call ", stop.call, " is told to stop: ", name_of(stop.why.reason));
  ++tally_.stops;
  tally_.siblings_stopped += stop.why.reason == CancelReason::sibling_error;
  agent.oracle.says_stop(stop);
  OwnCall& own = agent.calls[stop.call];
  own.stopped = true;
  if (own.child) return abort(*own.child);  // the call ends when its agent has
  if (own.plan->stubborn && !agent.oracle.is_waiting(stop.call)) return;
  ++own.generation;
  plan_event(Happens::call_ends, own.plan->grace, agent, stop.call);
}

void SimWorld::resolve(Agent& agent, CallIndex call) {
  Deed& deed = agent.calls[call].deed;
  tally_.footprints_taken_again += std::exchange(agent.calls[call].footprint_taken, true);
  const Targets known = std::exchange(deed.targets, agent.world.targets(*deed.input));
  Footprint footprint = resolved_footprint(*deed.input, deed.targets);
  note(agent, "call ", call, known == deed.targets ? " is resolved" : " is resolved to other paths");
  tally_.footprints_moved += known != deed.targets;
  agent.oracle.resolved(call, footprint);
  agent.run->resolved(call, std::move(footprint), deed.input->read_only);
}

void SimWorld::start(Agent& agent, CallIndex call) {
  const bool goes_on = !agent.oracle.is_queued(call);
  note(agent, "call ", call, goes_on ? " goes on" : " starts");
  agent.oracle.says_start(call);
  OwnCall& own = agent.calls[call];
  if (!goes_on) begin_deed(agent, own.deed);
  if (!own.stopped) work_on(agent, call);
}

}  // namespace deft::sim
