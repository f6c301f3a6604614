#include "deft/testing/fake_processes.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace deft::testing {
namespace {

std::string output_of(FakeProcesses& processes, const Command& command) {
  std::string output;
  const auto end = processes.run(command, [&](OutputStream, std::string_view bytes) { output.append(bytes); }, {});
  return end ? output : "error: " + end.error().message;
}

TEST(FakeProcesses, ACommandLivesAsItsScriptsSayInOrder) {
  FakeProcesses processes;
  processes.add("git status", {.output = {"one ", "two"}, .end = CommandEnd{.exit_code = 3}});
  processes.add("git status", {.output = {"three"}});
  const Command command{.argv = {"bash", "-c", "git status"}};
  EXPECT_EQ(output_of(processes, command), "one two");
  EXPECT_EQ(output_of(processes, command), "three");
  EXPECT_EQ(output_of(processes, command), "three");
  EXPECT_EQ(processes.commands().size(), 3u);
}

TEST(FakeProcesses, ACommandThatNobodyToldOfIsAnError) {
  FakeProcesses processes;
  EXPECT_EQ(output_of(processes, {.argv = {"make", "all"}}), "error: no script for the command make all");
}

TEST(FakeProcesses, AnUnstoppedCommandRunsUntilItIsCancelled) {
  FakeProcesses processes;
  processes.add("sleep", {.output = {"ready"}, .life = CommandScript::Life::until_stopped});
  std::stop_source stop;
  const auto cancel = [&](OutputStream, std::string_view) { stop.request_stop(); };
  const auto end = processes.run({.argv = {"sleep", "1000"}}, cancel, {.cancel = stop.get_token()});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->cause, CommandEnd::Cause::cancel);
}

TEST(FakeProcesses, TheDeadlineComesAtOnce) {
  FakeProcesses processes;
  processes.add("sleep", {.life = CommandScript::Life::until_deadline});
  const auto end = processes.run({.argv = {"sleep", "1000"}}, {}, {.deadline = TimePoint::max()});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->cause, CommandEnd::Cause::timeout);
}

TEST(FakeProcesses, AServerAnswersWhatIsWrittenToIt) {
  FakeProcesses processes;
  processes.add("server", {.life = CommandScript::Life::until_stopped,
                           .answer = [](std::string_view question) { return "re: " + std::string(question); }});
  const auto child = processes.start({.argv = {"server"}}, {});
  ASSERT_TRUE(child);
  std::jthread writer([&] { EXPECT_TRUE((*child)->write("hello", {})); });
  std::string buffer(64, '\0');
  const auto got = (*child)->read(OutputStream::output, buffer, {});
  ASSERT_TRUE(got);
  EXPECT_EQ(buffer.substr(0, *got), "re: hello");
  (*child)->end();
  EXPECT_EQ((*child)->wait({})->cause, CommandEnd::Cause::cancel);
  EXPECT_EQ((*child)->read(OutputStream::output, buffer, {}), 0u);
}

TEST(FakeProcesses, AChildCanBeFollowedLeftAndFollowedAgain) {
  FakeProcesses processes;
  processes.add("sleep", {.output = {"ready"}, .life = CommandScript::Life::until_stopped});
  const auto child = processes.start({.argv = {"sleep", "1000"}}, {});
  ASSERT_TRUE(child);
  std::stop_source leave;
  const auto leave_now = [&](OutputStream, std::string_view) { leave.request_stop(); };
  const auto left = (*child)->follow(leave_now, {}, leave.get_token());
  ASSERT_TRUE(left);
  EXPECT_FALSE(*left);
  std::stop_source stop;
  stop.request_stop();
  const auto end = (*child)->follow({}, {.abort = stop.get_token()}, {});
  ASSERT_TRUE(end && *end);
  EXPECT_EQ((*end)->cause, CommandEnd::Cause::cancel);
}

}  // namespace
}  // namespace deft::testing
