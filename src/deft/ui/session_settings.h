#pragma once

#include <optional>
#include <string>

#include "deft/config/merged_settings.h"

namespace deft {

// What a command line says about settings.
struct SettingsRequest {
  std::string directory;                  // canonical; where the session starts
  std::string given;                      // --settings: a file, or JSON itself; empty: none
  std::string managed = {};               // --managed-settings: the same, of whoever started us; strongest of all
  std::vector<std::string> allowed = {};  // rules of the command line
  std::vector<std::string> denied = {};
  std::vector<std::string> host_denied = {};  // rules of whoever drives us, about tools of servers
  std::vector<std::string> host_asked = {};
  WantedSources wanted = {};
  bool trust = false;  // --trust: for this run
};

struct SessionSettings {
  MergedSettings merged;
  std::vector<LoadedFile> files;  // the strongest first
  bool trusted = false;
};

// All the settings of a session. The error is one that the command line caused, or a wrong value in a file; a file that
// cannot be used at all is in `merged.problems`, and everything is asked for.
Result<SessionSettings> load_session_settings(const SettingsRequest& request);

}  // namespace deft
