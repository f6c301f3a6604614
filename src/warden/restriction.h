#pragma once

#include <cstdint>

#include "warden/syscall_filter.h"

namespace warden {

// Everything that a command judged read-only gives up before it becomes the command. Prepared by its supervisor, so
// that only system calls are left for the moment between fork and exec.
class ReadOnly {
 public:
  // `landlock_version_max` is for tests, which pretend that the kernel is older. `file` may be empty. False: errno.
  bool prepare(std::uint32_t landlock_version_max, const char* folder, const char* file);
  bool apply() const;  // in the command's process. False: errno; it must not go on

 private:
  std::uint32_t landlock_version_ = 0;
  const char* folder_ = nullptr;
  const char* file_ = nullptr;
  SyscallFilter filter_;
};

}  // namespace warden
