#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/rule.h"

// Where settings stand, and reading them. Beside deft's own places those of Claude Code are read, with the same
// meaning.

namespace deft {

// The ground on which settings are looked for. Absolute paths; empty: there is none.
struct SettingsPlaces {
  std::string directory;    // where the session starts
  std::string home;         // ~
  std::string config_home;  // $XDG_CONFIG_HOME or ~/.config
  std::string claude_home;  // $CLAUDE_CONFIG_DIR or ~/.claude
  std::string system = "/etc";
};
// From the environment, for a session that starts in this folder.
SettingsPlaces settings_places(std::string directory);

struct SettingsFile {
  SettingSource source = SettingSource::user;
  std::string path;  // "--settings" for what the command line gave as text
  std::string root;  // what "/p" means in its patterns
};

// Which of user, project and local are read; managed ones always are.
struct WantedSources {
  bool user = true, project = true, local = true;
};
// "user,project"; an empty text is none of them.
Result<WantedSources> parse_wanted_sources(std::string_view text);

// The folder that the local settings belong to: the root of the repository, of a linked worktree that of its main
// checkout. Where the session starts, if that is no repository, or the home, or somebody else's.
std::string local_settings_root(const SettingsPlaces& places);

// The strongest first; at one level deft's own file before the other.
std::vector<SettingsFile> settings_files(const SettingsPlaces& places, const WantedSources& wanted);

struct LoadedFile {
  SettingsFile file;
  bool exists = false;
  Json json = JsonObject{};  // an object
  PermissionRules rules = {};
  std::optional<std::string> problem{};  // why it cannot be used: then nothing of it counts, and calls are asked for
};
LoadedFile load_settings_file(const SettingsFile& file);
LoadedFile load_settings_text(const SettingsFile& file, std::string_view text);

}  // namespace deft
