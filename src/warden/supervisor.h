#pragma once

#include <sys/resource.h>

#include <cstdint>

#include "warden/command_groups.h"
#include "warden/descendants.h"
#include "warden/launch.h"
#include "warden/private_folder.h"

namespace warden {

// How long what a command left behind may take to end by itself before it is called a leftover and killed: the reader
// of a process substitution, for one, outlives its shell by a moment. On a busy machine the moment is longer, so those
// that are at work get up to the maximum; those that only sleep or wait don't.
inline constexpr int kSettleMillis = 25;
inline constexpr int kSettleMillisMax = 200;
// After this what can't be ended is reported as surviving: it belongs to another user, or the kernel doesn't let it go.
inline constexpr int kEndingMillisMax = 5000;

// Exit codes of a supervisor, for the warden only.
inline constexpr int kSupervisorDone = 0;
inline constexpr int kSupervisorLeftSurvivors = 1;
inline constexpr int kSupervisorLeftFiles = 2;
inline constexpr int kSupervisorKilledGroup = 3;  // all is well, but the cgroup can't be used again

struct Assignment {
  Descriptors descriptors;
  std::uint32_t command_bytes = 0;
  int warden_alive = -1;                  // its other end is closed when the warden dies
  rlimit open_files{};                    // what deft had
  int group = -1;                         // the command's own cgroup, if there are any
  const char* groups_of_warden = "";      // above it; empty: none
  char folder[kFolderPathBytesMax] = {};  // the command's own, if it is restricted: removed at its end
  const char* folders_of_warden = "";     // above it; empty: none
};

// The whole life of one command's supervisor: starts it, waits, ends every descendant, reports. It is a process of
// its own because orphans go to the nearest subreaper: one for all commands could not tell whose they are.
// `descendants` is only scratch memory, too large for the stack.
[[noreturn]] void supervise(const Assignment& assignment, Descendants& descendants);

}  // namespace warden
