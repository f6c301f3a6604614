#include "warden/landlock.h"

#include <cerrno>
#include <cstddef>
#include <initializer_list>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace warden {

namespace {

// Declared here: the headers of the systems that we are built on end before the kernels that we run on.
constexpr long kCreateRuleset = 444;  // the same on every architecture
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr unsigned kPathBeneath = 1;

struct Ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scoped;
};
struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t folder;
};

constexpr std::uint64_t kWriteFile = 1u << 1;
constexpr std::uint64_t kRemoveFolder = 1u << 4;
constexpr std::uint64_t kRemoveFile = 1u << 5;
constexpr std::uint64_t kMakeCharacterDevice = 1u << 6;
constexpr std::uint64_t kMakeFolder = 1u << 7;
constexpr std::uint64_t kMakeFile = 1u << 8;
constexpr std::uint64_t kMakeSocket = 1u << 9;
constexpr std::uint64_t kMakeFifo = 1u << 10;
constexpr std::uint64_t kMakeBlockDevice = 1u << 11;
constexpr std::uint64_t kMakeLink = 1u << 12;
constexpr std::uint64_t kMoveBetweenFolders = 1u << 13;  // version 2; before it nobody may
constexpr std::uint64_t kTruncate = 1u << 14;            // version 3
constexpr std::uint64_t kControlDevice = 1u << 15;       // version 5
constexpr std::uint64_t kBindAndConnect = 3;             // version 4
constexpr std::uint64_t kAbstractSocketsAndSignals = 3;  // version 6

constexpr std::uint64_t kInFolder = kWriteFile | kRemoveFolder | kRemoveFile | kMakeFolder | kMakeFile | kMakeFifo |
                                    kMakeLink | kMoveBetweenFolders | kTruncate;
constexpr std::uint64_t kNowhere = kMakeCharacterDevice | kMakeBlockDevice | kMakeSocket | kControlDevice;

std::uint64_t known_to(std::uint32_t version) {
  std::uint64_t known = kInFolder | kNowhere;
  if (version < 2) known &= ~kMoveBetweenFolders;
  if (version < 3) known &= ~kTruncate;
  if (version < 5) known &= ~kControlDevice;
  return known;
}

bool allow(int ruleset, const char* path, int flags, std::uint64_t accesses) {
  const int place = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW | flags);
  if (place < 0) return false;
  const PathRule rule{.allowed = accesses, .folder = place};
  const bool added = syscall(kAddRule, ruleset, kPathBeneath, &rule, 0) == 0;
  const int error = errno;
  close(place);
  errno = error;
  return added;
}

}  // namespace

std::uint32_t landlock_version() {
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return version > 0 ? static_cast<std::uint32_t>(version) : 0;
}

bool landlock_read_only(std::uint32_t version, const char* folder, const char* file) {
  if (version == 0) {
    errno = EOPNOTSUPP;
    return false;
  }
  const std::uint64_t known = known_to(version);
  const Ruleset wanted{.files = known,
                       .network = version >= 4 ? kBindAndConnect : 0,
                       .scoped = version >= 6 ? kAbstractSocketsAndSignals : 0};
  // An older kernel takes the start of the structure only.
  const std::size_t bytes = version >= 6   ? sizeof wanted
                            : version >= 4 ? offsetof(Ruleset, scoped)
                                           : offsetof(Ruleset, network);
  const int ruleset = static_cast<int>(syscall(kCreateRuleset, &wanted, bytes, 0));
  if (ruleset < 0) return false;
  if (!allow(ruleset, folder, O_DIRECTORY, kInFolder & known)) return false;
  if (file[0] != '\0' && !allow(ruleset, file, 0, (kWriteFile | kTruncate) & known)) return false;
  for (const char* sink : {"/dev/null", "/dev/zero", "/dev/full"}) {
    // A container may lack one; then nobody can write to it either.
    if (!allow(ruleset, sink, 0, (kWriteFile | kTruncate) & known) && errno != ENOENT) return false;
  }
  if (syscall(kRestrictSelf, ruleset, 0) != 0) return false;
  close(ruleset);
  return true;
}

}  // namespace warden
