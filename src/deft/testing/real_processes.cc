#include "deft/testing/real_processes.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <thread>

#include "deft/os/unique_fd.h"

namespace deft::testing {

namespace {

constexpr auto kPatience = std::chrono::seconds(60);
constexpr auto kGlance = std::chrono::milliseconds(1);
constexpr unsigned kNobody = 65534;

std::string read_to_end(int fd) {
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = ::read(fd, part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(got));
  return text;
}

// What can be read of it: a process may vanish at any moment.
std::string file_text(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return read_to_end(file.get());
}

std::string work_as_nobody(const std::function<std::string()>& work) {
  if (::geteuid() == 0) {
    const bool changed = ::setgroups(0, nullptr) == 0 && ::setresgid(kNobody, kNobody, kNobody) == 0 &&
                         ::setresuid(kNobody, kNobody, kNobody) == 0;
    if (!changed) return "could not become nobody";
    ::prctl(PR_SET_DUMPABLE, 1);  // else /proc/self would stay root's
  }
  try {
    return work();
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
}

std::vector<int> all_processes() {
  std::vector<int> pids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    int pid = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (failure == std::errc{} && end == name.data() + name.size()) pids.push_back(pid);
  }
  return pids;
}

}  // namespace

ProcessMark::ProcessMark() {
  static std::atomic<int> count = 0;
  variable_ = "TEST_MARK=" + std::to_string(::getpid()) + "." + std::to_string(++count);
}

std::vector<int> ProcessMark::alive() const {
  std::vector<int> pids;
  for (const int pid : all_processes()) {
    const std::string environment = '\0' + environment_of(pid);
    if (environment.find('\0' + variable_ + '\0') != environment.npos && is_alive(pid)) pids.push_back(pid);
  }
  return pids;
}

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kGlance);
  }
  return true;
}

Command bash(std::string script, const ProcessMark& mark) {
  return Command{.argv = {"/bin/bash", "--noprofile", "--norc", "-c", std::move(script)},
                 .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", mark.variable()}};
}

std::string as_nobody(const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  const pid_t pid = ::fork();
  if (pid == 0) {
    const std::string text = work_as_nobody(work);
    const bool written = ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  const UniqueFd answer(ends[0]);
  std::string text = read_to_end(answer.get());
  if (pid > 0) ::waitpid(pid, nullptr, 0);
  return text;
}

ProcessState process_state(int pid) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/";
  ProcessState state;
  state.name = file_text(folder + "comm");
  if (state.name.ends_with('\n')) state.name.pop_back();
  state.command_line = file_text(folder + "cmdline");
  for (char& c : state.command_line) c = c == '\0' ? ' ' : c;
  const std::string stat = file_text(folder + "stat");
  const auto after_name = stat.rfind(')');
  if (after_name == stat.npos || after_name + 4 >= stat.size()) return state;
  state.state = stat[after_name + 2];
  state.parent = std::atoi(stat.c_str() + after_name + 4);
  return state;
}

bool is_alive(int pid) {
  const char state = process_state(pid).state;
  return state != '?' && state != 'Z' && state != 'X';
}

std::vector<int> children_of(int pid) {
  std::vector<int> children;
  for (const int candidate : all_processes()) {
    if (process_state(candidate).parent == pid) children.push_back(candidate);
  }
  return children;
}

std::string environment_of(int pid) { return file_text("/proc/" + std::to_string(pid) + "/environ"); }

std::size_t open_descriptor_count(int pid) {
  std::error_code error;
  const std::filesystem::directory_iterator entries("/proc/" + std::to_string(pid) + "/fd", error);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace deft::testing
