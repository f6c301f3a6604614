#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <cstdint>

// What Landlock can't refuse, seccomp does. The filter lists the system calls that can't change anything outside their
// own process, or change only what Landlock governs (opening for writing, making and removing names), and refuses all
// others with EPERM; those that came after this list was made don't exist (ENOSYS), so programs do without. So it is
// closed against what nobody thought of: a forgotten call makes some program fail, never a change possible.
//
// What is refused this way, beside what needs a privilege anyway: every socket but a connected pair, io_uring, changing
// modes, owners, times and attributes, ptrace and its relatives, keys, System V and POSIX queues and shared memory,
// namespaces, mounts, signals to others where Landlock can't bound them (before version 6), the foreign ABIs of the
// processor.

namespace warden {

inline constexpr std::size_t kFilterInstructionsMax = 1024;

struct SyscallFilter {
  sock_filter code[kFilterInstructionsMax];
  unsigned short size = 0;
};

// False: the list has grown beyond what a filter can hold.
bool build_read_only_filter(std::uint32_t landlock_version, SyscallFilter& filter);

// Needs no_new_privs. False: errno.
bool install_filter(const SyscallFilter& filter);

}  // namespace warden
