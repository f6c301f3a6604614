#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "deft/core/message_run.h"
#include "deft/testing/sim_model.h"

namespace deft::sim {

using Time = std::uint32_t;  // virtual; a unit is nothing in particular

inline constexpr std::size_t kMessageCallsMax = 63;
inline constexpr std::size_t kCallStagesMax = 8;
inline constexpr std::size_t kTurnMessagesMax = 8;
inline constexpr unsigned kAgentDepthMax = 3;

// What a call does, one thing after another. It begins with work and every wait is followed by work.
struct Stage {
  enum class What : std::uint8_t {
    work,         // holds a slot
    replace,      // a hook replaces the input; takes no time
    ask_allow,    // the person is asked, before the call runs, and says yes,
    ask_deny,     // no,
    ask_replace,  // or yes to another input
    wait,         // for a timer
    agent,        // for an agent with a message of its own
  };
  What what = What::work;
  Time duration = 0;
};

struct CallPlan {
  Time gap = 0;          // after the call before it, in a stream
  bool invalid = false;  // can only fail; nothing below matters
  Input input;
  Input replacement;
  std::array<Stage, kCallStagesMax> stages;
  std::uint8_t stage_count = 0;
  std::uint8_t agent_message = 0;  // index of the message of Stage::agent
  bool shell = false;
  bool leaves_modifiers = false;
  Ending ending = Ending::completed;
  // When it is told to stop:
  bool stubborn = false;  // goes on as if nothing had been said, until it would wait
  Time grace = 0;         // else it needs this long
  Ending stopped_ending = Ending::completed;

  void then(Stage::What what, Time duration = 0) { stages[stage_count++] = {what, duration}; }
};

struct Disturbance {
  enum class What : std::uint8_t { interrupt, abort, discard };
  Time at = 0;  // counted from the first byte of the message
  What what = What::abort;
};

struct MessagePlan {
  std::vector<CallPlan> calls;
  std::vector<Disturbance> disturbances;
  bool streaming = true;          // else all calls come at once
  bool abort_ends_stream = true;  // else blocks that were under way still arrive
  bool sibling_cancellation = true;
  Time close_gap = 0;  // from the last call to the end of the message
};

// Everything that will happen in a turn, apart from when calls may start: that is what is being tested.
struct TurnPlan {
  std::size_t slots_max = 1;
  bool coalesce = false;  // things that happen at the same time are all reported before the run is asked
  std::size_t message_count = 0;
  std::array<MessagePlan, kTurnMessagesMax> messages;  // the first is the turn's own, the others are of agents

  void clear();
  MessagePlan& add_message();
};

// The same seed gives the same plan, everywhere. Overwrites `plan`, whose memory is used again.
void plan_turn(std::uint64_t seed, TurnPlan& plan);

// For logs: "writes /p/a, through a link", "everything".
std::string describe(const Input& input);

}  // namespace deft::sim
