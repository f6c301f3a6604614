#include "warden/launch.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "warden/system.h"

namespace warden {

namespace {

constexpr std::size_t kChildStackBytes = 64 * 1024;

struct ChildWork {
  const Command& command;
  const Descriptors& descriptors;
  Stage stage = Stage::none;
  int error_number = 0;
};

bool set_streams(const Descriptors& descriptors) {
  // 0 to 2 are /dev/null in the warden already, so none of the passed ones is among them.
  if (descriptors.input >= 0 && dup2(descriptors.input, 0) < 0) return false;
  if (dup2(descriptors.output, 1) < 0) return false;
  return dup2(descriptors.errors >= 0 ? descriptors.errors : descriptors.output, 2) >= 0;
}

// Both the soft and the hard limit, so that the command can't raise it again; never above what we have ourselves.
bool set_limit(int resource, std::uint64_t wanted) {
  if (wanted == kNoLimit) return true;
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return false;
  if (wanted < limit.rlim_max) limit.rlim_max = wanted;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(resource, &limit) == 0;
}

bool set_limits(const Command& command) {
  const CommandHeader& header = *command.header;
  if (setrlimit(RLIMIT_NOFILE, &command.open_files) != 0) return false;
  // RLIMIT_DATA counts what can be written. RLIMIT_AS would also count the address space that runtimes only reserve
  // (V8, Go, Java: tens of gigabytes) and refuse programs that need little.
  // Even with a limit of 0 a crash collector would get the core of a read-only command, and keep it; not with 1.
  const std::uint64_t core_bytes = command.read_only != nullptr ? 1 : 0;
  return set_limit(RLIMIT_CORE, core_bytes) && set_limit(RLIMIT_DATA, header.memory_bytes) &&
         set_limit(RLIMIT_NPROC, header.processes) && set_limit(RLIMIT_FSIZE, header.file_bytes) &&
         set_limit(RLIMIT_NOFILE, header.open_files);
}

bool enter_directory(const Command& command, const Descriptors& descriptors) {
  if (descriptors.directory >= 0) return fchdir(descriptors.directory) == 0;
  return command.directory[0] == '\0' || chdir(command.directory) == 0;
}

// After everything that it forbids, before the command.
bool restrict_self(const Command& command) { return command.read_only == nullptr || command.read_only->apply(); }

// Runs in the supervisor's memory until the exec, as with vfork: it may only make system calls.
[[gnu::noinline]] int run_child(void* argument) {
  auto& work = *static_cast<ChildWork*>(argument);
  const auto fail_at = [&work](Stage stage) {
    work.error_number = errno;
    work.stage = stage;
    _exit(127);
  };
  setsid();
  if (!set_streams(work.descriptors)) fail_at(Stage::streams);
  if (!enter_directory(work.command, work.descriptors)) fail_at(Stage::directory);
  int kept[] = {0, 1, 2};
  close_all_except(kept, 3);
  if (!set_limits(work.command)) fail_at(Stage::limits);
  if (!restrict_self(work.command)) fail_at(Stage::restriction);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(work.command.program, work.command.arguments, work.command.environment);
  fail_at(Stage::exec);
  return 127;
}

// clone3() alone can begin a process in another cgroup, which costs next to nothing; to move one that runs takes
// milliseconds. The C library has no function for it. Like vfork() the child uses our stack, below this frame, while we
// wait: so the call must stand here, where nothing returns in the child.
[[gnu::noinline]] pid_t spawn_into_group(int group, ChildWork& work) {
  clone_args arguments{};
  arguments.flags = CLONE_VM | CLONE_VFORK | CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<std::uint64_t>(group);
#if defined(__x86_64__)
  long result = SYS_clone3;
  asm volatile("syscall" : "+a"(result) : "D"(&arguments), "S"(sizeof arguments) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long result asm("x0") = reinterpret_cast<long>(&arguments);
  register long bytes asm("x1") = sizeof arguments;
  register long number asm("x8") = SYS_clone3;
  asm volatile("svc 0" : "+r"(result) : "r"(bytes), "r"(number) : "memory", "cc");
#else
  long result = -ENOSYS;
#endif
  if (result == 0) run_child(&work);
  return result < 0 ? -1 : static_cast<pid_t>(result);
}

// The next string and, behind `at`, what follows it. Null: it isn't ended.
char* take_string(char*& at, const char* end) {
  auto* nul = static_cast<char*>(std::memchr(at, '\0', static_cast<std::size_t>(end - at)));
  if (nul == nullptr) return nullptr;
  char* string = at;
  at = nul + 1;
  return string;
}

bool take_strings(char*& at, const char* end, char** strings, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if ((strings[i] = take_string(at, end)) == nullptr) return false;
  }
  strings[count] = nullptr;
  return true;
}

bool read_whole(int fd, char* memory, std::size_t bytes) {
  std::size_t length = 0;
  while (length < bytes) {
    const ssize_t got = pread(fd, memory + length, bytes - length, static_cast<off_t>(length));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    length += static_cast<std::size_t>(got);
  }
  return true;
}

void* map_memory(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

bool read_command(int fd, std::size_t bytes, Command& command) {
  if (bytes < sizeof(CommandHeader) || bytes > kCommandBytesMax) return false;
  auto* memory = static_cast<char*>(map_memory(bytes));
  if (memory == nullptr || !read_whole(fd, memory, bytes)) return false;
  const auto* header = reinterpret_cast<const CommandHeader*>(memory);
  if (header->magic != kProtocolMagic || header->version != kProtocolVersion) return false;
  // Each string takes a byte at least, so the counts are bounded by the size.
  if (header->argument_count == 0 || header->argument_count > bytes || header->variable_count > bytes ||
      header->daemon_count > bytes) {
    return false;
  }
  // Each list has a null at its end; the environment has room for one more variable.
  const std::size_t pointers = std::size_t{header->argument_count} + header->variable_count + header->daemon_count + 4;
  auto* strings = static_cast<char**>(map_memory(pointers * sizeof(char*)));
  if (strings == nullptr) return false;

  char* at = memory + sizeof(CommandHeader);
  const char* end = memory + bytes;
  command.header = header;
  command.arguments = strings;
  command.environment = command.arguments + header->argument_count + 1;
  command.daemons = command.environment + header->variable_count + 2;
  command.program = take_string(at, end);
  if (command.program == nullptr) return false;
  command.directory = take_string(at, end);
  if (command.directory == nullptr) return false;
  command.writable_file = take_string(at, end);
  if (command.writable_file == nullptr) return false;
  return take_strings(at, end, command.arguments, header->argument_count) &&
         take_strings(at, end, command.environment, header->variable_count) &&
         take_strings(at, end, command.daemons, header->daemon_count) && at == end;
}

void set_variable(Command& command, char* variable) {
  const auto name_bytes = static_cast<std::size_t>(std::strchr(variable, '=') - variable) + 1;
  char** at = command.environment;
  while (*at != nullptr && std::strncmp(*at, variable, name_bytes) != 0) ++at;
  if (*at == nullptr) at[1] = nullptr;
  *at = variable;
}

Launch launch(const Command& command, const Descriptors& descriptors) {
  ChildWork work{.command = command, .descriptors = descriptors};
  // Shared memory needs no copying, and tells us without a pipe whether the exec succeeded. Until it did, this process
  // waits in the kernel and can only be killed.
  pid_t pid = command.group >= 0 ? spawn_into_group(command.group, work) : -1;
  const bool is_in_group = pid >= 0;
  if (!is_in_group) {
    alignas(16) static char stack[kChildStackBytes];
    pid = clone(run_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &work);
  }
  if (pid < 0) return Launch{.stage = Stage::fork, .error_number = errno};
  if (work.stage == Stage::none) return Launch{.pid = pid, .is_in_group = is_in_group};
  while (waitpid(pid, nullptr, __WALL) < 0 && errno == EINTR) {
  }
  return Launch{.stage = work.stage, .error_number = work.error_number};
}

}  // namespace warden
