// Whoever of deft, the warden and a supervisor is killed: the others notice, and end what the command started.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "deft/os/warden_link.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/real_processes.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

using testing::bash;
using testing::children_of;
using testing::eventually;
using testing::process_state;
using testing::ProcessMark;

class WardenDeath : public ::testing::Test {
 protected:
  // A command is over when its supervisor says so, a moment before that ends itself: from here on whoever is a
  // supervisor is the next command's.
  void SetUp() override {
    ASSERT_TRUE(processes_.run(Command{.argv = {"/bin/true"}}, {}, {}));
    ASSERT_TRUE(eventually([&] { return children_of(warden()).empty(); }));
  }

  // Throws rather than answer with a number that kill() would take for a group or for everyone.
  int warden() const {
    const auto children = children_of(::getpid());
    if (children.size() != 1) throw std::runtime_error("not one child: " + std::to_string(children.size()));
    return children[0];
  }
  // Runs a command that stays, with processes that hide, and calls `kill_someone` when it is up.
  Result<CommandEnd> run_while(const std::function<void()>& kill_someone) {
    std::string output;
    const auto on_output = [&](OutputStream, std::string_view bytes) {
      const bool was_ready = output.find("ready") != output.npos;
      output.append(bytes);
      if (!was_ready && output.find("ready") != output.npos) kill_someone();
    };
    return processes_.run(bash("setsid sleep 1000 & ( ( sleep 1000 & ) & )\necho ready; sleep 1000", mark_), on_output,
                          {});
  }

  SystemClock clock_;
  ProcessMark mark_;
  WardenProcesses processes_{clock_};
};

TEST_F(WardenDeath, NoNameHoldsOurs) {
  const int the_warden = warden();
  ASSERT_GT(the_warden, 0);
  const auto end = run_while([&] {
    const auto supervisors = children_of(the_warden);
    ASSERT_EQ(supervisors.size(), 1u);
    for (const int pid : {the_warden, supervisors[0]}) {
      const auto state = process_state(pid);
      EXPECT_EQ(state.name.find("deft"), std::string::npos) << state.name;
      EXPECT_EQ(state.command_line.find("deft"), std::string::npos) << state.command_line;
      EXPECT_EQ(state.command_line, "shell-warden ");
    }
    EXPECT_EQ(testing::environment_of(the_warden), "");
    EXPECT_EQ(process_state(the_warden).name, "shell-warden");
    EXPECT_EQ(process_state(supervisors[0]).name, "shell-keeper");
    EXPECT_EQ(::getsid(the_warden), the_warden);
    ::kill(supervisors[0], SIGKILL);
  });
  EXPECT_FALSE(end);
}

TEST_F(WardenDeath, SignalsThatEndOthersDontEndTheWardenOrASupervisor) {
  const int the_warden = warden();
  std::stop_source stop;
  std::vector<int> supervisors;
  std::string output;
  const auto on_output = [&](OutputStream, std::string_view bytes) {
    output.append(bytes);
    if (!output.ends_with("ready\n")) return;
    supervisors = children_of(the_warden);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGALRM, SIGTSTP}) {
      ::kill(the_warden, signal);
      for (const int supervisor : supervisors) ::kill(supervisor, signal);
    }
    stop.request_stop();
  };
  const auto end = processes_.run(bash("echo ready; sleep 1000", mark_), on_output, {.cancel = stop.get_token()});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->cause, CommandEnd::Cause::cancel);
  EXPECT_EQ(supervisors.size(), 1u);
  EXPECT_EQ(warden(), the_warden);
}

TEST_F(WardenDeath, AKilledWardenIsAnErrorNotAHangAndTheNextCommandWorks) {
  const int the_warden = warden();
  const auto end = run_while([&] { ::kill(the_warden, SIGKILL); });
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Errc::io);
  EXPECT_EQ(mark_.alive(), std::vector<int>{});

  const auto next = processes_.run(bash("exit 4", mark_), {}, {});
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(next->exit_code, 4);
  EXPECT_NE(warden(), the_warden);
}

TEST_F(WardenDeath, AKilledWardensFolderIsRemovedByItsSupervisors) {
  const int the_warden = warden();
  ASSERT_GT(the_warden, 0);
  Command command = bash("echo $TMPDIR; sleep 1000", mark_);
  command.restriction = Restriction::read_only;
  std::string folder;
  const auto first = [&](OutputStream, std::string_view bytes) {
    folder.append(bytes);
    if (folder.ends_with('\n')) ::kill(the_warden, SIGKILL);
  };
  EXPECT_FALSE(processes_.run(command, first, {}));
  ASSERT_TRUE(folder.starts_with("/tmp/shell-")) << folder;
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(folder).parent_path()));
}

TEST_F(WardenDeath, AKilledSupervisorIsAnErrorAndLeavesNobody) {
  const int the_warden = warden();
  const auto end = run_while([&] { ::kill(children_of(the_warden).at(0), SIGKILL); });
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Errc::io);
  EXPECT_EQ(mark_.alive(), std::vector<int>{});
  EXPECT_EQ(warden(), the_warden);
  EXPECT_TRUE(eventually([&] { return children_of(the_warden).empty(); }));
}

TEST_F(WardenDeath, ACommandThatKillsItsSupervisorTouchesNoOther) {
  std::latch other_is_ready(1);
  const ProcessMark other_mark;
  std::stop_source stop;
  std::jthread other([&] {
    const auto tell = [&](OutputStream, std::string_view) { other_is_ready.count_down(); };
    const auto end =
        processes_.run(bash("setsid sleep 1000 & echo x; wait", other_mark), tell, {.abort = stop.get_token()});
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(end->cause, CommandEnd::Cause::cancel);
  });
  other_is_ready.wait();
  ASSERT_TRUE(eventually([&] { return other_mark.alive().size() == 2; }));
  const auto before = other_mark.alive();
  EXPECT_FALSE(processes_.run(bash("setsid sleep 1000 & kill -9 $PPID; sleep 1000", mark_), {}, {}));
  EXPECT_EQ(mark_.alive(), std::vector<int>{});
  for (const int pid : before) EXPECT_TRUE(testing::is_alive(pid));
  stop.request_stop();
}

TEST_F(WardenDeath, AStoppedSupervisorGoesOn) {
  const auto end = processes_.run(bash("kill -STOP $PPID; exit 6", mark_), {}, {});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->exit_code, 6);
}

TEST_F(WardenDeath, AStoppedWardenIsWokenHoweverManyCommandsWait) {
  ASSERT_EQ(::kill(warden(), SIGSTOP), 0);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 40; ++i) {
    threads.emplace_back([this] {
      const auto end = processes_.run(bash("exit 6", mark_), {}, {});
      ASSERT_TRUE(end) << end.error().message;
      EXPECT_EQ(end->exit_code, 6);
    });
  }
}

TEST_F(WardenDeath, TheEndOfTheObjectEndsAllItsCommands) {
  const pid_t host = ::fork();
  if (host == 0) {
    {
      WardenProcesses processes(clock_);
      const auto child = processes.start(bash("setsid sleep 1000 & sleep 1000", mark_), {});
      if (!child) ::_exit(1);
    }
    ::_exit(mark_.alive().empty() ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(host, &status, 0), host);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(WardenDeath, AForkOfTheHostThatLivesOnDoesNotKeepItsCommandsAlive) {
  int ready[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  const pid_t host = ::fork();
  if (host == 0) {
    WardenProcesses processes(clock_);
    const auto child = processes.start(bash("setsid sleep 1000 & sleep 1000", mark_), {});
    if (!child) ::_exit(1);
    const pid_t fork_of_host = ::fork();  // holds a copy of every socket
    if (fork_of_host == 0) {
      while (::pause() != 0) {
      }
    }
    if (::write(ready[1], &fork_of_host, sizeof fork_of_host) < 0) ::_exit(1);
    while (::pause() != 0) {
    }
  }
  pid_t fork_of_host = 0;
  ASSERT_EQ(::read(ready[0], &fork_of_host, sizeof fork_of_host), static_cast<ssize_t>(sizeof fork_of_host));
  ASSERT_GT(fork_of_host, 0);
  EXPECT_TRUE(eventually([&] { return !mark_.alive().empty(); }));
  ::kill(host, SIGKILL);
  ASSERT_EQ(::waitpid(host, nullptr, 0), host);
  EXPECT_TRUE(eventually([&] { return mark_.alive().empty(); }));
  ::kill(fork_of_host, SIGKILL);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(WardenDeath, AForkOfTheHostHasAWardenOfItsOwn) {
  const int the_warden = warden();
  const pid_t fork_of_host = ::fork();
  if (fork_of_host == 0) {
    const auto end = processes_.run(Command{.argv = {"/bin/true"}}, {}, {});
    const auto own = children_of(::getpid());
    ::_exit(end && own.size() == 1 && own[0] != the_warden ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(fork_of_host, &status, 0), fork_of_host);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(processes_.run(Command{.argv = {"/bin/true"}}, {}, {}));
  EXPECT_EQ(warden(), the_warden);
}

// Ctrl-Z: the supervisor keeps the time, and deft hears of it when it goes on.
TEST_F(WardenDeath, WhileDeftIsStoppedItsCommandsRunOnAndEndAtTheirDeadline) {
  const TempFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  const pid_t host = ::fork();
  if (host == 0) {
    WardenProcesses processes(clock_);
    Command command = bash("setsid sleep 1000 & echo ready; echo > " + folder / "is-up" + "; sleep 1000", mark_);
    command.end_grace = Duration::zero();
    const auto child = processes.start(command, {});
    if (!child || !eventually([&] { return folder.bytes("is-up").has_value(); })) ::_exit(1);
    // What it said is there to be read, whatever the time: so deft stops, be it before the deadline or after.
    const auto stop_here = [&](OutputStream, std::string_view) {
      if (::write(ready[1], "r", 1) == 1) ::raise(SIGSTOP);
    };
    const auto end = (*child)->follow(stop_here, {.deadline = clock_.now() + std::chrono::milliseconds(300)}, {});
    ::_exit(end && *end && (*end)->cause == CommandEnd::Cause::timeout ? 0 : 1);
  }
  ASSERT_GT(host, 0);
  ::close(ready[1]);
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(eventually([&] { return process_state(host).state == 'T'; }));
  EXPECT_TRUE(eventually([&] { return mark_.alive().empty(); }));
  EXPECT_EQ(process_state(host).state, 'T');
  ::kill(host, SIGCONT);
  int status = 0;
  ASSERT_EQ(::waitpid(host, &status, 0), host);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ::close(ready[0]);
}

// A terminal that is closed. What deft itself makes of it is deft's business; if it dies, all ends with it.
TEST_F(WardenDeath, AHangUpThatEndsDeftEndsItsCommands) {
  int ready[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  const pid_t host = ::fork();
  if (host == 0) {
    ::setsid();
    WardenProcesses processes(clock_);
    const auto tell = [&](OutputStream, std::string_view) { static_cast<void>(!::write(ready[1], "r", 1)); };
    static_cast<void>(processes.run(bash("nohup setsid sleep 1000 & echo ready; sleep 1000", mark_), tell, {}));
    ::_exit(0);
  }
  ASSERT_GT(host, 0);
  ::close(ready[1]);
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(::kill(-host, SIGHUP), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(host, &status, 0), host);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(eventually([&] { return mark_.alive().empty(); }));
  ::close(ready[0]);
}

TEST(WardenStart, WorksFromAFileToo) {
  auto started = start_warden(ImageRoute::file);
  ASSERT_TRUE(started) << started.error().message;
  // A program has its name a moment before it has its arguments.
  EXPECT_TRUE(eventually([&] { return process_state(started->pid).command_line == "shell-warden "; }));
  EXPECT_EQ(process_state(started->pid).name, "shell-warden");
  started->requests.reset();
  int status = 0;
  ASSERT_EQ(::waitpid(started->pid, &status, 0), started->pid);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace deft
