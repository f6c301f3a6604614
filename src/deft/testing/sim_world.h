#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deft/core/message_run.h"
#include "deft/testing/sim_model.h"
#include "deft/testing/sim_oracle.h"
#include "deft/testing/sim_plan.h"

namespace deft::sim {

// How often the corners were reached, over all turns played: a simulator that never gets there proves nothing.
struct Tally {
  std::size_t turns = 0, calls = 0, steps = 0;
  std::size_t agents = 0, agents_at_depth_max = 0;
  std::size_t questions = 0, denials = 0, waits = 0;
  std::size_t replaced_and_went_on = 0, replaced_and_waited = 0, replaced_after_stop = 0;
  std::size_t footprints_moved = 0, footprints_taken_again = 0;
  std::size_t interrupts = 0, aborts = 0, discards = 0, discards_refused = 0;
  std::size_t siblings_stopped = 0, siblings_unstarted = 0, stops = 0, unstarted = 0;
  std::size_t settled = 0, serial_comparisons = 0, reordered_comparisons = 0;
};

struct Outcome {
  std::string broken;  // the rule that was broken, who broke it and when; empty: none
  Time end = 0;        // virtual time of the last answer
  std::size_t working_max = 0;
  std::size_t answers = 0;
};

// Plays whole turns in virtual time, on one thread, as the owner of the message runs: reports what happens, asks
// next(), carries out what it says, and lets the oracles judge. Playing a plan twice gives the same twice.
// One world plays many turns, one after another, and uses its memory again.
class SimWorld {
 public:
  SimWorld();
  ~SimWorld();

  Outcome play(std::uint64_t seed);
  Outcome play(const TurnPlan& plan);

  // From now on every event is written down, as text for people. The text of the last turn.
  void keep_log() { logging_ = true; }
  const std::string& log() const { return log_; }
  const Tally& tally() const { return tally_; }

 private:
  struct OwnCall;
  struct Agent;
  enum class Happens : std::uint8_t { block_closes, stage_ends, call_ends, agent_ends, disturbance };
  struct Event {
    Time at = 0;
    std::uint32_t number = 0;  // what was planned first happens first
    Happens what = Happens::stage_ends;
    std::uint8_t agent = 0;
    std::uint8_t call = 0;        // or which disturbance
    std::uint8_t generation = 0;  // of the call: an event of an older one is void
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : number > other.number; }
  };

  Agent& open_agent(std::uint8_t message, Agent* parent, CallIndex parent_call);
  void close_agent(Agent& agent);
  void expect_serial(Agent& agent);

  // What happens.
  Event take_event();
  void plan_event(Happens what, Time after, const Agent& agent, CallIndex call);
  void happen(const Event& event);
  void block_closes(Agent& agent);
  void add_call(Agent& agent);
  void end_stream(Agent& agent);
  void disturb(Agent& agent, Disturbance::What what);
  void abort(Agent& agent);
  void stage_ends(Agent& agent, CallIndex call);
  void work_on(Agent& agent, CallIndex call);
  void wait(Agent& agent, CallIndex call, const Stage& stage);
  void wait_ends(Agent& agent, CallIndex call);
  bool replace(Agent& agent, CallIndex call);
  void begin_deed(const Agent& agent, Deed& deed);
  void finish(Agent& agent, CallIndex call, Ending ending);
  CallTraits traits(const Agent& agent, CallIndex call, Footprint footprint) const;

  // What the runs say.
  void ask_all(std::size_t first);
  void carry_out(Agent& agent, const MessageRun::Step& step);
  void stop(Agent& agent, const MessageRun::Stop& stop);
  void resolve(Agent& agent, CallIndex call);
  void start(Agent& agent, CallIndex call);

  void blame(const Agent& agent, CallIndex call, const char* rule);
  bool collect_blame(const Agent& agent);
  template <class... Parts>
  void note(const Agent& agent, const Parts&... parts);
  void write_note(const Agent& agent, std::initializer_list<std::string> parts);

  const TurnPlan* plan_ = nullptr;
  TurnPlan drawn_;
  std::optional<Slots> slots_;
  std::vector<std::unique_ptr<Agent>> agents_;  // kept from turn to turn; the first open_agents_ belong to this one
  std::size_t agents_used_ = 0;
  std::vector<Agent*> open_;   // those whose run is not done
  std::vector<Event> events_;  // a heap, the next one first
  std::uint32_t event_number_ = 0;
  std::uint32_t begun_number_ = 0;
  std::vector<Deed> deeds_;  // used by expect_serial()
  Time now_ = 0;
  Outcome outcome_;
  Tally tally_;
  bool logging_ = false;
  std::string log_;
};

}  // namespace deft::sim
