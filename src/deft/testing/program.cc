#include "deft/testing/program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>

#include "deft/base/check.h"
#include "deft/base/result.h"

namespace deft::testing {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(60);
constexpr std::size_t kToldBytesMax = 4'000;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr int kSmallPipeBytes = 4096;

struct Pipe {
  UniqueFd reading;
  UniqueFd writing;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  DEFT_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// True if `events` (or an error, or the end) came before our patience ended.
bool wait_for(int descriptor, short events) {
  const auto deadline = Clock::now() + kPatience;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd waits{descriptor, events, 0};
    const int ready = ::poll(&waits, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready > 0) return true;
    if (ready == 0) return false;
    DEFT_CHECK(errno == EINTR);
  }
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// Signals as a shell would give them: none blocked, none ignored.
pid_t spawn(const ProgramSetup& setup, int input, int output, int errors) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_init(&actions);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  const bool is_apart = !setup.controlling_terminal.empty();
  const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (is_apart ? POSIX_SPAWN_SETSID : 0);
  posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  if (is_apart) {  // the first terminal that the leader of a session opens becomes its own
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, setup.controlling_terminal.c_str(), O_RDWR, 0);
  }
  posix_spawn_file_actions_addchdir_np(&actions, setup.directory.c_str());
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, setup.argv.front().c_str(), &actions, &attributes, pointers(setup.argv).data(),
                                  pointers(setup.environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw std::runtime_error(system_error(Errc::io, "cannot start " + setup.argv.front(), error).message);
  return pid;
}

}  // namespace

Program::Program(const ProgramSetup& setup) {
  ::signal(SIGPIPE, SIG_IGN);  // a program that no longer reads is found out by write()
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  errors_ = UniqueFd(::memfd_create("errors", MFD_CLOEXEC));
  DEFT_CHECK(static_cast<bool>(errors_));
  if (setup.small_output_pipe) DEFT_CHECK(::fcntl(output.writing.get(), F_SETPIPE_SZ, kSmallPipeBytes) >= 0);
  pid_ = spawn(setup, input.reading.get(), output.writing.get(), errors_.get());
  end_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  DEFT_CHECK(static_cast<bool>(end_));
  input_ = std::move(input.writing);
  output_ = std::move(output.reading);
  DEFT_CHECK(::fcntl(input_.get(), F_SETFL, O_NONBLOCK) == 0);
}

Program::~Program() {
  if (exit_code_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Program::give_up(std::string_view waited_for) const {
  std::string told = seen_.size() > kToldBytesMax ? "…" + seen_.substr(seen_.size() - kToldBytesMax) : seen_;
  throw std::runtime_error("waited in vain for " + std::string(waited_for) + "\n--- output so far:\n" + told +
                           "\n--- errors so far:\n" + errors());
}

void Program::write(std::string_view bytes) {
  DEFT_CHECK(static_cast<bool>(input_));
  while (!bytes.empty()) {
    if (!wait_for(input_.get(), POLLOUT)) give_up("it to read its input");
    const ssize_t written = ::write(input_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EPIPE) return;
    if (written < 0) DEFT_CHECK(errno == EINTR || errno == EAGAIN);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool Program::read_more() {
  if (!output_) return false;
  if (!wait_for(output_.get(), POLLIN)) give_up("a line of output");
  std::string buffer(kReadBytes, '\0');
  const ssize_t got = ::read(output_.get(), buffer.data(), buffer.size());
  if (got < 0) DEFT_CHECK(errno == EINTR);
  if (got == 0) return false;
  if (got > 0) unread_.append(buffer, 0, static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> Program::read_line() {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t newline = unread_.find('\n', searched);
    if (newline != std::string::npos) {
      std::string line = unread_.substr(0, newline);
      unread_.erase(0, newline + 1);
      seen_ += line + "\n";
      return line;
    }
    searched = unread_.size();
    if (read_more()) continue;
    if (unread_.empty()) return std::nullopt;
    return std::exchange(unread_, {});
  }
}

void Program::send_signal(int signal) const { DEFT_CHECK(::kill(pid_, signal) == 0); }

int Program::wait() {
  if (exit_code_) return *exit_code_;
  if (!wait_for(end_.get(), POLLIN)) give_up("its end");
  int status = 0;
  DEFT_CHECK(::waitpid(pid_, &status, 0) == pid_);
  constexpr int kKilledBySignal = 128;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : kKilledBySignal + WTERMSIG(status);
  return *exit_code_;
}

std::string Program::errors() const {
  std::string text(kReadBytes, '\0');
  const ssize_t got = ::pread(errors_.get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace deft::testing
