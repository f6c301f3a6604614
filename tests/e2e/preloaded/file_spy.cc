// Loaded into the program (LD_PRELOAD), but not into what it starts.
//   DEFT_SPY_LOG=FILE      writes down in which order it writes, renames and waits for the disk. Files are named by
//                          their inodes: a rename does not change them, and nobody needs /proc for them.
//   DEFT_SPY_KILL=N        kill -9 at the N-th of these steps: before it, after it, or, of a write, half-way, in turns.
//   DEFT_SPY_LOST=TYPE     what was written with the first line of this type never gets to the disk: the next wait for
//                          that file fails, once, as the kernel tells it.
//   DEFT_SPY_FULL=N        the disk is full at the N-th of these steps and some more: a write takes half, then nothing.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

int log_file = -1;
constexpr long kFullSteps = 10;
long last_step = 0;   // 0: it lives
long first_full = 0;  // 0: there is room
std::atomic<const char*> lost_type = nullptr;
std::atomic<unsigned long> lost_file = 0;  // its inode
std::atomic<long> steps = 0;

__attribute__((constructor)) void begin() {
  if (const char* log = std::getenv("DEFT_SPY_LOG"))
    log_file = ::open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (const char* number = std::getenv("DEFT_SPY_KILL")) last_step = std::atol(number);
  if (const char* number = std::getenv("DEFT_SPY_FULL")) first_full = std::atol(number);
  if (const char* type = std::getenv("DEFT_SPY_LOST")) lost_type = ::strdup(type);
  for (const char* variable : {"LD_PRELOAD", "DEFT_SPY_LOG", "DEFT_SPY_KILL", "DEFT_SPY_FULL", "DEFT_SPY_LOST"}) {
    ::unsetenv(variable);
  }
}

enum class End { none, before, after, half };

End end_at(long number) {
  if (last_step == 0 || number != last_step) return End::none;
  constexpr End kinds[] = {End::before, End::after, End::half};
  return kinds[last_step % 3];
}

bool is_full_at(long number) { return first_full > 0 && number >= first_full && number < first_full + kFullSteps; }

void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

void note(const char* what, unsigned long inode, const char* name) {
  if (log_file < 0) return;
  const int error = errno;
  static const auto real_write = next<ssize_t (*)(int, const void*, size_t)>("write");
  char line[512];
  const int length = std::snprintf(line, sizeof line, "%s %lu %s\n", what, inode, name);
  if (length > 0) static_cast<void>(real_write(log_file, line, static_cast<size_t>(length)));
  errno = error;
}

const char* last_part(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

template <class Act>
auto step(const char* what, unsigned long inode, const char* name, const Act& act) {
  const End end = end_at(++steps);
  if (end == End::before) die();
  const auto done = act();
  if (end != End::none) die();
  note(what, inode, name);
  return done;
}

template <class Act>
ssize_t write_step(int fd, const void* bytes, size_t size, const Act& act) {
  struct stat status{};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return act(size);
  const long number = ++steps;
  const End end = end_at(number);
  if (end == End::before) die();
  const bool is_half_full = number == first_full && size > 1;
  if (is_full_at(number) && !is_half_full) {
    errno = ENOSPC;
    return -1;
  }
  const ssize_t written = act(end == End::half || is_half_full ? size / 2 : size);
  if (end != End::none) die();
  char type[48] = "";  // of a line: says which one it is
  if (size > 16) std::sscanf(static_cast<const char*>(bytes), "{\"type\":\"%40[a-z]", type);
  note("write", status.st_ino, type);
  const char* lost = lost_type;
  const std::string_view lines(static_cast<const char*>(bytes), size);
  if (lost && lines.contains("{\"type\":\"" + std::string(lost) + "\"")) {
    lost_type = nullptr;
    lost_file = status.st_ino;
  }
  return written;
}

int wait_for_disk(const char* name, int fd) {
  struct stat status{};
  ::fstat(fd, &status);
  unsigned long lost = status.st_ino;
  if (lost != 0 && lost_file.compare_exchange_strong(lost, 0)) {
    errno = EIO;
    return -1;
  }
  return step("sync", status.st_ino, "", [&] { return next<int (*)(int)>(name)(fd); });
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* bytes, size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  return write_step(fd, bytes, size, [&](size_t part) { return real(fd, bytes, part); });
}

// As one write: half of it may end anywhere.
ssize_t writev(int fd, const iovec* parts, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  return write(fd, bytes.data(), bytes.size());
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  return write_step(fd, bytes, size, [&](size_t part) { return real(fd, bytes, part, at); });
}

int fdatasync(int fd) { return wait_for_disk("fdatasync", fd); }
int fsync(int fd) { return wait_for_disk("fsync", fd); }

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return step("rename", 0, last_part(to), [&] { return real(from, to); });
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  static const auto real = next<int (*)(int, const char*, int, const char*)>("renameat");
  return step("rename", 0, last_part(to), [&] { return real(from_folder, from, to_folder, to); });
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  static const auto real = next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2");
  return step("rename", 0, last_part(to), [&] { return real(from_folder, from, to_folder, to, flags); });
}
}
