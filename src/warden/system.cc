#include "warden/system.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace warden {

namespace {

void close_range_of(unsigned first, unsigned last) {
  if (first > last) return;
  if (syscall(SYS_close_range, first, last, 0) == 0) return;
  // Before Linux 5.9. No descriptor can lie above the limit, unless the limit was lowered after it was opened.
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  for (unsigned fd = first; fd <= last && fd < limit.rlim_cur; ++fd) close(static_cast<int>(fd));
}

void sort(int* values, std::size_t count) {
  for (std::size_t i = 1; i < count; ++i) {
    for (std::size_t k = i; k > 0 && values[k - 1] > values[k]; --k) {
      const int swapped = values[k];
      values[k] = values[k - 1];
      values[k - 1] = swapped;
    }
  }
}

}  // namespace

std::int64_t now_millis() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void set_name(const char* name) { prctl(PR_SET_NAME, name); }

void hurry() {
  const int priority = 1;  // all that the kernel's sched_param has
  if (syscall(SYS_sched_setscheduler, 0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) != 0) {
    setpriority(PRIO_PROCESS, 0, -20);  // musl has the call by name only
  }
}

void ignore_child_signals() {
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, nullptr);
}

void close_all_except(int* kept, std::size_t count) {
  sort(kept, count);
  unsigned next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (kept[i] < 0) continue;
    const auto fd = static_cast<unsigned>(kept[i]);
    if (fd > next) close_range_of(next, fd - 1);
    next = fd + 1;
  }
  close_range_of(next, UINT_MAX);
}

void send_packet(int socket, const void* data, std::size_t bytes) {
  while (send(socket, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR) {
  }
}

ssize_t read_small_file(const char* path, char* buffer, std::size_t capacity) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  std::size_t length = 0;
  while (length + 1 < capacity) {
    const ssize_t got = read(fd, buffer + length, capacity - 1 - length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  close(fd);
  buffer[length] = '\0';
  return static_cast<ssize_t>(length);
}

void remove_with_empty_ones(const char* path) {
  DIR* entries = opendir(path);
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries)) {
    if (entry->d_name[0] != '.') unlinkat(dirfd(entries), entry->d_name, AT_REMOVEDIR);
  }
  closedir(entries);
  rmdir(path);
}

int open_process(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

int signal_process(int process_fd, int signal) {
  return static_cast<int>(syscall(SYS_pidfd_send_signal, process_fd, signal, nullptr, 0));
}

}  // namespace warden
