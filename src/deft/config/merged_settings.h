#pragma once

#include <string>
#include <vector>

#include "deft/config/settings.h"
#include "deft/config/settings_files.h"
#include "deft/core/hook_config.h"
#include "deft/core/permission.h"

namespace deft {

// A value of the merged settings and the file that it comes from.
struct SettingOrigin {
  std::string key;    // "permissions.defaultMode"
  std::string value;  // as JSON
  std::string file;
};

// All sources as one. Scalars: the strongest source wins. Objects are merged, lists are joined. Of a folder that is not
// trusted only deny and ask rules count.
struct MergedSettings {
  Settings settings;            // without its rules
  PermissionSetup permissions;  // sources, mode, policy and additional directories; nothing of the disk
  HookConfig hooks;
  JsonObject values;  // what counts of all files together
  std::vector<SettingOrigin> origins;
  std::vector<std::string> problems;  // of files, rules and hooks, for people
};

// `files` the strongest first. An error only where a known key has a wrong value: it names the file.
Result<MergedSettings> merge_settings(const std::vector<LoadedFile>& files, const SettingsPlaces& places, bool trusted);

}  // namespace deft
