#include "warden/private_folder.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "warden/system.h"

namespace warden {

namespace {

constexpr char kOwnName[] = "/shell-XXXXXX";
constexpr std::size_t kCountDigitsMax = 24;
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool is_dots(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

// A folder that its owner may not enter is still the owner's.
int open_folder(int parent, const char* name) {
  int fd = openat(parent, name, kFolderFlags);
  if (fd >= 0 || errno != EACCES || fchmodat(parent, name, 0700, 0) != 0) return fd;
  return openat(parent, name, kFolderFlags);
}

class Removal {
 public:
  Removal(int top, std::int64_t give_up) : top_(top), give_up_(give_up) {}

  // Each round removes the first level and brings the second up to it, until there is none. False: it took too long.
  bool run() {
    while (!is_late()) {
      if (!empty_level(top_, /*is_top=*/true)) return true;
    }
    return false;
  }

 private:
  bool is_late() const { return now_millis() >= give_up_; }

  // True: something was there. Names that are added while a folder is read are seen or not; the next round sees them.
  bool empty_level(int folder, bool is_top) {
    DIR* entries = fdopendir(dup(folder));
    if (entries == nullptr) return false;
    rewinddir(entries);
    bool any = false;
    while (const dirent* entry = readdir(entries)) {
      if (is_dots(entry->d_name)) continue;
      if (is_late()) break;
      any = true;
      if (unlinkat(folder, entry->d_name, 0) == 0 || unlinkat(folder, entry->d_name, AT_REMOVEDIR) == 0) continue;
      if (is_top) {
        empty_folder(entry->d_name);
      } else {
        move_up(folder, entry->d_name);
      }
    }
    closedir(entries);
    return any;
  }
  void empty_folder(const char* name) {
    const int folder = open_folder(top_, name);
    if (folder < 0) return;
    empty_level(folder, /*is_top=*/false);
    close(folder);
    unlinkat(top_, name, AT_REMOVEDIR);
  }
  void move_up(int folder, const char* name) {
    char fresh[kCountDigitsMax];
    struct stat taken;
    do {
      std::snprintf(fresh, sizeof fresh, "%llu", ++moved_);
    } while (fstatat(top_, fresh, &taken, AT_SYMLINK_NOFOLLOW) == 0);
    // A folder that can't be written to can't be moved either: its parent's name changes.
    if (renameat(folder, name, top_, fresh) != 0 && fchmodat(folder, name, 0700, 0) == 0) {
      renameat(folder, name, top_, fresh);
    }
  }

  const int top_;
  const std::int64_t give_up_;
  unsigned long long moved_ = 0;
};

}  // namespace

std::uint32_t PrivateFolders::take(const char* parent, char (&path)[kFolderPathBytesMax]) {
  while (free_count_ > 0) {
    const std::uint32_t number = free_[--free_count_];
    if (path_of(number, path) && access(path, W_OK) == 0) return number;
  }
  // The second try is for a system that cleans up in /tmp.
  for (int tries = 0; tries < 2; ++tries) {
    if (own_[0] == '\0' && !make_own(parent)) return 0;
    const std::uint32_t number = ++made_count_;
    if (!path_of(number, path)) return 0;
    if (mkdir(path, 0700) == 0) return number;
    if (errno != ENOENT) return 0;
    own_[0] = '\0';
  }
  return 0;
}

void PrivateFolders::give_back(std::uint32_t number) {
  if (free_count_ < kFreeMax) free_[free_count_++] = number;
}

void PrivateFolders::prepare(const char* parent) {
  char path[kFolderPathBytesMax];
  if (const std::uint32_t number = take(parent, path); number != 0) give_back(number);
}

bool PrivateFolders::path_of(std::uint32_t number, char (&path)[kFolderPathBytesMax]) const {
  const int length = std::snprintf(path, sizeof path, "%s/%u", own_, number);
  if (length > 0 && static_cast<std::size_t>(length) < sizeof path) return true;
  errno = ENAMETOOLONG;
  return false;
}

bool PrivateFolders::make_own(const char* parent) {
  for (const char* place : {parent, "/tmp", "/var/tmp", "/dev/shm"}) {
    const std::size_t length = std::strlen(place);
    if (place[0] != '/' || length + sizeof kOwnName + kCountDigitsMax > sizeof own_) continue;
    std::memcpy(own_, place, length);
    std::memcpy(own_ + length, kOwnName, sizeof kOwnName);
    if (mkdtemp(own_) != nullptr) return true;
  }
  own_[0] = '\0';
  return false;
}

void PrivateFolders::remove_all() {
  if (own_[0] != '\0' && empty_folder(own_, now_millis() + kRemovalMillisMax)) rmdir(own_);
}

bool empty_folder(const char* path, std::int64_t give_up) {
  const int top = open_folder(AT_FDCWD, path);
  if (top < 0) return errno == ENOENT;
  const bool is_empty = Removal(top, give_up).run();
  close(top);
  return is_empty;
}

}  // namespace warden
