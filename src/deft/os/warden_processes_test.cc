#include "deft/os/warden_processes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "deft/os/unique_fd.h"
#include "deft/testing/real_processes.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

using testing::bash;
using testing::eventually;
using testing::ProcessMark;

class Warden : public ::testing::Test {
 protected:
  // Runs to the end and keeps the output in output_ and errors_.
  Result<CommandEnd> run(const Command& command, const RunUntil& until = {}) {
    output_.clear();
    errors_.clear();
    const auto keep = [this](OutputStream stream, std::string_view bytes) {
      (stream == OutputStream::output ? output_ : errors_).append(bytes);
    };
    return processes_.run(command, keep, until);
  }
  Result<CommandEnd> run_bash(std::string script) { return run(bash(std::move(script), mark_)); }

  SystemClock clock_;
  ProcessMark mark_;
  WardenProcesses processes_{clock_};
  std::string output_;
  std::string errors_;
};

TEST_F(Warden, GivesTheExitCode) {
  const auto end = run_bash("exit 42");
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->exit_code, 42);
  EXPECT_EQ(end->signal, 0);
  EXPECT_EQ(end->cause, CommandEnd::Cause::itself);
  EXPECT_EQ(end->leftover_count, 0u);
}

TEST_F(Warden, GivesTheSignalThatKilledTheCommand) {
  const auto end = run_bash("kill -SEGV $$");
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->signal, SIGSEGV);
}

TEST_F(Warden, MergesOutputAndErrorsInOrder) {
  ASSERT_TRUE(run_bash("echo one; echo two >&2; echo three"));
  EXPECT_EQ(output_, "one\ntwo\nthree\n");
  EXPECT_EQ(errors_, "");
}

TEST_F(Warden, KeepsErrorsApartOnRequest) {
  Command command = bash("echo one; echo two >&2; echo three", mark_);
  command.separate_errors = true;
  ASSERT_TRUE(run(command));
  EXPECT_EQ(output_, "one\nthree\n");
  EXPECT_EQ(errors_, "two\n");
}

TEST_F(Warden, StandardInputIsEmptyUnlessGiven) {
  Command command = bash("cat; readlink /proc/self/fd/0", mark_);
  ASSERT_TRUE(run(command));
  EXPECT_EQ(output_, "/dev/null\n");
  command = bash("cat", mark_);
  command.input = std::string(1 << 20, 'x') + "end";
  ASSERT_TRUE(run(command));
  EXPECT_EQ(output_, command.input);
}

TEST_F(Warden, ACommandThatNeverReadsItsInputEndsAllTheSame) {
  Command command = bash("exit 5", mark_);
  command.input = std::string(1 << 20, 'x');
  const auto end = run(command);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->exit_code, 5);
}

TEST_F(Warden, TheEnvironmentIsExactlyTheGivenOne) {
  ASSERT_TRUE(run(Command{.argv = {"/usr/bin/env"}, .environment = {"A=1", "B=x y", "C="}}));
  EXPECT_EQ(output_, "A=1\nB=x y\nC=\n");
}

TEST_F(Warden, TheCommandHasNoDescriptorOfOursOrOfTheHost) {
  const int leaked = ::open("/dev/null", O_RDONLY);  // a host program's, without close-on-exec
  ASSERT_TRUE(run(Command{.argv = {"/bin/ls", "/proc/self/fd"}}));
  EXPECT_EQ(output_, "0\n1\n2\n3\n") << "3 is the folder that ls reads";
  ::close(leaked);
}

TEST_F(Warden, SignalsAreAsInAFreshLogin) {
  ::signal(SIGPIPE, SIG_IGN);  // a host program may have done so, or have blocked some
  ASSERT_TRUE(run(Command{.argv = {"/bin/grep", "-E", "^Sig(Blk|Ign)|^ShdPnd", "/proc/self/status"}}));
  ::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(output_, "ShdPnd:\t0000000000000000\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_F(Warden, TheCommandLeadsASessionWithoutATerminal) {
  ASSERT_TRUE(
      run_bash("read -r pid name state parent group session terminal rest < /proc/$$/stat\n"
               "[[ $pid == $group && $pid == $session ]] && echo $terminal"));
  EXPECT_EQ(output_, "0\n");
}

TEST_F(Warden, RunsInTheGivenDirectory) {
  Command command{.argv = {"/bin/pwd"}, .directory = "/usr/bin"};
  ASSERT_TRUE(run(command));
  EXPECT_EQ(output_, "/usr/bin\n");

  const UniqueFd directory(::open("/etc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(run(Command{.argv = {"/bin/pwd"}, .directory_fd = directory.get()}));
  EXPECT_EQ(output_, "/etc\n");

  ASSERT_TRUE(run(Command{.argv = {"/bin/pwd"}}));
  EXPECT_EQ(output_, std::filesystem::current_path().string() + "\n");
}

TEST_F(Warden, LooksAPlainNameUpInThePathOfTheCommandButNeverInTheWorkingDirectory) {
  const TempFolder folder;
  std::filesystem::copy_file("/bin/true", folder / "looked-up");
  Command command{
      .argv = {"looked-up"}, .environment = {"PATH=.::/nowhere:" + folder.path()}, .directory = folder.path()};
  EXPECT_TRUE(run(command));
  command.environment = {"PATH=.::/nowhere"};
  const auto missing = run(command);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::not_found);
  EXPECT_EQ(missing.error().message, "the program looked-up is in no directory of PATH");
}

TEST_F(Warden, SaysWhyACommandCouldNotRun) {
  const auto error_of = [this](const Command& command) {
    const auto end = run(command);
    return end ? Error{} : end.error();
  };
  EXPECT_EQ(error_of({.argv = {"/no/such/program"}}).message, "cannot run /no/such/program: No such file or directory");
  EXPECT_EQ(error_of({.argv = {"/no/such/program"}}).code, Errc::not_found);
  EXPECT_EQ(error_of({.argv = {"/etc/passwd"}}).message, "cannot run /etc/passwd: Permission denied");
  EXPECT_EQ(error_of({.argv = {"/bin/true"}, .directory = "/no/such/folder"}).message,
            "the working directory /no/such/folder can't be entered: No such file or directory");
  EXPECT_EQ(error_of({.argv = {"/bin/true"}, .directory = "/no/such/folder"}).code, Errc::not_found);
  EXPECT_EQ(error_of({.argv = {"/bin/true"}, .directory = "/etc/passwd"}).message,
            "the working directory /etc/passwd can't be entered: Not a directory");
  EXPECT_EQ(error_of({.argv = {"/bin/true", std::string(4 << 20, 'x')}}).code, Errc::limit);
  EXPECT_EQ(error_of({.argv = {"/bin/true", std::string(4 << 20, 'x')}}).message,
            "cannot run /bin/true, put long text into a file: Argument list too long");
  EXPECT_EQ(error_of({.argv = {"/bin/true", std::string(9 << 20, 'x')}}).code, Errc::limit);
  EXPECT_EQ(error_of({.argv = {}}).code, Errc::invalid_input);
  EXPECT_EQ(error_of({.argv = {"bin/true"}}).code, Errc::invalid_input);
  EXPECT_EQ(error_of({.argv = {"/bin/true"}, .directory = "usr"}).code, Errc::invalid_input);
  EXPECT_EQ(error_of({.argv = {"/bin/true", std::string("a\0b", 3)}}).code, Errc::invalid_input);
  EXPECT_EQ(error_of({.argv = {"/bin/true"}, .environment = {"novalue"}}).code, Errc::invalid_input);
}

TEST_F(Warden, CarriesALongArgumentListAndEnvironmentUnchanged) {
  Command command{.argv = {"/bin/sh", "-c", "printf '%s' \"$*\" | cksum", "sh"}, .environment = {"PATH=/usr/bin:/bin"}};
  for (int i = 0; i < 10; ++i) command.argv.push_back(std::string(100'000, static_cast<char>('a' + i)));
  ASSERT_TRUE(run(command));
  EXPECT_TRUE(output_.ends_with(" 1000009\n")) << output_;
}

TEST_F(Warden, NamesWhatACommandLeftBehind) {
  const auto end = run_bash("sleep 12345 & until grep -q sleep /proc/$!/comm; do :; done; exit 0");
  ASSERT_TRUE(end) << end.error().message;
  ASSERT_EQ(end->leftover_count, 1u);
  ASSERT_EQ(end->leftovers.size(), 1u);
  EXPECT_EQ(end->leftovers[0].name, "sleep 12345");
  EXPECT_FALSE(testing::is_alive(end->leftovers[0].pid));
}

TEST_F(Warden, ALeftoversNameIsPrintable) {
  const auto end = run_bash(
      "bash -c $'exec -a \"\\e[31mred\\n\\xff\" sleep 12345' & "
      "until grep -q sleep /proc/$!/comm; do :; done; exit 0");
  ASSERT_TRUE(end) << end.error().message;
  ASSERT_EQ(end->leftovers.size(), 1u);
  EXPECT_EQ(end->leftovers[0].name, "?[31mred?\xef\xbf\xbd 12345");
}

TEST_F(Warden, TheOutputOfAProcessSubstitutionIsNotLost) {
  for (int i = 0; i < 20; ++i) {
    const auto end = run_bash("echo through > >(cat)");
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(output_, "through\n");
    EXPECT_EQ(end->leftover_count, 0u);
  }
}

TEST_F(Warden, ReturnsAtTheCommandsEndAlthoughSomebodyOutsideHoldsThePipe) {
  UniqueFd held;
  std::stop_source stop;
  const auto hold = [&](OutputStream, std::string_view bytes) {
    const std::string pid(bytes.substr(0, bytes.find('\n')));
    held = UniqueFd(::open(("/proc/" + pid + "/fd/1").c_str(), O_WRONLY | O_CLOEXEC));
    stop.request_stop();
  };
  EXPECT_TRUE(processes_.run(bash("echo $$; sleep 1000", mark_), hold, {.abort = stop.get_token()}));
  EXPECT_TRUE(held);
}

TEST_F(Warden, EndsPolitelyFirst) {
  std::stop_source stop;
  Command command = bash("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done", mark_);
  command.end_grace = std::chrono::seconds(30);
  std::string output;
  const auto cancel = [&](OutputStream, std::string_view bytes) {
    output.append(bytes);
    if (output.find("ready") != output.npos) stop.request_stop();
  };
  const auto end = processes_.run(command, cancel, {.cancel = stop.get_token()});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->cause, CommandEnd::Cause::cancel);
  EXPECT_EQ(end->exit_code, 7);
  EXPECT_TRUE(output.ends_with("bye\n")) << output;
}

TEST_F(Warden, WhatIsCancelledOrTooLateBeforeItStartsNeverRuns) {
  std::stop_source stop;
  stop.request_stop();
  const auto cancelled = run(bash("echo ran", mark_), {.cancel = stop.get_token()});
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Errc::cancelled);
  const auto late = run(bash("echo ran", mark_), {.deadline = clock_.now()});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::timeout);
  EXPECT_EQ(output_, "");
}

TEST_F(Warden, AnEndlessDeadlineOrGraceIsNoTrap) {
  Command command = bash("exit 8", mark_);
  command.end_grace = Duration::max();
  const auto end = run(command, {.deadline = TimePoint::max()});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->exit_code, 8);
}

TEST_F(Warden, ACancelReachesTheCommandWhileTheReaderOfItsOutputIsBusy) {
  std::stop_source stop;
  std::latch reader_is_busy(1);
  std::latch reader_may_go_on(1);
  std::jthread runner([&] {
    const auto be_busy = [&](OutputStream, std::string_view) {
      reader_is_busy.count_down();
      reader_may_go_on.wait();
    };
    const auto end = processes_.run(bash("echo ready; sleep 1000", mark_), be_busy, {.cancel = stop.get_token()});
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(end->cause, CommandEnd::Cause::cancel);
  });
  reader_is_busy.wait();
  stop.request_stop();
  EXPECT_TRUE(eventually([&] { return mark_.alive().empty(); }));
  reader_may_go_on.count_down();
}

TEST_F(Warden, TheNextCommandLivesAfterOneThatWasEnded) {
  for (int i = 0; i < 20; ++i) {
    std::stop_source stop;
    const auto tell = [&](OutputStream, std::string_view) { stop.request_stop(); };
    const auto ended = processes_.run(bash("echo ready; sleep 1000", mark_), tell, {.abort = stop.get_token()});
    ASSERT_TRUE(ended) << ended.error().message;
    const auto next = run_bash("exit 5");
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_EQ(next->signal, 0);
    EXPECT_EQ(next->exit_code, 5);
  }
}

TEST_F(Warden, ASlowReaderHoldsUpNoOtherCommand) {
  std::latch reader_is_busy(1);
  std::latch reader_may_go_on(1);
  std::jthread runner([&] {
    bool first = true;
    const auto be_busy = [&](OutputStream, std::string_view) {
      if (!std::exchange(first, false)) return;
      reader_is_busy.count_down();
      reader_may_go_on.wait();
    };
    EXPECT_TRUE(processes_.run(bash("head -c 10000000 /dev/zero", mark_), be_busy, {}));
  });
  reader_is_busy.wait();
  EXPECT_TRUE(run_bash("echo quick"));
  EXPECT_EQ(output_, "quick\n");
  reader_may_go_on.count_down();
}

TEST_F(Warden, CommandsSideBySideKeepTheirOwnChildren) {
  std::latch first_is_ready(1);
  const ProcessMark first_mark;
  std::stop_source stop;
  std::jthread first([&] {
    const auto tell = [&](OutputStream, std::string_view) { first_is_ready.count_down(); };
    EXPECT_TRUE(
        processes_.run(bash("setsid sleep 1000 & echo x; wait", first_mark), tell, {.abort = stop.get_token()}));
  });
  first_is_ready.wait();
  // The background child shows its mark only when it is through its fork and exec: bash and sleep.
  ASSERT_TRUE(eventually([&] { return first_mark.alive().size() == 2; }));
  const auto before = first_mark.alive();
  for (int i = 0; i < 5; ++i) {
    const auto end = run_bash("setsid sleep 1000 & exit 0");
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(end->leftover_count, 1u);
  }
  for (const int pid : before) EXPECT_TRUE(testing::is_alive(pid));
  stop.request_stop();
}

TEST_F(Warden, ManyThreadsRunCommandsAtOnce) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([this, thread] {
      for (int i = 0; i < 20; ++i) {
        const std::string text = std::to_string(thread) + "." + std::to_string(i);
        std::string output;
        const auto keep = [&](OutputStream, std::string_view bytes) { output.append(bytes); };
        const auto end = processes_.run(Command{.argv = {"/bin/echo", text}}, keep, {});
        ASSERT_TRUE(end) << end.error().message;
        EXPECT_EQ(output, text + "\n");
      }
    });
  }
}

TEST_F(Warden, AThousandCommandsLeaveNoDescriptorAndNoZombie) {
  ASSERT_TRUE(run(Command{.argv = {"/bin/true"}}));
  const auto wardens = testing::children_of(::getpid());
  ASSERT_EQ(wardens.size(), 1u);
  EXPECT_TRUE(eventually([&] { return testing::children_of(wardens[0]).empty(); }));
  const auto descriptors = testing::open_descriptor_count(::getpid());
  const auto wardens_descriptors = testing::open_descriptor_count(wardens[0]);
  for (int i = 0; i < 1000; ++i)
    ASSERT_TRUE(run(Command{.argv = {i % 10 == 0 ? "/no/such/program" : "/bin/true"}}) || i % 10 == 0);
  EXPECT_EQ(testing::open_descriptor_count(::getpid()), descriptors);
  EXPECT_EQ(testing::children_of(::getpid()), wardens);
  EXPECT_TRUE(eventually([&] { return testing::children_of(wardens[0]).empty(); }));
  EXPECT_TRUE(eventually([&] { return testing::open_descriptor_count(wardens[0]) == wardens_descriptors; }));
}

TEST_F(Warden, LargeOutputNeedsLittleMemory) {
  constexpr std::size_t kBytes = 200'000'000;
  ASSERT_TRUE(run(Command{.argv = {"/bin/true"}}));
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  std::size_t total = 0;
  const auto count = [&](OutputStream, std::string_view bytes) { total += bytes.size(); };
  ASSERT_TRUE(processes_.run(bash("head -c 200000000 /dev/zero", mark_), count, {}));
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(total, kBytes);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 16 * 1024) << "kilobytes";
}

class WardenLimits : public Warden {
 protected:
  Result<CommandEnd> run_limited(const char* script, const CommandLimits& limits) {
    Command command = bash(script, mark_);
    command.limits = limits;
    return run(command);
  }
};

TEST_F(WardenLimits, HoldForTheCommandAndCannotBeRaisedByIt) {
  ASSERT_TRUE(run_limited("ulimit -f; ulimit -H -n; ulimit -c; ulimit -u; ulimit -d",
                          {.memory_bytes = 64 << 20, .processes = 5000, .file_bytes = 2048, .open_files = 123}));
  EXPECT_EQ(output_, "2\n123\n0\n5000\n65536\n");
  EXPECT_EQ(testing::as_nobody([this] {
              static_cast<void>(run_limited("ulimit -n 200 2>/dev/null || echo no", {.open_files = 123}));
              return output_;
            }),
            "no\n");
}

TEST_F(WardenLimits, AFileThatGrowsTooLargeEndsTheCommandWhichIsSaid) {
  const auto end =
      run_limited("exec 5> /tmp/limit.$$; rm /tmp/limit.$$; exec head -c 5000 /dev/zero >&5", {.file_bytes = 2048});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->signal, SIGXFSZ);
  EXPECT_EQ(end->limit_hit, CommandLimit::file_size);

  ASSERT_TRUE(
      run_limited("trap '' XFSZ; head -c 5000 /dev/zero > /tmp/limit.$$; stat -c %s /tmp/limit.$$; "
                  "rm /tmp/limit.$$",
                  {.file_bytes = 2048}));
  EXPECT_TRUE(output_.ends_with("\n2048\n")) << output_;
}

TEST_F(WardenLimits, MemoryBeyondTheLimitIsNotToBeHad) {
  const auto end =
      run_limited("x=$(head -c 60000000 /dev/zero | tr '\\0' x); echo survived ${#x}", {.memory_bytes = 20'000'000});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(output_.find("survived 60000000"), output_.npos);
  EXPECT_NE(end->exit_code, 0);
  EXPECT_EQ(end->limit_hit, std::nullopt);
}

TEST_F(WardenLimits, NoMoreFilesAreOpenThanAllowed) {
  ASSERT_TRUE(run_limited("for i in {10..40}; do eval \"exec $i</dev/null\" 2>/dev/null || { echo $i; exit; }; done",
                          {.open_files = 30}));
  EXPECT_EQ(output_, "30\n");
}

// Of the user's, however many that are: the limit counts all of them. Root has none.
TEST_F(WardenLimits, NoMoreProcessesStartThanAllowed) {
  const auto output = testing::as_nobody([this] {
    const auto end = run_limited(
        "perl -e 'for (1..60) { $pid = fork(); defined $pid or do { print $!; exit }; $pid or sleep 1000 }'",
        {.processes = 20});
    return end ? output_ : end.error().message;
  });
  EXPECT_NE(output.find("Resource temporarily unavailable"), output.npos) << output;
}

TEST_F(Warden, WithoutALimitTheCommandHasTheOneOfDeft) {
  rlimit own{};
  ::getrlimit(RLIMIT_NOFILE, &own);
  ASSERT_TRUE(run_bash("ulimit -S -n"));
  EXPECT_EQ(output_, std::to_string(own.rlim_cur) + "\n");
}

}  // namespace
}  // namespace deft
