#pragma once

#include <cstdint>

namespace warden {

// The version of Landlock that the kernel speaks; 0: none.
std::uint32_t landlock_version();

// From here on this thread, and whatever it becomes or starts, writes only below `folder`, to `file` if that is not
// empty, and to /dev/null, /dev/zero and /dev/full; reading and executing are left as they were. As far as `version`
// goes it also opens no TCP connection (4), controls no device (5), and reaches no process outside, be it by a signal
// or an abstract socket (6). False: errno. Needs no_new_privs. Makes only system calls.
bool landlock_read_only(std::uint32_t version, const char* folder, const char* file);

}  // namespace warden
