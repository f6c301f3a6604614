#include <memory>
#include <utility>

#include "deft/agent/executor.h"
#include "deft/agent/executor_records.h"
#include "deft/base/check.h"

// What the session is beside its messages: calls that none of them makes, changes between them, and what ends with a
// turn.

namespace deft {

CallWithin Executor::gate(const std::string& id, std::stop_token stop) {
  auto tools = pool();                                                        // first: settings may have changed
  const auto session = std::make_shared<const SessionState>(parts_.session);  // the turn may go on without us
  CallSetting setting{.session = SessionView(*session, {}),
                      .permissions = parts_.permissions,
                      .pool = std::move(tools),
                      .stop = std::move(stop),
                      .progress = [](const Json&) {}};
  return [this, id, session, setting = std::move(setting)](std::string_view tool, Json input,
                                                           std::shared_ptr<const Permissions> permissions) {
    return parts_.pipeline.call_within(id, setting, tool, std::move(input), std::move(permissions));
  };
}

void Executor::change_session(const Modifier& modifier) {
  DEFT_CHECK(idle());
  parts_.session.apply(modifier);
  follow_session();
}

// What a skill was granted lasts for its turn.
void Executor::end_grants() {
  parts_.session.grants.clear();
  parts_.pipeline.end_turn_of_hooks();
  follow_session();
}

}  // namespace deft
