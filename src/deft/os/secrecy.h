#pragma once

namespace deft {

// From now on nobody but root reads the memory or the environment of this process: no core file, no debugger, no
// /proc/PID/environ for other processes of the same user. For programs that hold a key; a library leaves that to its
// host. False: the kernel did not do it.
bool hide_memory();

}  // namespace deft
