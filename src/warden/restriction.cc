#include "warden/restriction.h"

#include <cerrno>

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "warden/landlock.h"

namespace warden {

namespace {

// Root may read everything, and keeps that right alone: without it commands would see less than root's own reading
// tools do, and every other one is a way to change something. Others keep none. With no_new_privs what is given up here
// stays so, although root's programs otherwise start with all that the bounding set holds.
constexpr unsigned kKept = CAP_DAC_READ_SEARCH;

bool drop_capabilities() {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, sets) != 0) return false;
  const std::uint32_t kept = sets[0].permitted & (1u << kKept);
  sets[0] = {.effective = kept, .permitted = kept, .inheritable = 0};
  sets[1] = {.effective = 0, .permitted = 0, .inheritable = 0};
  return syscall(SYS_capset, &header, sets) == 0;
}

}  // namespace

bool ReadOnly::prepare(std::uint32_t landlock_version_max, const char* folder, const char* file) {
  const std::uint32_t version = landlock_version();
  landlock_version_ = version < landlock_version_max ? version : landlock_version_max;
  folder_ = folder;
  file_ = file;
  if (landlock_version_ == 0) {
    errno = EOPNOTSUPP;
    return false;
  }
  if (build_read_only_filter(landlock_version_, filter_)) return true;
  errno = E2BIG;
  return false;
}

bool ReadOnly::apply() const {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && drop_capabilities() &&
         landlock_read_only(landlock_version_, folder_, file_) && install_filter(filter_);
}

}  // namespace warden
