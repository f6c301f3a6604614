#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "deft/agent/permission_store.h"
#include "deft/ui/file_looks.h"
#include "deft/ui/session_settings.h"

namespace deft {

// Which files the settings come from, and how they look from outside: a change of any of them is another text.
std::string settings_signature(const SettingsRequest& request);

// The settings files of a session: "always" is written to deft's own file of that level, and what changes on the disk
// counts from the next message on. A file that cannot be used any more allows nothing: until it is repaired everything
// is asked for.
class SettingsStore final : public PermissionStore {
 public:
  // `signature`: taken before the settings were read. `use_hooks`: whoever runs the hooks is told of new ones.
  SettingsStore(SettingsRequest request, std::string signature, PermissionSetup read,
                std::function<void(HookConfig)> use_hooks = nullptr)
      : request_(std::move(request)),
        signature_(std::move(signature)),
        last_(std::move(read)),
        use_hooks_(std::move(use_hooks)) {}

  Result<void> keep(SettingSource destination, const std::vector<std::string>& rules) override;
  std::optional<Changed> reload() override;
  // One key of deft's own file of that level, everything else as it was.
  Result<void> write(SettingSource destination, std::string_view key, const Json& value);
  // Something else was asked for: the next reload() reads it all again. On the turn's thread, between turns.
  void use(SettingsRequest request);

 private:
  bool looks_as_before() const;
  bool others_changed(std::string_view signature);
  // What `write` does to the file is our own doing.
  Result<void> write_own(const std::string& file, const std::function<Result<void>()>& write);

  SettingsRequest request_;
  std::string signature_;
  std::mutex own_mutex_;  // rules are kept on a worker
  // Under own_mutex_: whoever wanted them needs no telling.
  std::vector<std::string> being_written_;              // files
  std::string own_writes_;                              // how files looked when we had written them
  FileLooks looks_;                                     // of the same files, taken before the signature
  std::chrono::steady_clock::time_point looked_for_{};  // when it was found out which files these are
  bool is_changed_ = false;                             // by use()
  PermissionSetup last_;                                // that could be used
  std::function<void(HookConfig)> use_hooks_;
};

}  // namespace deft
