#include "deft/agent/server_modes.h"

#include <utility>

namespace deft {

void ServerModes::set(const std::string& server, std::optional<Mode> mode) {
  const std::lock_guard lock(mutex_);
  if (mode) {
    modes_.insert_or_assign(server, *mode);
  } else {
    modes_.erase(server);
  }
}

std::shared_ptr<const Permissions> ServerModes::apply(std::shared_ptr<const Permissions> permissions,
                                                      const std::optional<McpToolName>& tool) const {
  const bool allows_by_itself = permissions->mode() == Mode::bypass || permissions->mode() == Mode::auto_;
  if (!tool || !allows_by_itself) return permissions;
  Mode wanted = Mode::normal;
  {
    const std::lock_guard lock(mutex_);
    const auto said = modes_.find(tool->server);
    if (said == modes_.end() || said->second == permissions->mode()) return permissions;
    wanted = said->second == Mode::auto_ ? Mode::auto_ : Mode::normal;
  }
  PermissionSetup setup = permissions->setup();
  setup.mode = wanted;
  return std::make_shared<const Permissions>(std::move(setup));
}

}  // namespace deft
