#pragma once

#include "deft/core/session_state.h"

namespace deft {

// For declarations that do not depend on the session.
inline SessionView any_session() {
  static const SessionState state{.working_directory = "/", .directories = {"/"}, .files = {}};
  return SessionView(state, {});
}

}  // namespace deft
