#include "warden/descendants.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "warden/system.h"

namespace warden {

namespace {

constexpr long kFreezePauseNanos = 200'000;
constexpr std::size_t kChildrenListBytesMax = 64 * 1024;

struct Stat {
  int parent = 0;
  int group = 0;
  int session = 0;
  char state = 'X';
  long threads = 0;
};

bool read_stat(pid_t pid, Stat& stat) {
  char path[32];
  char text[512];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  // One read gives all of it; asking for more would cost as much again, for each of thousands.
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  if (length <= 0) return false;
  text[length] = '\0';
  // "PID (NAME) STATE PARENT …"; the name may hold anything, parentheses too.
  const char* after_name = std::strrchr(text, ')');
  if (after_name == nullptr) return false;
  // After the session come 13 fields that don't matter here, then the number of threads.
  return std::sscanf(after_name + 1, " %c %d %d %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld",
                     &stat.state, &stat.parent, &stat.group, &stat.session, &stat.threads) == 5;
}

bool is_stopped(char state) { return state == 'T' || state == 't'; }

enum class Sent { yes, gone, refused };

Sent outcome_of(int result) {
  if (result == 0) return Sent::yes;
  return errno == EPERM ? Sent::refused : Sent::gone;
}

Sent send_signal(const Process& process, pid_t self, int signal) {
  if (process.parent == self) return outcome_of(kill(process.pid, signal));
  const int fd = open_process(process.pid);
  if (fd < 0) {
    if (errno != ENOSYS) return Sent::gone;
    return outcome_of(kill(process.pid, signal));  // before Linux 5.3
  }
  // Read after opening: whatever carries the number now, a signal through `fd` can only reach the opened one.
  Stat stat;
  const bool ours = read_stat(process.pid, stat) && (stat.parent == process.parent || stat.parent == self);
  const Sent sent = ours ? outcome_of(signal_process(fd, signal)) : Sent::gone;
  close(fd);
  return sent;
}

// Calls `use` with each number in one thread's list of children.
template <class Use>
void for_each_child(pid_t pid, pid_t thread, Use use) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, thread);
  static char text[kChildrenListBytesMax];
  if (read_small_file(path, text, sizeof text) <= 0) return;
  for (char* at = text; *at != '\0';) {
    char* end = at;
    const long child = std::strtol(at, &end, 10);
    if (end == at || *end != ' ') return;  // the last number may be cut off
    use(static_cast<pid_t>(child));
    at = end + 1;
  }
}

template <class Use>
void for_each_number_in(const char* directory, Use use) {
  DIR* entries = opendir(directory);
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries)) {
    const long number = std::strtol(entry->d_name, nullptr, 10);
    if (number > 0) use(static_cast<pid_t>(number));
  }
  closedir(entries);
}

}  // namespace

Listing best_listing() {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  return access(path, R_OK) == 0 ? Listing::children_files : Listing::whole_proc;
}

void Descendants::look(const pid_t* spared, std::size_t spared_count, int signal) {
  self_ = getpid();
  session_ = getsid(0);
  group_count_ = 0;
  spared_ = spared;
  spared_count_ = spared_count;
  count_ = 0;
  if (listing_ == Listing::whole_proc) list_everyone();
  add_children_of(self_, /*threads=*/1);
  for (std::size_t i = 0; i < count_; ++i) visit(processes_[i], signal);
}

// Signals first and looks for its children afterwards: what was stopped has no more of them.
void Descendants::visit(Process& process, int signal) {
  Stat stat;
  if (!read_stat(process.pid, stat)) return;
  process.state = stat.state;
  // Where some are spared, a group may hold them too.
  if (spared_count_ == 0 && stat.session != session_ && stat.group > 1) process.group = stat.group;
  if (!is_stopped(stat.state) && process.is_alive()) {
    const Sent sent = send_signal(process, self_, signal);
    process.refused = sent == Sent::refused;
    if (sent == Sent::gone) process.state = 'X';
    if (sent == Sent::gone) return;
    if (signal == SIGSTOP && sent == Sent::yes) signal_group_once(process.group, signal);
  }
  add_children_of(process.pid, stat.threads);
}

// True: the group has been signalled, now or before.
bool Descendants::signal_group_once(pid_t group, int signal) {
  if (group == 0) return false;
  for (std::size_t i = 0; i < group_count_; ++i) {
    if (groups_[i] == group) return true;
  }
  if (group_count_ == kGroupsMax || kill(-group, signal) != 0) return false;
  groups_[group_count_++] = group;
  return true;
}

void Descendants::add(pid_t pid, pid_t parent) {
  if (count_ == kProcessesSeenMax) return;
  for (std::size_t i = 0; i < spared_count_; ++i) {
    if (spared_[i] == pid) return;
  }
  processes_[count_++] = Process{.pid = pid, .parent = parent, .group = 0, .state = 'X', .refused = false};
}

void Descendants::add_children_of(pid_t pid, long threads) {
  const auto add_child = [this, pid](pid_t child) { add(child, pid); };
  if (listing_ == Listing::whole_proc) {
    for (std::size_t i = 0; i < everyone_count_; ++i) {
      if (everyone_[i].parent == pid) add_child(everyone_[i].pid);
    }
    return;
  }
  if (threads <= 1) return for_each_child(pid, pid, add_child);
  // A child belongs to the thread that forked it.
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/task", pid);
  for_each_number_in(path, [&](pid_t thread) { for_each_child(pid, thread, add_child); });
}

void Descendants::list_everyone() {
  everyone_count_ = 0;
  for_each_number_in("/proc", [this](pid_t pid) {
    Stat stat;
    if (everyone_count_ == kProcessesSeenMax || !read_stat(pid, stat)) return;
    everyone_[everyone_count_++] =
        Process{.pid = pid, .parent = stat.parent, .group = 0, .state = stat.state, .refused = false};
  });
}

void Descendants::read_name(pid_t pid, char (&name)[kLeftoverNameBytesMax]) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
  ssize_t length = read_small_file(path, name, sizeof name);
  while (length > 0 && name[length - 1] == '\0') --length;
  for (ssize_t i = 0; i < length; ++i) {
    if (name[i] == '\0') name[i] = ' ';
  }
  if (length > 0) return;
  char comm[32];
  std::snprintf(path, sizeof path, "/proc/%d/comm", pid);
  if (read_small_file(path, comm, sizeof comm) <= 0) comm[0] = '\0';
  comm[std::strcspn(comm, "\n")] = '\0';
  std::snprintf(name, sizeof name, "[%s]", comm);
}

std::uint32_t Descendants::alive_count() const {
  std::uint32_t alive = 0;
  for (std::size_t i = 0; i < count_; ++i) alive += processes_[i].is_alive() ? 1 : 0;
  return alive;
}

std::uint32_t Descendants::refused_count() const {
  std::uint32_t refused = 0;
  for (std::size_t i = 0; i < count_; ++i) refused += processes_[i].refused ? 1 : 0;
  return refused;
}

bool Descendants::anything_works() const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (processes_[i].state == 'R' || processes_[i].state == 'D') return true;
  }
  return false;
}

bool Descendants::anything_runs() const {
  for (std::size_t i = 0; i < count_; ++i) {
    const Process& process = processes_[i];
    // One that sleeps in the kernel (D) finds the signal before it does anything else; that may be never.
    const bool halts = !process.is_alive() || is_stopped(process.state) || process.state == 'D';
    if (!process.refused && !halts) return true;
  }
  return false;
}

void Descendants::sweep(const pid_t* spared, std::size_t spared_count, std::int64_t give_up, Report* names) {
  look(spared, spared_count, SIGSTOP);
  while (anything_runs() && now_millis() < give_up) {
    const timespec pause{.tv_sec = 0, .tv_nsec = kFreezePauseNanos};
    nanosleep(&pause, nullptr);
    look(spared, spared_count, SIGSTOP);
  }
  if (names != nullptr) {
    names->leftover_count = alive_count();
  }
  group_count_ = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (!processes_[i].is_alive()) continue;
    if (names != nullptr && names->named_count < kLeftoversNamedMax) {
      Leftover& leftover = names->named[names->named_count++];
      leftover.pid = processes_[i].pid;
      read_name(leftover.pid, leftover.name);
    }
    // Its group's number is its own as long as it is stopped; one that runs may have left it.
    const bool group_is_certain = is_stopped(processes_[i].state);
    if (group_is_certain && signal_group_once(processes_[i].group, SIGKILL)) continue;
    processes_[i].refused = send_signal(processes_[i], self_, SIGKILL) == Sent::refused;
  }
}

}  // namespace warden
