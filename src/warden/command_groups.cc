#include "warden/command_groups.h"

#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "warden/protocol.h"
#include "warden/system.h"

namespace warden {

void CommandGroups::make_own() {
  is_tried_ = true;
  char parent[kCgroupPathBytesMax];
  if (!find_own_cgroup(parent)) return;
  char path[kGroupPathBytesMax];
  std::snprintf(path, sizeof path, "%s/%s-XXXXXX", parent, kWardenName);
  if (mkdtemp(path) == nullptr) return;
  char kill_file[kGroupPathBytesMax + 16];
  std::snprintf(kill_file, sizeof kill_file, "%s/cgroup.kill", path);
  if (access(kill_file, W_OK) == 0) {
    std::snprintf(own_, sizeof own_, "%s", path);
  } else {
    rmdir(path);  // before Linux 5.14
  }
}

void CommandGroups::path_of(std::uint32_t number, char (&path)[kGroupPathBytesMax]) const {
  std::snprintf(path, sizeof path, "%.*s/%u", static_cast<int>(sizeof path - 16), own_, number);
}

int CommandGroups::take(std::uint32_t& number) {
  if (!is_tried_) make_own();
  if (own_[0] == '\0') return -1;
  number = free_count_ > 0 ? free_[--free_count_] : ++made_count_;
  char path[kGroupPathBytesMax];
  path_of(number, path);
  int group = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (group < 0 && mkdir(path, 0755) == 0) group = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return group;
}

void CommandGroups::prepare() {
  std::uint32_t number = 0;
  const int group = take(number);
  if (group < 0) return;
  close(group);
  give_back(number);
}

void CommandGroups::give_back(std::uint32_t number) {
  if (free_count_ < kFreeMax) free_[free_count_++] = number;
}

void CommandGroups::remove(std::uint32_t number) {
  char path[kGroupPathBytesMax];
  path_of(number, path);
  if (rmdir(path) == 0) give_back(number);  // the number; the group is made anew
}

void CommandGroups::kill_all() const {
  if (own_[0] == '\0') return;
  const int group = open(own_, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  kill_group(group);
  close(group);
}

void CommandGroups::remove_all() {
  if (own_[0] != '\0') remove_with_empty_ones(own_);
}

bool kill_group(int group) {
  const int file = openat(group, "cgroup.kill", O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_done = write(file, "1", 1) == 1;
  close(file);
  return is_done;
}

}  // namespace warden
