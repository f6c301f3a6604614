#pragma once

#include <string>
#include <vector>

namespace deft {

// From now on nobody but root reads the memory or the environment of this process: no core file, no debugger, no
// /proc/PID/environ for other processes of the same user. For programs that hold a key; a library leaves that to its
// host. False: the kernel did not do it.
bool hide_memory();

// The values of environment variables whose names say that they are secret: …_KEY, …_TOKEN, …_SECRET, …PASSWORD ….
std::vector<std::string> secrets_of_environment();
// The same of another one, NAME=VALUE each.
std::vector<std::string> secrets_among(const std::vector<std::string>& environment);

}  // namespace deft
