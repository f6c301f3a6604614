#include <memory>
#include <utility>

#include "deft/agent/executor.h"
#include "deft/agent/executor_records.h"
#include "deft/base/check.h"

// What the session is beside its messages: calls that none of them makes, changes between them, and what ends with a
// turn.

namespace deft {

// For a call that belongs to no message. The turn may go on meanwhile: it has the session as it is now for itself.
std::shared_ptr<const Executor::Beside> Executor::beside(std::stop_token stop) {
  auto tools = pool();  // first: settings may have changed
  auto session = std::make_shared<const SessionState>(parts_.session);
  CallSetting setting{.session = SessionView(*session, {}),
                      .permissions = parts_.permissions,
                      .pool = std::move(tools),
                      .stop = std::move(stop),
                      .progress = [](const Json&) {}};
  return std::make_shared<const Beside>(Beside{std::move(session), std::move(setting)});
}

CallWithin Executor::gate(const std::string& id, std::stop_token stop) {
  return [this, id, beside = beside(std::move(stop))](std::string_view tool, Json input,
                                                      std::shared_ptr<const Permissions> permissions) {
    return parts_.pipeline.call_within(id, beside->setting, tool, std::move(input), std::move(permissions));
  };
}

Executor::HostGate Executor::host_gate(const std::string& id, CallPipeline::AskAndWait ask, std::stop_token stop) {
  return [this, id, ask = std::move(ask), beside = beside(std::move(stop))](std::string_view tool, Json input) {
    return parts_.pipeline.call_for_host(id, beside->setting, tool, std::move(input), ask);
  };
}

void Executor::change_session(const Modifier& modifier) {
  DEFT_CHECK(idle());
  parts_.session.apply(modifier);
  follow_session();
}

void Executor::add_directory(const std::string& directory) {
  DEFT_CHECK(idle());
  parts_.session.directories.push_back(directory);
  PermissionSetup next = parts_.permissions->setup();
  next.directories.push_back(directory);
  use_permissions(std::move(next));
}

// What a skill was granted lasts for its turn.
void Executor::end_grants() {
  parts_.session.grants.clear();
  parts_.pipeline.end_turn_of_hooks();
  follow_session();
}

}  // namespace deft
