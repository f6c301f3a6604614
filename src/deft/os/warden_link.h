#pragma once

#include <sys/types.h>

#include <mutex>
#include <span>

#include "deft/base/result.h"
#include "deft/os/unique_fd.h"
#include "warden/protocol.h"

namespace deft {

// How the warden's program, which is carried inside this one, becomes a process.
enum class ImageRoute {
  memory,  // from an anonymous file in memory
  file,    // from a private temporary file that is gone when this returns; for systems that refuse the former
};

struct StartedWarden {
  pid_t pid = -1;
  UniqueFd requests;
};
Result<StartedWarden> start_warden(ImageRoute route);

// The connection to this process's one warden. The warden starts with the first command, is started anew should it have
// died, and ends, with everything that it owns, when this is destroyed. Any thread may send.
class WardenLink {
 public:
  WardenLink() = default;
  WardenLink(const WardenLink&) = delete;
  WardenLink& operator=(const WardenLink&) = delete;
  ~WardenLink();

  // Starts it now, and hands it this, which has no command (warden/protocol.h). Should that fail, the first command
  // says why.
  void prepare(const warden::StartRequest& what);
  // Hands a command over; the caller keeps its own copies of the descriptors. Who has it.
  Result<pid_t> send(const warden::StartRequest& request, std::span<const int> descriptors);
  // Wakes a warden that some command has stopped (SIGSTOP). Harmless otherwise.
  void nudge();
  // It has been killed, as one of its commands tells, and may not be gone yet: no other command shall be handed to it.
  void await_death(pid_t warden);

 private:
  Result<void> start();  // under mutex_
  void end();            // under mutex_
  void wake();           // under mutex_

  std::mutex mutex_;
  StartedWarden warden_;  // under mutex_
  pid_t owner_ = -1;      // under mutex_; a process that was forked from us has no warden yet
};

}  // namespace deft
