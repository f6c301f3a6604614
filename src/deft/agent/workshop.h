#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deft/agent/call_ids.h"
#include "deft/agent/hook_runner.h"
#include "deft/agent/permission_store.h"
#include "deft/agent/result_store.h"
#include "deft/agent/server_modes.h"
#include "deft/agent/session_slots.h"
#include "deft/agent/temporary_session.h"
#include "deft/os/disk_files.h"
#include "deft/os/file_changes.h"
#include "deft/os/warden_processes.h"
#include "deft/tools/tool.h"

namespace deft {

struct WorkshopOptions {
  std::optional<std::string> session_folder = std::nullopt;  // nothing: a temporary one, removed at the end
  HookRunner* hooks = nullptr;                               // outlives the workshop; nothing: none run
  PermissionStore* store = nullptr;   // outlives the workshop; nothing: rules live as long as the session
  const Clock* clock = nullptr;       // outlives the workshop; nothing: the system's
  OutputQuota quota = {};             // of what is stored of results
  std::size_t slots = kSlotsDefault;  // calls that may work at once, of all agents together
  Survives survives = Survives::killed;
};

// What all agents of a session have in common: the machine (files, processes, time), the session's folder with what is
// kept there, the user's hooks and where their settings are written. What one agent has of its own is its Engine's.
// Outlives every engine that works in it; any thread may use any part.
class Workshop {
 public:
  static Result<std::unique_ptr<Workshop>> open(WorkshopOptions options);
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  Os os() { return {files_, processes_, clock_}; }
  void prepare_commands() { processes_.prepare(); }  // one may come soon
  const Clock& clock() const { return clock_; }
  Survives survives() const { return options_.survives; }
  const std::string& folder() const { return folder_; }
  HookRunner& hooks() { return options_.hooks ? *options_.hooks : no_hooks_; }
  PermissionStore* store() { return options_.store; }
  const ResultStore& results() const { return results_; }
  FileChanges& changes() { return changes_; }
  CallIds& ids() { return ids_; }
  SessionSlots& slots() { return slots_; }
  ServerModes& server_modes() { return server_modes_; }
  // Files that a session that was killed had left half-written: their old content is back. Told once, at the start.
  std::vector<std::string> recover_files() { return files_.recover(); }
  // What a process that was killed in the middle of calls of this session has left beside the files that they changed.
  void remove_leftovers();

 private:
  Workshop(WorkshopOptions options, std::optional<TemporarySession> temporary);

  WorkshopOptions options_;
  std::optional<TemporarySession> temporary_;  // first, so last to go
  const std::string folder_;
  SystemClock system_clock_;
  const Clock& clock_;
  DiskFiles files_;
  WardenProcesses processes_{system_clock_};  // programs live in real time
  NoHooks no_hooks_;
  ResultStore results_;
  FileChanges changes_;
  CallIds ids_;
  SessionSlots slots_;
  ServerModes server_modes_;
};

}  // namespace deft
