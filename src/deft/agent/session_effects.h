#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"

namespace deft {

// Journal::state() of a subagent: which call has started it or let it go on, {"call": its id}.
inline constexpr std::string_view kStartedByState = "started_by";

// The subagent that a call had started, by its journal, which stands with the session's. Nothing: it had started none.
std::optional<std::string> agent_started_by(std::string_view call, const std::string& session_folder);

// A call of a session that may have had an effect.
struct EffectOfCall {
  std::string call_id;
  std::string tool;
  std::string title;                // "Bash: make test"
  std::vector<std::string> within;  // the calls by which subagents came to do it, the main agent's own first
  std::size_t message = 0;          // of the main agent's call
  std::size_t turn = 0;
  bool is_finished = false;    // its result is known
  bool starts_agents = false;  // what it did is what they did
  std::int64_t time_ms = 0;
};

// All of them, those of subagents too, in the order in which they began. `journal` is the main agent's.
Result<std::vector<EffectOfCall>> effects_of_session(const std::string& journal);

// The ids of calls of subagents that may have had an effect. Cheap: nothing else of their journals is looked at.
std::vector<std::string> effect_ids_of_subagents(const std::string& session_folder);

}  // namespace deft
