#pragma once

#include <string>
#include <vector>

#include "deft/agent/user_hooks.h"
#include "deft/os/system_http_client.h"
#include "deft/os/warden_processes.h"

namespace deft {

// The hooks of a session, with all that they need on this machine. Costs next to nothing until a hook runs: processes
// and connections are made then. Outlives the engine.
class HookSetup {
 public:
  // `project`: the folder in which the session starts. `services`: for hooks that ask a model or a server's tool.
  HookSetup(HookConfig config, std::string project, HookServices services = {});

  // Before the first call: which session it is.
  void begin_session(const std::string& id, const std::string& folder);
  // Settings have changed.
  void use(HookConfig config);
  UserHooks& runner() { return runner_; }

 private:
  HookSetup(HookConfig config, std::string project, HookServices services, std::vector<std::string> environment);

  std::string project_;
  SystemClock clock_;
  WardenProcesses processes_{clock_};
  SystemHttpClient http_;
  UserHooks runner_;
};

}  // namespace deft
