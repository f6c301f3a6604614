// Processes that try to outlive their command, against every way in which a command ends.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "deft/os/warden_processes.h"
#include "deft/testing/real_processes.h"
#include "warden/own_cgroup.h"
#include "warden/protocol.h"

namespace deft {
namespace {

using testing::bash;
using testing::eventually;
using testing::ProcessMark;

struct Artist {
  const char* name;
  std::string script;  // starts what wants to stay
};

const Artist kArtists[] = {
    {"Background", "sleep 1000 &"},
    {"OwnProcessGroup", "set -m; sleep 1000 &"},
    {"OwnSession", "setsid sleep 1000 &"},
    {"Nohup", "nohup sleep 1000 >/dev/null 2>&1 &"},
    {"DoubleFork", "( ( sleep 1000 & ) & )"},
    {"Daemon", "setsid bash -c 'exec 0<&- 1>&- 2>&-; cd /; ( setsid sleep 1000 & )' &"},
    {"IgnoresTerm", "trap '' TERM HUP INT; bash -c 'trap \"\" TERM HUP INT; while :; do sleep 1; done' &"},
    {"HoldsThePipe", "bash -c 'bash -c \"sleep 1000; echo late\" & sleep 1000' &"},
    {"ProcessSubstitution", "exec 5> >(sleep 1000); cat <(sleep 1000) > /dev/null &"},
    {"Coprocess", "coproc sleep 1000"},
    {"Stopped", "setsid bash -c 'kill -STOP $BASHPID; sleep 1000' & sleep 1000 & kill -STOP $!"},
    {"Renamed", "setsid bash -c 'exec -a innocent sleep 1000' </dev/null >/dev/null 2>&1 &"},
    {"Runner", "run() { (( $1 > 0 )) && { run $(( $1 - 1 )) & exit; }; exec sleep 1000; }; run 5000 &"},
    {"Tree", "grow() { (( $1 > 0 )) && { grow $(( $1 - 1 )) & grow $(( $1 - 1 )) & }; sleep 1000; }; grow 5 &"},
    {"Namespaces",
     "unshare --user --map-root-user --pid --fork sleep 1000 & setsid unshare --pid --fork sleep 1000 &"
     " sleep 1000 &"},
    {"NamedLikeUs", "perl -e 'exec {\"/bin/sleep\"} \"deft\", 1000' &"},
    {"Subreaper", "setsid perl -e 'syscall(" + std::to_string(SYS_prctl) +
                      ", 36, 1); if (!fork) { if (!fork) { exec \"sleep\", 1000 } exit } sleep 1000' &"},
    {"Respawning", "( while :; do setsid sleep 0.01 & wait; done ) & "},
};

class Escape : public ::testing::TestWithParam<Artist> {
 protected:
  // The artist's command: says "ready" when it has started what wants to stay, and then does `last`.
  Command artist(const char* last) const {
    Command command = bash(GetParam().script + "\necho ready\n" + last, mark_);
    command.end_grace = std::chrono::milliseconds(50);
    return command;
  }
  static bool says_ready(std::string_view bytes) { return bytes.find("ready") != bytes.npos; }

  SystemClock clock_;
  ProcessMark mark_;
};

TEST_P(Escape, NobodyIsLeftWhenTheCommandIsDone) {
  WardenProcesses processes(clock_);
  const auto end = processes.run(artist("exit 3"), {}, {});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(mark_.alive(), std::vector<int>{});
  EXPECT_EQ(end->cause, CommandEnd::Cause::itself);
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(end->survivor_count, 0u);
  EXPECT_GT(end->leftover_count, 0u);
  EXPECT_FALSE(end->leftovers.empty());
}

TEST_P(Escape, NobodyIsLeftWhenTheCommandIsCancelled) {
  WardenProcesses processes(clock_);
  std::stop_source stop;
  const auto cancel = [&](OutputStream, std::string_view bytes) {
    if (says_ready(bytes)) stop.request_stop();
  };
  const auto end = processes.run(artist("sleep 1000"), cancel, {.cancel = stop.get_token()});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(mark_.alive(), std::vector<int>{});
  EXPECT_EQ(end->cause, CommandEnd::Cause::cancel);
}

TEST_P(Escape, NobodyIsLeftWhenTheCommandIsAborted) {
  WardenProcesses processes(clock_);
  std::stop_source stop;
  const auto abort = [&](OutputStream, std::string_view bytes) {
    if (says_ready(bytes)) stop.request_stop();
  };
  const auto end = processes.run(artist("trap '' TERM; sleep 1000"), abort, {.abort = stop.get_token()});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(mark_.alive(), std::vector<int>{});
  EXPECT_EQ(end->cause, CommandEnd::Cause::cancel);
  EXPECT_EQ(end->signal, SIGKILL);
}

TEST_P(Escape, NobodyIsLeftWhenDeftIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  const pid_t deft = ::fork();
  if (deft == 0) {
    WardenProcesses processes(clock_);
    const auto pass_on = [&](OutputStream, std::string_view bytes) {
      if (says_ready(bytes) && ::write(ready[1], "r", 1) != 1) ::_exit(1);
    };
    static_cast<void>(processes.run(artist("sleep 1000"), pass_on, {}));
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  // One who always runs ahead of itself may be missed by a look.
  EXPECT_TRUE(eventually([&] { return !mark_.alive().empty(); }));
  ASSERT_EQ(::kill(deft, SIGKILL), 0);
  ASSERT_EQ(::waitpid(deft, nullptr, 0), deft);
  EXPECT_TRUE(eventually([&] { return mark_.alive().empty(); }));
  ::close(ready[0]);
  ::close(ready[1]);
}

// Without rights of any kind, and so without cgroups: what is left is to stop and to kill.
TEST(EscapeOfAUser, NobodyIsLeftWhateverEndsTheCommands) {
  const auto result = testing::as_nobody([]() -> std::string {
    const SystemClock clock;
    std::string survivors;
    for (const bool is_aborted : {false, true}) {
      WardenProcesses processes(clock);
      std::mutex mutex;
      std::vector<std::jthread> threads;
      for (const Artist& artist : kArtists) {
        threads.emplace_back([&] {
          const ProcessMark mark;
          std::stop_source stop;
          const auto abort = [&](OutputStream, std::string_view) { stop.request_stop(); };
          const std::string last = is_aborted ? "\necho ready; sleep 1000" : "\nexit 0";
          const auto end = processes.run(bash(artist.script + last, mark), abort, {.abort = stop.get_token()});
          const std::lock_guard lock(mutex);
          if (!end || end->survivor_count > 0 || !mark.alive().empty()) survivors += std::string(artist.name) + " ";
        });
      }
    }
    return survivors;
  });
  EXPECT_EQ(result, "");
}

TEST(EscapeOfAUser, NobodyIsLeftWhenDeftIsKilled) {
  std::vector<ProcessMark> marks(std::size(kArtists));
  const auto result = testing::as_nobody([&]() -> std::string {
    int ready[2];
    if (::pipe2(ready, O_CLOEXEC) != 0) return "no pipe";
    const pid_t deft = ::fork();
    if (deft == 0) {
      const SystemClock clock;
      WardenProcesses processes(clock);
      std::vector<std::jthread> threads;
      const auto tell = [&](OutputStream, std::string_view) { static_cast<void>(!::write(ready[1], "r", 1)); };
      for (std::size_t i = 0; i < std::size(kArtists); ++i) {
        const Command command = bash(kArtists[i].script + "\necho ready; sleep 1000", marks[i]);
        threads.emplace_back([&processes, &tell, command] { static_cast<void>(processes.run(command, tell, {})); });
      }
      for (;;) ::pause();
    }
    if (deft < 0) return "no fork";
    char byte = 0;
    for (std::size_t i = 0; i < std::size(kArtists); ++i) {
      if (::read(ready[0], &byte, 1) != 1) return "not ready";
    }
    ::kill(deft, SIGKILL);
    ::waitpid(deft, nullptr, 0);
    return "killed";
  });
  EXPECT_EQ(result, "killed");
  for (std::size_t i = 0; i < std::size(kArtists); ++i) {
    EXPECT_TRUE(eventually([&] { return marks[i].alive().empty(); })) << kArtists[i].name;
  }
}

// As many processes as it may have, all of which fork. Root has no such limit, so not as root.
TEST(EscapeOfAUser, AForkBombEndsWithItsCommand) {
  const ProcessMark mark;
  const auto result = testing::as_nobody([&]() -> std::string {
    const SystemClock clock;
    WardenProcesses processes(clock);
    Command command = bash("bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 1000", mark);
    command.limits.processes = 300;
    std::stop_source stop;
    std::jthread watcher([&] {
      eventually([&] { return mark.alive().size() > 100; });
      stop.request_stop();
    });
    const auto end = processes.run(command, {}, {.abort = stop.get_token()});
    return end ? std::to_string(end->survivor_count) : end.error().message;
  });
  EXPECT_EQ(result, "0");
  EXPECT_EQ(mark.alive(), std::vector<int>{});
}

// The folder of the group that a warden has made for its commands, of one of which this is a process. Empty: it has
// none.
std::string group_of_warden(int pid) {
  char own[warden::kCgroupPathBytesMax];
  if (!warden::find_own_cgroup(own)) return "";
  std::ifstream groups("/proc/" + std::to_string(pid) + "/cgroup");
  const std::string text{std::istreambuf_iterator<char>(groups), {}};
  const std::size_t name = text.find(std::string("/") + warden::kWardenName);
  if (name == text.npos) return "";
  return own + text.substr(name, text.find_first_of("/\n", name + 1) - name);
}

TEST(CommandGroups, NoneIsLeftBehindHoweverDeftEnds) {
  for (const bool is_killed : {false, true}) {
    const ProcessMark mark;
    int told[2];
    ASSERT_EQ(::pipe2(told, O_CLOEXEC), 0);
    const pid_t deft = ::fork();
    if (deft == 0) {
      const SystemClock clock;
      {
        WardenProcesses processes(clock);
        const auto child = processes.start(bash("setsid sleep 1000 & sleep 1000", mark), {});
        std::vector<int> pids;
        if (!child || !eventually([&] { return !(pids = mark.alive()).empty(); })) ::_exit(1);
        const std::string group = group_of_warden(pids[0]) + "\n";
        if (::write(told[1], group.data(), group.size()) != std::ssize(group)) ::_exit(1);
        while (is_killed) ::pause();
      }
      ::_exit(0);
    }
    ASSERT_GT(deft, 0);
    ::close(told[1]);
    std::string group;
    for (char byte = 0; ::read(told[0], &byte, 1) == 1 && byte != '\n';) group += byte;
    if (is_killed) ::kill(deft, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(deft, &status, 0), deft);
    EXPECT_EQ(WIFSIGNALED(status), is_killed);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_TRUE(group.empty() || group.find(warden::kWardenName) != group.npos) << group;
    EXPECT_TRUE(eventually([&] { return group.empty() || !std::filesystem::exists(group); })) << group;
    ::close(told[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(Artists, Escape, ::testing::ValuesIn(kArtists),
                         [](const auto& test) { return test.param.name; });

// All at once, since each needs its time: which also shows that commands don't end each other's processes.
TEST(EscapeInTime, NobodyIsLeftWhenTheCommandTakesTooLong) {
  const SystemClock clock;
  WardenProcesses processes(clock);
  std::vector<std::jthread> threads;
  for (const Artist& artist : kArtists) {
    threads.emplace_back([&processes, &clock, &artist] {
      const ProcessMark mark;
      Command command = bash(artist.script + "\nsleep 1000", mark);
      command.end_grace = std::chrono::milliseconds(50);
      const auto end = processes.run(command, {}, {.deadline = clock.now() + std::chrono::milliseconds(500)});
      ASSERT_TRUE(end) << artist.name << ": " << end.error().message;
      EXPECT_EQ(mark.alive(), std::vector<int>{}) << artist.name;
      EXPECT_EQ(end->cause, CommandEnd::Cause::timeout) << artist.name;
    });
  }
}

}  // namespace
}  // namespace deft
