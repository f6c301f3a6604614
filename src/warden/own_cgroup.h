#pragma once

#include <cstddef>
#include <cstdio>
#include <cstring>

#include <unistd.h>

// Which cgroup (version 2) this process is in, and whether commands can have groups of their own below it. In a header,
// because both deft, to tell the user, and its warden, to use it, ask.

namespace warden {

inline constexpr std::size_t kCgroupPathBytesMax = 512;

namespace own_cgroup_parts {

// The mount point of the hierarchy, if it is mounted whole.
inline bool find_mount(char* path, std::size_t capacity) {
  std::FILE* mounts = std::fopen("/proc/self/mountinfo", "re");
  if (mounts == nullptr) return false;
  static char line[4096];
  bool is_found = false;
  while (!is_found && std::fgets(line, sizeof line, mounts) != nullptr) {
    // ID PARENT DEVICE ROOT POINT OPTIONS … - TYPE SOURCE OPTIONS
    char root[64];
    char point[kCgroupPathBytesMax];
    const char* type = std::strstr(line, " - cgroup2 ");
    if (type == nullptr || std::sscanf(line, "%*s %*s %*s %63s %511s", root, point) != 2) continue;
    is_found = std::strcmp(root, "/") == 0 && std::strlen(point) < capacity;
    if (is_found) std::strcpy(path, point);
  }
  std::fclose(mounts);
  return is_found;
}

inline bool append_own_path(char* path, std::size_t capacity) {
  std::FILE* groups = std::fopen("/proc/self/cgroup", "re");
  if (groups == nullptr) return false;
  static char line[4096];
  bool is_found = false;
  while (!is_found && std::fgets(line, sizeof line, groups) != nullptr) {
    if (std::strncmp(line, "0::/", 4) != 0) continue;
    line[std::strcspn(line, "\n")] = '\0';
    const char* own = std::strcmp(line + 3, "/") == 0 ? "" : line + 3;
    is_found = std::strstr(own, "/..") == nullptr && std::strlen(path) + std::strlen(own) < capacity;
    if (is_found) std::strcat(path, own);
  }
  std::fclose(groups);
  return is_found;
}

}  // namespace own_cgroup_parts

// False: there is none in which this user may make others. Nothing is tried.
inline bool find_own_cgroup(char (&path)[kCgroupPathBytesMax]) {
  using namespace own_cgroup_parts;
  if (!find_mount(path, sizeof path) || !append_own_path(path, sizeof path)) return false;
  char procs[kCgroupPathBytesMax + 16];
  std::snprintf(procs, sizeof procs, "%s/cgroup.procs", path);
  // Who may put a process into it may let a process begin below it.
  return access(path, W_OK) == 0 && access(procs, W_OK) == 0;
}

}  // namespace warden
