#include "deft/os/folder_listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace deft {
namespace {

constexpr std::size_t kListingBytes = std::size_t{256} << 10;
constexpr std::size_t kReadBytes = std::size_t{32} << 10;

// What getdents64() writes.
struct KernelEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];  // as long as it is, and a zero byte
};

FolderListing::Kind kind_of_mode(mode_t mode) {
  if (S_ISREG(mode)) return FolderListing::Kind::file;
  if (S_ISDIR(mode)) return FolderListing::Kind::folder;
  return S_ISLNK(mode) ? FolderListing::Kind::link : FolderListing::Kind::other;
}

FolderListing::Kind kind_of(const KernelEntry& entry, int folder) {
  switch (entry.type) {
    case DT_REG: return FolderListing::Kind::file;
    case DT_DIR: return FolderListing::Kind::folder;
    case DT_LNK: return FolderListing::Kind::link;
    case DT_UNKNOWN: break;  // some file systems do not say
    default: return FolderListing::Kind::other;
  }
  struct stat found{};
  if (::fstatat(folder, entry.name, &found, AT_SYMLINK_NOFOLLOW) != 0) return FolderListing::Kind::other;
  return kind_of_mode(found.st_mode);
}

bool is_self_or_parent(const char* name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

}  // namespace

bool FolderListing::read(int folder) {
  buffer_.resize(kListingBytes);
  entries_.clear();
  complete_ = false;
  std::size_t used = 0;
  while (used + kReadBytes <= buffer_.size()) {
    const long got = ::syscall(SYS_getdents64, folder, buffer_.data() + used, kReadBytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) {
      complete_ = true;
      break;
    }
    used += static_cast<std::size_t>(got);
  }
  for (std::size_t at = 0; at < used;) {
    const auto* entry = reinterpret_cast<const KernelEntry*>(buffer_.data() + at);
    at += entry->length;
    if (!is_self_or_parent(entry->name)) entries_.push_back({entry->name, kind_of(*entry, folder)});
  }
  return true;
}

}  // namespace deft
