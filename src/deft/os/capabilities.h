#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What this system lets us do to commands, for a person who wants to know. Asking starts nothing, changes nothing and
// costs a few system calls. What is not there is never assumed later: a command that needs it is refused.

namespace deft {

enum class EndingMethod {
  cgroup,     // one write ends all of a command, whatever it forks meanwhile
  subreaper,  // its supervisor inherits every orphan, stops all and kills all
};

struct SystemCapabilities {
  std::uint32_t landlock_version = 0;  // 0: none
  bool seccomp_filter = false;
  bool read_only_commands = false;  // both of the above
  std::string cgroup{};             // below it commands get groups of their own; empty: they don't
  EndingMethod ending = EndingMethod::subreaper;
  bool user_namespaces = false;  // may an ordinary user make one
  bool proc_mounted = false;     // without it no command runs at all
  bool is_root = false;
};

SystemCapabilities probe_capabilities();
// Only whether commands can be run read-only; two system calls.
bool can_run_read_only();

// One line for each, in plain words.
struct CapabilityLine {
  std::string_view name;
  bool is_good = false;  // as we would like it
  std::string text;
};
std::vector<CapabilityLine> explain(const SystemCapabilities& capabilities);

}  // namespace deft
