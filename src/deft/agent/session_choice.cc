#include "deft/agent/session_choice.h"

#include "deft/agent/session_index.h"

namespace deft {

Result<SessionPlace> choose_session(const SessionStore& store, const SessionChoice& choice, const Clock& clock) {
  const bool is_old = choice.resume || choice.go_on;
  if (choice.resume && choice.go_on) return fail(Errc::invalid_input, "Give --resume or --continue, not both.");
  if (choice.fork && !is_old) return fail(Errc::invalid_input, "--fork-session needs --resume or --continue.");
  if (choice.session_id && is_old && !choice.fork) {
    return fail(Errc::invalid_input, "--session-id is for a new session: add --fork-session to make one.");
  }
  if (!is_old) return store.create(choice.directory, clock, choice.session_id);
  auto found = choice.resume ? find_session(store, *choice.resume) : store.latest(choice.directory);
  if (!found || !choice.fork) return found;
  return store.fork(*found, clock, choice.session_id);
}

}  // namespace deft
