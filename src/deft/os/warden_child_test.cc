#include "deft/os/warden_child.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>
#include <thread>

#include "deft/os/warden_processes.h"
#include "deft/testing/real_processes.h"

namespace deft {
namespace {

using testing::bash;
using testing::ProcessMark;

class WardenChildTest : public ::testing::Test {
 protected:
  std::unique_ptr<Child> start(const Command& command) {
    auto child = processes_.start(command, {});
    EXPECT_TRUE(child) << child.error().message;
    return child ? std::move(*child) : nullptr;
  }
  // Reads until a line is complete or the output ends.
  std::string read_line(Child& child, OutputStream stream = OutputStream::output) {
    std::string line;
    char byte = 0;
    while (!line.ends_with('\n')) {
      const auto got = child.read(stream, {&byte, 1}, {}, clock_.now() + std::chrono::seconds(20));
      if (!got) return "error: " + got.error().message;
      if (*got == 0) break;
      line.push_back(byte);
    }
    return line;
  }

  SystemClock clock_;
  ProcessMark mark_;
  WardenProcesses processes_{clock_};
};

TEST_F(WardenChildTest, TalksToAServer) {
  const auto child =
      start(bash("while read -r line; do echo \"got $line\"; echo \"log $line\" >&2; done; exit 9", mark_));
  ASSERT_TRUE(child);
  ASSERT_TRUE(child->write("one\n", {}));
  EXPECT_EQ(read_line(*child), "got one\n");
  EXPECT_EQ(read_line(*child), "log one\n");
  child->close_input();
  EXPECT_EQ(read_line(*child), "");
  const auto end = child->wait({});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->exit_code, 9);
}

TEST_F(WardenChildTest, KeepsErrorsApartOnRequest) {
  Command command = bash("read -r line; echo out; echo err >&2", mark_);
  command.separate_errors = true;
  const auto child = start(command);
  ASSERT_TRUE(child);
  ASSERT_TRUE(child->write("go\n", {}));
  EXPECT_EQ(read_line(*child, OutputStream::errors), "err\n");
  EXPECT_EQ(read_line(*child), "out\n");
}

TEST_F(WardenChildTest, SaysAtOnceThatAProgramDoesNotExist) {
  const auto child = processes_.start(Command{.argv = {"/no/such/program"}}, {});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, Errc::not_found);
}

TEST_F(WardenChildTest, WaitingHasATimeoutThatLeavesTheProcessAlone) {
  const auto child = start(bash("sleep 1000", mark_));
  ASSERT_TRUE(child);
  const auto end = child->wait({}, clock_.now() + std::chrono::milliseconds(1));
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Errc::timeout);
  char byte = 0;
  const auto got = child->read(OutputStream::output, {&byte, 1}, {}, clock_.now() + std::chrono::milliseconds(1));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::timeout);
  EXPECT_TRUE(testing::eventually([&] { return mark_.alive().size() == 1; }));
}

TEST_F(WardenChildTest, EveryBlockingCallIsCancelledByItsStopToken) {
  const auto child = start(bash("sleep 1000", mark_));
  ASSERT_TRUE(child);
  std::stop_source stop;
  std::jthread waiter([&] { EXPECT_EQ(child->wait(stop.get_token()).error().code, Errc::cancelled); });
  std::jthread reader([&] {
    char byte = 0;
    EXPECT_EQ(child->read(OutputStream::output, {&byte, 1}, stop.get_token()).error().code, Errc::cancelled);
  });
  std::jthread writer([&] {
    const std::string more_than_a_pipe_holds(4 << 20, 'x');
    EXPECT_EQ(child->write(more_than_a_pipe_holds, stop.get_token()).error().code, Errc::cancelled);
  });
  stop.request_stop();
}

TEST_F(WardenChildTest, ItsEndIsNoticedByReaderAndWaiterTogether) {
  for (int i = 0; i < 15; ++i) {
    const auto child = start(bash("setsid sleep 1000 & echo x; exit 0", mark_));
    ASSERT_TRUE(child);
    std::jthread reader([&] {
      EXPECT_EQ(read_line(*child), "x\n");
      EXPECT_EQ(read_line(*child), "");
    });
    const auto end = child->wait({});
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(end->leftover_count, 1u);
  }
}

TEST_F(WardenChildTest, EndsOnRequestPolitelyOrAtOnce) {
  const auto polite = start(bash("trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done", mark_));
  ASSERT_TRUE(polite);
  EXPECT_EQ(read_line(*polite), "ready\n");
  polite->end(std::chrono::seconds(30));
  auto end = polite->wait({});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->exit_code, 5);

  const auto stubborn = start(bash("trap '' TERM; echo ready; while :; do sleep 0.01; done", mark_));
  ASSERT_TRUE(stubborn);
  EXPECT_EQ(read_line(*stubborn), "ready\n");
  stubborn->end(Duration::zero());
  end = stubborn->wait({});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->signal, SIGKILL);
}

TEST_F(WardenChildTest, DestructionEndsItAndAllItsDescendants) {
  {
    const auto child = start(bash("trap '' TERM; setsid sleep 1000 & echo ready; sleep 1000", mark_));
    ASSERT_TRUE(child);
    EXPECT_EQ(read_line(*child), "ready\n");
  }
  EXPECT_EQ(mark_.alive(), std::vector<int>{});
}

TEST_F(WardenChildTest, WritingToAProcessThatClosedItsInputIsAnErrorNotASignal) {
  ASSERT_NE(::signal(SIGPIPE, SIG_DFL), SIG_ERR);
  const auto child = start(bash("exec 0<&-; echo closed; sleep 1000", mark_));
  ASSERT_TRUE(child);
  EXPECT_EQ(read_line(*child), "closed\n");
  // The warden may hold its copy of the other end a moment longer than the command.
  std::optional<Errc> error;
  EXPECT_TRUE(testing::eventually([&] {
    const auto written = child->write("hello", {});
    if (!written) error = written.error().code;
    return error.has_value();
  }));
  EXPECT_EQ(error, Errc::io);
}

// What the Bash tool does when a person moves a command to the background.
TEST_F(WardenChildTest, IsFollowedByOneThreadAndThenByAnotherAndNothingIsLost) {
  Command command = bash("for i in {1..200}; do echo $i; done; setsid sleep 1000 & exit 4", mark_);
  command.input_pipe = false;
  const auto child = start(command);
  ASSERT_TRUE(child);
  std::string output;
  std::stop_source leave;
  const auto keep_and_leave = [&](OutputStream, std::string_view bytes) {
    output += bytes;
    leave.request_stop();
  };
  const auto left =
      child->follow(keep_and_leave, {.deadline = clock_.now() + std::chrono::minutes(1)}, leave.get_token());
  ASSERT_TRUE(left) << left.error().message;
  std::jthread([&] {
    const auto end = child->follow([&](OutputStream, std::string_view bytes) { output += bytes; }, {}, {});
    ASSERT_TRUE(end && *end);
    EXPECT_EQ((*end)->exit_code, 4);
    EXPECT_EQ((*end)->leftover_count, 1u);
  }).join();
  std::string expected;
  for (int i = 1; i <= 200; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(output, expected);
}

TEST_F(WardenChildTest, WhoIsFollowedHasADeadlineThatIsGoneWhenItIsLeft) {
  Command command = bash("echo ready; sleep 1000", mark_);
  command.end_grace = Duration::zero();
  const auto child = start(command);
  ASSERT_TRUE(child);
  std::stop_source leave;
  const auto leave_now = [&](OutputStream, std::string_view) { leave.request_stop(); };
  const auto left = child->follow(leave_now, {.deadline = clock_.now() + std::chrono::hours(1)}, leave.get_token());
  ASSERT_TRUE(left) << left.error().message;
  EXPECT_FALSE(*left);
  const auto end = child->follow({}, {.deadline = clock_.now() + std::chrono::milliseconds(1)}, {});
  ASSERT_TRUE(end && *end);
  EXPECT_EQ((*end)->cause, CommandEnd::Cause::timeout);
}

// Real time, and more if the test says so.
class LeapingClock final : public Clock {
 public:
  TimePoint now() const override { return system_.now() + leapt_; }
  WallTime wall_time() const override { return system_.wall_time(); }
  TimePoint on_steady_clock(TimePoint at) const override { return at - leapt_; }
  void leap(Duration by) { leapt_ += by; }

 private:
  SystemClock system_;
  Duration leapt_ = Duration::zero();
};

// Ctrl-Z, or a laptop that was closed.
TEST_F(WardenChildTest, WhoSleepsThroughTheEndOfACommandHearsOfItAfterwards) {
  LeapingClock clock;
  WardenProcesses processes(clock);
  Command command = bash("echo ready; sleep 1000", mark_);
  command.end_grace = Duration::zero();
  const auto child = processes.start(command, {});
  ASSERT_TRUE(child) << child.error().message;
  const auto wardens = testing::children_of(::getpid());
  ASSERT_EQ(wardens.size(), 1u);
  const auto sleep_long = [&](OutputStream, std::string_view) {
    EXPECT_TRUE(testing::eventually([&] { return testing::children_of(wardens[0]).empty(); }));
    clock.leap(std::chrono::hours(8));
  };
  const auto end = (*child)->follow(sleep_long, {.deadline = clock.now() + std::chrono::milliseconds(300)}, {});
  ASSERT_TRUE(end) << end.error().message;
  ASSERT_TRUE(*end);
  EXPECT_EQ((*end)->cause, CommandEnd::Cause::timeout);
}

TEST_F(WardenChildTest, WhatIsFollowedIsCancelledAsARunIs) {
  const auto child = start(bash("trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done", mark_));
  ASSERT_TRUE(child);
  std::stop_source stop;
  std::string output;
  const auto cancel = [&](OutputStream, std::string_view bytes) {
    output += bytes;
    stop.request_stop();
  };
  const auto end = child->follow(cancel, {.cancel = stop.get_token()}, {});
  ASSERT_TRUE(end && *end);
  EXPECT_EQ((*end)->cause, CommandEnd::Cause::cancel);
  EXPECT_EQ((*end)->exit_code, 5);
  EXPECT_TRUE(output.ends_with("bye\n")) << output;
}

TEST_F(WardenChildTest, WithoutAPipeItReadsTheGivenInputOrNothing) {
  Command command = bash("cat", mark_);
  command.input_pipe = false;
  for (const char* input : {"", "some text"}) {
    command.input = input;
    const auto child = start(command);
    ASSERT_TRUE(child);
    std::string output;
    const auto end = child->follow([&](OutputStream, std::string_view bytes) { output += bytes; }, {}, {});
    ASSERT_TRUE(end && *end);
    EXPECT_EQ(output, input);
    EXPECT_FALSE(child->write("more", {}));
  }
}

}  // namespace
}  // namespace deft
