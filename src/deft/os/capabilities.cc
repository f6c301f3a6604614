#include "deft/os/capabilities.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "deft/os/unique_fd.h"
#include "warden/own_cgroup.h"

namespace deft {

namespace {

constexpr long kLandlockCreateRuleset = 444;
constexpr unsigned kLandlockAskVersion = 1;
constexpr std::uint32_t kLandlockTruncation = 3;
constexpr std::uint32_t kLandlockSignals = 6;

std::uint32_t landlock_version() {
  const long version = ::syscall(kLandlockCreateRuleset, nullptr, 0, kLandlockAskVersion);
  return version > 0 ? static_cast<std::uint32_t>(version) : 0;
}

bool has_seccomp_filter() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

std::string own_cgroup() {
  char path[warden::kCgroupPathBytesMax];
  if (!warden::find_own_cgroup(path)) return {};
  // The file that ends all came with Linux 5.14. The topmost group, which never has it, doesn't tell.
  const std::string folder = path;
  return ::access((folder + "/cgroup.kill").c_str(), F_OK) == 0 ||
                 ::access((folder + "/cgroup.type").c_str(), F_OK) != 0
             ? folder
             : std::string();
}

// Nothing: there is no such setting.
std::optional<long> setting(const char* path) {
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  char text[32] = {};
  if (!file || ::read(file.get(), text, sizeof text - 1) <= 0) return std::nullopt;
  return std::strtol(text, nullptr, 10);
}

bool may_make_user_namespaces() {
  return ::access("/proc/self/ns/user", F_OK) == 0 && setting("/proc/sys/user/max_user_namespaces").value_or(1) > 0 &&
         setting("/proc/sys/kernel/unprivileged_userns_clone").value_or(1) > 0 &&
         setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").value_or(0) == 0;
}

std::string landlock_text(std::uint32_t version) {
  if (version == 0) return "not in this kernel: commands judged read-only are treated as if they were not";
  std::string text = "version " + std::to_string(version);
  if (version < kLandlockTruncation) return text + "; truncation is refused by system call instead";
  if (version < kLandlockSignals) return text + "; signals are refused by system call instead";
  return text;
}

}  // namespace

bool can_run_read_only() { return landlock_version() > 0 && has_seccomp_filter(); }

SystemCapabilities probe_capabilities() {
  SystemCapabilities found;
  found.landlock_version = landlock_version();
  found.seccomp_filter = has_seccomp_filter();
  found.read_only_commands = found.landlock_version > 0 && found.seccomp_filter;
  found.cgroup = own_cgroup();
  found.ending = found.cgroup.empty() ? EndingMethod::subreaper : EndingMethod::cgroup;
  found.user_namespaces = may_make_user_namespaces();
  found.proc_mounted = ::access("/proc/self/stat", R_OK) == 0;
  found.is_root = ::geteuid() == 0;
  return found;
}

std::vector<CapabilityLine> explain(const SystemCapabilities& capabilities) {
  const bool has_groups = capabilities.ending == EndingMethod::cgroup;
  return {
      {"proc", capabilities.proc_mounted, capabilities.proc_mounted ? "mounted" : "not mounted: no command can run"},
      {"landlock", capabilities.landlock_version > 0, landlock_text(capabilities.landlock_version)},
      {"seccomp", capabilities.seccomp_filter,
       capabilities.seccomp_filter ? "filters work" : "no filters: no command can run read-only"},
      {"read-only commands", capabilities.read_only_commands,
       capabilities.read_only_commands ? "what is judged read-only can change nothing" : "can't be enforced here"},
      {"ending commands", true,
       has_groups
           ? "by a cgroup for each, below " + capabilities.cgroup
           : "each has a supervisor that inherits its orphans, stops all and kills all; no cgroup of ours to use"},
      {"user namespaces", capabilities.user_namespaces,
       capabilities.user_namespaces ? "can be made" : "can't be made by ordinary users"},
      {"user", !capabilities.is_root,
       capabilities.is_root ? "root: a command that is not restricted may do anything, and no limit of processes holds"
                            : "an ordinary user"},
  };
}

}  // namespace deft
