#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/hook_sample.h"
#include "deft/agent/user_hooks.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/temp_folder.h"

namespace deft {

// Hooks from settings, with real programs, in a folder of the test's own.
class HookBench {
 public:
  explicit HookBench(std::string_view hooks_json = "{}", SettingSource source = SettingSource::user);

  // One command hook for this event; `more` are further fields: R"(,"timeout":1)".
  static std::string one_command(HookEvent event, std::string_view command, std::string_view more = {});

  // What comes of a sample of this event.
  HookOutcome run(HookEvent event, std::stop_token stop = {});
  HookOutcome run(HookEvent event, std::string_view fields_json, std::stop_token stop = {});
  UserHooks& hooks();  // made at the first use, from what stands below

  TempFolder folder;
  HookConfig config;
  HttpClient* http = nullptr;
  HookServices services = {};
  std::vector<std::string> environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nowhere"};
  HookSession session = {};

 private:
  SystemClock clock_;
  WardenProcesses processes_{clock_};
  std::unique_ptr<UserHooks> hooks_;
};

}  // namespace deft
