#include <gtest/gtest.h>

#include <filesystem>

#include "deft/testing/run_command.h"
#include "deft_headless.h"

// Sessions that go on in a worktree of a real repository.

namespace deft {
namespace {

using testing::DeftHeadless;

std::string call(std::string_view tool, JsonObject input) {
  return to_json(JsonObject{{"answer", JsonArray{JsonObject{{"call", tool}, {"input", std::move(input)}}}}});
}

// The model's next word comes only if it was told this.
std::string when(std::string_view told, std::string_view answer) {
  return to_json(JsonObject{{"when", told}, {"answer", answer}});
}

class Worktrees : public ::testing::Test {
 protected:
  void begin(std::vector<std::string> script) {
    deft.emplace(folder, std::move(script));
    folder.put("project/a.txt", "one\n");
    git({"init", "-q", "-b", "main"});
    git({"add", "."});
    git({"-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first"});
  }
  std::string git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "git");
    const auto done = testing::run_command(arguments, folder / "project", "git");
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    return done.output;
  }
  const std::vector<std::string> kAllowed = {"go", "--allowedTools", "EnterWorktree,ExitWorktree,Bash(git *)",
                                             "--permission-mode", "acceptEdits"};

  TempFolder folder;
  std::optional<DeftHeadless> deft;
};

TEST_F(Worktrees, WhatIsWrittenGoesIntoTheWorktreeAndTheCheckoutStaysAsItIs) {
  begin({call("EnterWorktree", {{"name", "w"}}), call("Write", {{"file_path", "new.txt"}, {"content", "new\n"}}),
         call("Bash", {{"command", "pwd"}, {"description", "Where"}}), call("ExitWorktree", {{"action", "remove"}}),
         when("would lose 1 changed or new file (new.txt)", "kept")});
  const auto run = deft->run(kAllowed);
  EXPECT_EQ(run.text(), "kept") << run.all();
  EXPECT_EQ(folder.bytes("project/.deft/worktrees/w/new.txt"), "new\n");
  EXPECT_FALSE(folder.bytes("project/new.txt").has_value());
  EXPECT_NE(run.all().find(R"(/project/.deft/worktrees/w","stderr")"), std::string::npos) << run.all();
  EXPECT_EQ(git({"status", "--porcelain"}), "");
}

TEST_F(Worktrees, InAWorktreeTheOtherCheckoutIsNotTouchedWithoutAsking) {
  begin({});
  const std::string other = folder / "project/a.txt";
  deft.emplace(folder, std::vector<std::string>{
                           call("EnterWorktree", {{"name", "w"}}), call("Read", {{"file_path", other}}),
                           call("Write", {{"file_path", other}, {"content", "changed\n"}}), R"({"answer":"done"})"});
  const auto run = deft->run(kAllowed);
  EXPECT_EQ(folder.bytes("project/a.txt"), "one\n") << run.all();
}

TEST_F(Worktrees, AResumedSessionIsStillInItsWorktree) {
  begin({call("EnterWorktree", {{"name", "w"}}), R"({"answer":"inside"})"});
  const auto first = deft->run(kAllowed);
  EXPECT_EQ(first.text(), "inside") << first.all();
  const std::string id(find_string(first.result(), "session_id").value_or(""));
  deft.emplace(folder,
               std::vector<std::string>{call("Write", {{"file_path", "late.txt"}, {"content", "late\n"}}),
                                        call("ExitWorktree", {{"action", "remove"}, {"discard_changes", false}}),
                                        when("late.txt", "still there")});
  auto arguments = kAllowed;
  arguments.insert(arguments.end(), {"--resume", id});
  const auto second = deft->run(arguments);
  EXPECT_EQ(second.text(), "still there") << second.all();
  EXPECT_EQ(folder.bytes("project/.deft/worktrees/w/late.txt"), "late\n");
}

}  // namespace
}  // namespace deft
