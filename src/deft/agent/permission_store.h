#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "deft/base/result.h"
#include "deft/core/permission.h"

namespace deft {

// Where permissions come from, and where "always allow" is written down.
class PermissionStore {
 public:
  virtual ~PermissionStore() = default;

  // Adds allow rules to the settings of this source, for later sessions. Called on workers, several at once; may wait
  // for another process that writes there.
  virtual Result<void> keep(SettingSource destination, const std::vector<std::string>& rules) = 0;

  // What the settings say now, if they have changed since they were read last. Called on the turn's thread when a
  // message begins: as good as free if nothing has changed. Rules, policy and trust are taken from it; mode and
  // directories stay those of the session.
  struct ChangedFile {
    SettingSource source = SettingSource::user;
    std::string path;
  };
  struct Changed {
    PermissionSetup setup;
    std::vector<std::string> notices;
    std::vector<ChangedFile> files = {};    // which ones; nothing: nobody can object
    std::function<void()> adopt = nullptr;  // called on the turn's thread when they come into force
  };
  virtual std::optional<Changed> reload() = 0;
};

}  // namespace deft
