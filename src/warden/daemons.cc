#include "warden/daemons.h"

#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "warden/system.h"

namespace warden {

namespace {

constexpr std::size_t kCommandLineBytesMax = 8192;
constexpr std::size_t kPathBytesMax = 4096;

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// * stands for anything; the place after the last one is where a mismatch goes back to.
bool matches(const char* pattern, const char* text) {
  const char* after_star = nullptr;
  const char* retry = nullptr;
  while (*text != '\0') {
    if (*pattern == '*') {
      after_star = ++pattern;
      retry = text;
    } else if (*pattern == *text) {
      ++pattern;
      ++text;
    } else if (after_star != nullptr) {
      pattern = after_star;
      text = ++retry;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return *pattern == '\0';
}

struct Names {
  char command_line[kCommandLineBytesMax];  // arguments separated by spaces
  char first[kCommandLineBytesMax];         // the first argument
  char own[32];                             // comm
  char file[kPathBytesMax];
};

void read_names(pid_t pid, Names& names) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
  ssize_t length = read_small_file(path, names.command_line, sizeof names.command_line);
  if (length < 0) names.command_line[0] = '\0';
  std::strcpy(names.first, names.command_line);
  while (length > 0 && names.command_line[length - 1] == '\0') --length;
  for (ssize_t i = 0; i < length; ++i) {
    if (names.command_line[i] == '\0') names.command_line[i] = ' ';
  }
  std::snprintf(path, sizeof path, "/proc/%d/comm", pid);
  if (read_small_file(path, names.own, sizeof names.own) < 0) names.own[0] = '\0';
  names.own[std::strcspn(names.own, "\n")] = '\0';
  std::snprintf(path, sizeof path, "/proc/%d/exe", pid);
  const ssize_t file_length = readlink(path, names.file, sizeof names.file - 1);
  names.file[file_length < 0 ? 0 : file_length] = '\0';
}

bool is_named(const Names& names, const char* name) {
  if (name[0] == '\0') return false;
  return std::strcmp(base_name(names.first), name) == 0 || std::strcmp(names.own, name) == 0 ||
         std::strcmp(base_name(names.file), name) == 0;
}

bool is_among(pid_t pid, const pid_t* list, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (list[i] == pid) return true;
  }
  return false;
}

}  // namespace

bool is_daemon(pid_t pid, char* const* patterns) {
  static Names names;
  read_names(pid, names);
  for (; *patterns != nullptr; ++patterns) {
    if (std::strchr(*patterns, '*') != nullptr ? matches(*patterns, names.command_line) : is_named(names, *patterns)) {
      return true;
    }
  }
  return false;
}

std::size_t find_daemons(const Descendants& found, char* const* patterns, pid_t (&daemons)[kDaemonsKeptMax]) {
  // Parents come before children, so what is below a daemon is known by its parent.
  static pid_t below[kProcessesSeenMax];
  std::size_t below_count = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < found.count() && count < kDaemonsKeptMax; ++i) {
    const Process& process = found.at(i);
    if (is_among(process.parent, below, below_count)) {
      below[below_count++] = process.pid;
    } else if (process.is_alive() && is_daemon(process.pid, patterns)) {
      below[below_count++] = process.pid;
      daemons[count++] = process.pid;
    }
  }
  return count;
}

}  // namespace warden
