#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "deft/os/warden_link.h"

extern "C" {
extern const char deft_warden_image_begin[];
extern const char deft_warden_image_end[];
}

namespace deft {

namespace {

// Above the numbers that the warden expects its own descriptors at.
constexpr int kSafeFdMin = 10;
constexpr int kBusyTriesMax = 100;
constexpr unsigned kBusyPauseMicros = 1000;
constexpr unsigned kMemfdExec = 0x10;  // MFD_EXEC, Linux 6.3

Error start_error(std::string_view what, int error_number) {
  return system_error(Errc::io, "commands can't be run: " + std::string(what), error_number);
}

UniqueFd moved_up(UniqueFd fd) {
  if (!fd || fd.get() >= kSafeFdMin) return fd;
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kSafeFdMin));
}

bool write_image(int fd) {
  const char* at = deft_warden_image_begin;
  while (at < deft_warden_image_end) {
    const ssize_t written = ::write(fd, at, static_cast<std::size_t>(deft_warden_image_end - at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
  }
  return true;
}

// Signals stay blocked from the first instruction on: the warden is never killed by a stray one. The environment is
// empty, so nothing of ours can be read there.
int spawn(const std::string& path, int requests, int owner, pid_t& pid) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_init(&actions);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &all);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_adddup2(&actions, requests, warden::kRequestsDescriptor);
  if (owner >= 0) posix_spawn_file_actions_adddup2(&actions, owner, warden::kOwnerDescriptor);
  std::string name = warden::kWardenName;
  char* const argv[] = {name.data(), nullptr};
  char* const environment[] = {nullptr};
  const int error = ::posix_spawn(&pid, path.c_str(), &actions, &attributes, argv, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

int spawn_from_memory(int requests, int owner, pid_t& pid) {
  UniqueFd image(::memfd_create(warden::kWardenName, MFD_CLOEXEC | kMemfdExec));
  if (!image && errno == EINVAL) image = UniqueFd(::memfd_create(warden::kWardenName, MFD_CLOEXEC));
  image = moved_up(std::move(image));
  if (!image || !write_image(image.get())) return errno;
  return spawn("/proc/self/fd/" + std::to_string(image.get()), requests, owner, pid);
}

int spawn_from_file_in(const std::string& directory, int requests, int owner, pid_t& pid) {
  std::string folder = directory + "/" + warden::kWardenName + "-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return errno;  // 0700
  const std::string path = folder + "/" + warden::kWardenName;
  int error = 0;
  {
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0700));
    if (!file || !write_image(file.get())) error = errno;
  }
  if (error == 0) error = spawn(path, requests, owner, pid);
  // Another thread's fork may hold our writing descriptor for a moment.
  for (int tries = 0; error == ETXTBSY && tries < kBusyTriesMax; ++tries) {
    ::usleep(kBusyPauseMicros);
    error = spawn(path, requests, owner, pid);
  }
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
  return error;
}

int spawn_from_file(int requests, int owner, pid_t& pid) {
  int error = ENOENT;
  for (const char* directory : {"/tmp", "/var/tmp", "/dev/shm"}) {  // any of them may be mounted noexec
    error = spawn_from_file_in(directory, requests, owner, pid);
    if (error == 0) return 0;
  }
  return error;
}

}  // namespace

Result<StartedWarden> start_warden(ImageRoute route) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    return std::unexpected(start_error("no socket pair", errno));
  }
  StartedWarden started;
  started.requests = UniqueFd(pair[0]);
  const UniqueFd theirs = moved_up(UniqueFd(pair[1]));
  // The end of the socket tells our death, unless a process that was forked from us holds a copy; this tells it always.
  const UniqueFd owner = moved_up(UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0))));
  if (!theirs) return std::unexpected(start_error("too many open files", errno));
  const int error = route == ImageRoute::memory ? spawn_from_memory(theirs.get(), owner.get(), started.pid)
                                                : spawn_from_file(theirs.get(), owner.get(), started.pid);
  if (error != 0) return std::unexpected(start_error("the warden doesn't start", error));
  return started;
}

}  // namespace deft
