#pragma once

#include <optional>
#include <string>

#include "deft/agent/session_store.h"

namespace deft {

// Which session a command line means: --resume, --continue, --fork-session, --session-id.
struct SessionChoice {
  std::string directory;                                 // canonical; where the session works
  std::optional<std::string> resume = std::nullopt;      // an id, the beginning of one, or a title
  bool go_on = false;                                    // with the one of this directory that was used last
  bool fork = false;                                     // of the one that is resumed
  std::optional<std::string> session_id = std::nullopt;  // of a new one
};

// Finds the session, or makes it. Give its folder to EngineOptions::session_folder and its id to
// AgentOptions::session_id: Agent::open() does the rest.
Result<SessionPlace> choose_session(const SessionStore& store, const SessionChoice& choice, const Clock& clock);

}  // namespace deft
