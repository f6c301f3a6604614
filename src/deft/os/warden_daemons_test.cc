// Processes that a command may leave behind because its caller said so.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "deft/os/warden_processes.h"
#include "deft/testing/real_processes.h"

namespace deft {
namespace {

using testing::bash;
using testing::eventually;
using testing::ProcessMark;

// Starts a process under a name of its own, in its own session, with a child; and something that nobody wants to keep.
constexpr char kStartDaemon[] =
    "setsid bash -c 'exec -a build-daemon bash -c \"sleep 1000 & wait\"' </dev/null >/dev/null 2>&1 & "
    "until [[ $(tr '\\0' ' ' < /proc/$!/cmdline) == build-daemon* ]] && pgrep -fx -P $! 'sleep 1000' >/dev/null; do :; "
    "done\n"
    "sleep 2000 &\n"
    "until [[ $(tr '\\0' ' ' < /proc/$!/cmdline) == 'sleep 2000 ' ]]; do :; done\n";

class Daemons : public ::testing::Test {
 protected:
  Command starter(std::vector<std::string> daemons) const {
    Command command = bash(std::string(kStartDaemon) + "exit 3", mark_);
    command.daemons = std::move(daemons);
    command.end_grace = std::chrono::milliseconds(50);
    return command;
  }

  SystemClock clock_;
  ProcessMark mark_;
  std::unique_ptr<WardenProcesses> processes_ = std::make_unique<WardenProcesses>(clock_);
};

TEST_F(Daemons, OnesThatAreListedStayWithTheirChildrenUntilTheProcessesEnd) {
  const auto end = processes_->run(starter({"other", "build-daemon"}), {}, {});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->exit_code, 3);
  ASSERT_EQ(end->kept.size(), 1u);
  EXPECT_EQ(end->kept_count, 1u);
  EXPECT_TRUE(end->kept[0].name.starts_with("build-daemon -c")) << end->kept[0].name;
  ASSERT_EQ(end->leftovers.size(), 1u);
  EXPECT_EQ(end->leftovers[0].name, "sleep 2000");
  EXPECT_EQ(mark_.alive().size(), 2u) << "the daemon and its child";

  ASSERT_TRUE(processes_->run(bash("exit 0", ProcessMark()), {}, {}));
  EXPECT_TRUE(testing::is_alive(end->kept[0].pid)) << "the next command is none of its business";
  processes_.reset();
  EXPECT_EQ(mark_.alive(), std::vector<int>{});
}

TEST_F(Daemons, AStarMeansTheWholeCommandLine) {
  const auto end = processes_->run(starter({"*daemon -c sleep*"}), {}, {});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->kept_count, 1u);
  EXPECT_EQ(end->leftover_count, 1u);
}

TEST_F(Daemons, APartOfANameIsNotTheName) {
  const auto end = processes_->run(starter({"build", "daemon", "build-daemon -c", ""}), {}, {});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->kept_count, 0u);
  EXPECT_EQ(end->leftover_count, 3u);
  EXPECT_EQ(mark_.alive(), std::vector<int>{});
}

TEST_F(Daemons, TheirEndLeavesNoSupervisorBehind) {
  const auto end = processes_->run(starter({"build-daemon"}), {}, {});
  ASSERT_TRUE(end) << end.error().message;
  ASSERT_EQ(end->kept.size(), 1u);
  ASSERT_GT(end->kept[0].pid, 0);
  const auto wardens = testing::children_of(::getpid());
  ASSERT_EQ(wardens.size(), 1u);
  for (const int pid : mark_.alive()) ::kill(pid, SIGKILL);
  EXPECT_TRUE(eventually([&] { return testing::children_of(wardens[0]).empty(); }));
}

TEST_F(Daemons, ACommandThatIsEndedTakesThemAlong) {
  std::stop_source stop;
  Command command = bash(std::string(kStartDaemon) + "echo ready; sleep 1000", mark_);
  command.daemons = {"build-daemon"};
  const auto abort = [&](OutputStream, std::string_view) { stop.request_stop(); };
  const auto end = processes_->run(command, abort, {.abort = stop.get_token()});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->kept_count, 0u);
  EXPECT_EQ(mark_.alive(), std::vector<int>{});
}

TEST_F(Daemons, EndWhenDeftIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  const pid_t deft = ::fork();
  if (deft == 0) {
    WardenProcesses processes(clock_);
    const auto end = processes.run(starter({"build-daemon"}), {}, {});
    if (!end || end->kept_count != 1 || ::write(ready[1], "r", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  ASSERT_GT(deft, 0);
  ::close(ready[1]);
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(mark_.alive().size(), 2u);
  ASSERT_EQ(::kill(deft, SIGKILL), 0);
  ASSERT_EQ(::waitpid(deft, nullptr, 0), deft);
  EXPECT_TRUE(eventually([&] { return mark_.alive().empty(); }));
  ::close(ready[0]);
}

}  // namespace
}  // namespace deft
