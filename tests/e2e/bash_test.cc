#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "deft/base/utf8.h"
#include "deft_exec.h"

namespace deft::testing {
namespace {

// Runs one command and gives its result.
Json run(const TempFolder& folder, std::string_view command, std::vector<std::string> environment = {}) {
  DeftExec deft(folder, {.arguments = kBypass, .environment = std::move(environment)});
  deft.bash("a", command);
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(deft.commands().empty());
  return deft.result("a");
}

TEST(ExecBash, OutputAndErrorsComeMergedInTheirOrder) {
  const TempFolder folder;
  EXPECT_EQ(content(run(folder, "echo 1; echo 2 >&2; echo 3; echo 4 >&2")), "1\n2\n3\n4");
}

TEST(ExecBash, AnExitCodeLeadsTheOutput) {
  const TempFolder folder;
  const Json result = run(folder, "echo what went wrong; exit 7");
  EXPECT_EQ(content(result), "Exit code 7\nwhat went wrong");
  EXPECT_EQ(text_of(result, "code"), "failed");
  EXPECT_EQ(number_of(*find(result, "tool_use_result"), "exitCode"), 7);
}

TEST(ExecBash, ASignalIsTold) {
  const TempFolder folder;
  EXPECT_EQ(content(run(folder, "kill -SEGV $$")), "Killed by signal 11 (SIGSEGV)");
}

TEST(ExecBash, NoOutputIsSaid) {
  const TempFolder folder;
  EXPECT_EQ(content(run(folder, "true")), "(Bash completed with no output)");
}

TEST(ExecBash, StandardInputIsEmpty) {
  const TempFolder folder;
  EXPECT_EQ(content(run(folder, "wc -c; if read line; then echo a line; else echo no line; fi")), "0\nno line");
}

TEST(ExecBash, ACommandThatPutsAPipeInThePlaceOfItsNoteIsAnswered) {
  const TempFolder folder;
  const Json result =
      run(folder,
          "cd .; note=$(trap -p EXIT | grep -o \"/[^']*/cwd-[^']*\"); mv \"$note\" old && mkfifo \"$note\" && "
          "kill -KILL $$");
  EXPECT_TRUE(content(result).starts_with("Killed by signal 9 (SIGKILL)")) << content(result);
}

TEST(ExecBash, TheWorkingDirectoryLastsFromCallToCallAndMessageToMessage) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "a/b");
  DeftExec deft(folder, kBypass);
  deft.bash("1", "cd a");
  deft.bash("2", "pwd; cd b");
  deft.send_line(R"({"type":"end"})");
  deft.bash("3", "pwd");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("2")), folder / "a");
  EXPECT_EQ(content(deft.result("3")), folder / "a/b");
}

TEST(ExecBash, AWorkingDirectoryOutsideTheDirectoriesIsReset) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.bash("1", "cd /usr && echo moved");
  deft.bash("2", "pwd");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("1")), "moved\nShell cwd was reset to " + folder.path());
  EXPECT_EQ(content(deft.result("2")), folder.path());
}

TEST(ExecBash, AWorkingDirectoryThatACommandRemovesIsReset) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "gone");
  DeftExec deft(folder, kBypass);
  deft.bash("1", "cd gone");
  deft.bash("2", "rmdir " + folder / "gone");
  deft.bash("3", "pwd");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("2")), "Shell cwd was reset to " + folder.path());
  EXPECT_EQ(content(deft.result("3")), folder.path());
}

TEST(ExecBash, AWorkingDirectoryThatSomebodyElseRemovedStopsOneCommandAndNotTheSession) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "gone");
  DeftExec deft(folder, kBypass);
  deft.bash("1", "cd gone");
  deft.result("1");
  std::filesystem::remove(folder / "gone");
  deft.bash("2", "touch somewhere");
  deft.send_line(R"({"type":"end"})");
  deft.bash("3", "pwd");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("2")),
            "Not run: the working directory " + folder / "gone" + " is gone.\nShell cwd was reset to " + folder.path());
  EXPECT_EQ(text_of(deft.result("2"), "code"), "not_found");
  EXPECT_EQ(content(deft.result("3")), folder.path());
  EXPECT_TRUE(folder.names().empty());
}

TEST(ExecBash, ATimeoutEndsTheWholeTree) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.call(
      "a", "Bash",
      {{"command", "echo started; (trap '' TERM; sleep 3600; true) & setsid sleep 3600 & wait"}, {"timeout", 300}});
  const Json result = deft.result("a");
  EXPECT_TRUE(content(result).starts_with("Command timed out after 300 ms and was ended.")) << content(result);
  EXPECT_TRUE(content(result).ends_with("\nstarted")) << content(result);
  EXPECT_EQ(text_of(result, "code"), "timeout");
  EXPECT_TRUE(deft.commands().empty());
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecBash, ProcessesLeftBehindAreNamedAndEnded) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.bash("a", "sleep 3600 & echo done");
  const std::string text = content(deft.result("a"));
  EXPECT_TRUE(text.starts_with("done\nStill running when the command ended, and ended with it: sleep 3600")) << text;
  EXPECT_TRUE(deft.commands().empty());
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecBash, SecretsAreNotInItsEnvironment) {
  const TempFolder folder;
  const Json result =
      run(folder, "env; true",
          {"ANTHROPIC_API_KEY=secret-1", "OPENAI_API_KEY=secret-2", "ANTHROPIC_AUTH_TOKEN=secret-3", "ORDINARY=kept"});
  EXPECT_EQ(content(result).find("secret"), std::string::npos) << content(result);
  EXPECT_NE(content(result).find("ORDINARY=kept"), std::string::npos) << content(result);
}

TEST(ExecBash, TheUsersProfileIsRunOnceForAllCommands) {
  const TempFolder folder;
  DeftExec deft(folder, {.arguments = kBypass, .from_a_shell = false});
  deft.temporary.put(
      ".bash_profile",
      "echo run >> ~/runs\necho noise\nexport FROM_PROFILE=$((6 * 7)) OPENAI_API_KEY=secret\nexec 2>&1\n");
  deft.bash("1", "echo $FROM_PROFILE $OPENAI_API_KEY");
  deft.bash("2", "echo $FROM_PROFILE; cat ~/runs");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("1")), "42");
  EXPECT_EQ(content(deft.result("2")), "42\nrun");
}

TEST(ExecBash, AProfileThatNeverEndsOrLeavesTheShellIsDoneWithout) {
  for (const char* profile : {"exec false\n", "exit 3\n", "kill -9 $$\n"}) {
    const TempFolder folder;
    DeftExec deft(folder, {.arguments = kBypass, .from_a_shell = false});
    deft.temporary.put(".bash_profile", profile);
    deft.bash("1", "echo works");
    EXPECT_EQ(content(deft.result("1")), "works") << profile;
    EXPECT_EQ(deft.finish(), 0);
  }
}

// Another process's memory map: nothing is changed by looking, but a call without rights may not.
TEST(ExecBash, AReadOnlyCallThatIsRefusedSomethingSaysSoAndCountsAsOneThatMayChangeThings) {
  const TempFolder folder;
  DeftExec deft(folder, kBypassWithEvents);
  deft.bash("first", "cat /proc/1/maps");
  deft.send_line(R"({"type":"end"})");
  deft.bash("again", "cat /proc/1/maps");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_NE(content(deft.result("first")).find("judged to only read"), std::string::npos)
      << content(deft.result("first"));
  EXPECT_EQ(content(deft.result("again")).find("judged to only read"), std::string::npos)
      << content(deft.result("again"));
}

TEST(ExecBash, ACommandThatShowsAFileCountsAsReadingIt) {
  const TempFolder folder;
  folder.put("file", "one\ntwo\n");
  folder.put("part", "one\ntwo\nthree\n");
  folder.put("counted", "one\n");
  DeftExec deft(folder, kBypass);
  deft.bash("1", "cat file");
  deft.edit("2", folder / "file", "two", "2");
  deft.bash("3", "sed -n '1,2p' part");
  deft.edit("4", folder / "part", "two", "2");
  deft.bash("5", "wc -l counted");
  deft.edit("6", folder / "counted", "one", "1");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(is_error(deft.result("2"))) << content(deft.result("2"));
  EXPECT_FALSE(is_error(deft.result("4"))) << content(deft.result("4"));
  EXPECT_EQ(text_of(deft.result("6"), "code"), "not_read");
}

TEST(ExecBash, AReadOnlyCallCanChangeTheDirectoryOfTheNextOne) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "a");
  DeftExec deft(folder);  // nothing needs permission here
  deft.bash("1", "cd a && ls");
  deft.bash("2", "pwd");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("2")), folder / "a");
}

TEST(ExecBash, AReadOnlyCallSeesNoVariableAsUnsetThatIsSet) {
  const TempFolder folder;
  EXPECT_EQ(content(run(folder, "echo $ORDINARY", {"ORDINARY=kept"})), "kept");
}

TEST(ExecBash, ADaemonOfTheSettingsStaysUntilTheSessionEnds) {
  const TempFolder folder;
  DeftExec deft(folder, {"--permission-mode", "bypassPermissions", "--settings", R"({"shell":{"daemons":["sleep"]}})"});
  deft.bash("1", "sleep 1000 & echo started");
  const std::string text = content(deft.result("1"));
  EXPECT_NE(text.find("Left running until the session ends"), std::string::npos) << text;
  EXPECT_EQ(deft.commands().size(), 1U);
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(deft.leaves_no_command());
}

TEST(ExecBash, ALimitThatIsHitIsToldByName) {
  const TempFolder folder;
  DeftExec deft(folder, {"--permission-mode", "bypassPermissions", "--settings",
                         R"({"shell":{"limits":{"fileMb":1,"openFiles":64}}})"});
  deft.bash("1", "exec head -c 2000000 /dev/zero > big");
  const std::string text = content(deft.result("1"));
  EXPECT_NE(text.find("shell.limits.fileMb, which is 1 here"), std::string::npos) << text;
  deft.send_line(R"({"type":"end"})");
  deft.bash("2", R"(perl -e 'for (1..200) { open($f[$_], "<", "/dev/null") or die "$!\n" }')");
  const std::string files = content(deft.result("2"));
  EXPECT_NE(files.find("shell.limits.openFiles, which is 64 here"), std::string::npos) << files;
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecBash, WhatChangesBashItselfIsNotInItsEnvironment) {
  const TempFolder folder;
  const std::string file = folder.put("rc", "echo injected\n");
  const Json result = run(folder, "ls() { echo no; }; echo own; type -t sudoers",
                          {"BASH_ENV=" + file, "ENV=" + file, "SHELLOPTS=xtrace", "PS4=injected",
                           "BASH_FUNC_sudoers%%=() { echo injected; }"});
  EXPECT_EQ(content(result), "Exit code 1\nown");
}

TEST(ExecBash, HugeOutputIsBoundedAndKeptInTheSession) {
  const TempFolder folder;
  DeftExec deft(folder, {"--permission-mode", "bypassPermissions", "--session", folder / "session"});
  deft.bash("big", "echo first; seq 1 200000; echo last");
  EXPECT_EQ(deft.finish(), 0);
  const std::string text = content(deft.result("big"));
  EXPECT_LT(text.size(), 3'000U);
  EXPECT_NE(text.find("\nfirst\n1\n2\n"), std::string::npos) << text.substr(0, 100);
  EXPECT_TRUE(text.ends_with("\n199999\n200000\nlast\n</persisted-output>"));
  const std::string file = folder / "session/tool-results/big.txt";
  EXPECT_NE(text.find(file), std::string::npos);

  const std::string kept = *folder.bytes("session/tool-results/big.txt");
  EXPECT_TRUE(kept.starts_with("first\n1\n2\n"));
  EXPECT_TRUE(kept.ends_with("\n200000\nlast\n"));
  struct stat status{};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST(ExecBash, InvalidUtf8IsMadeValid) {
  const TempFolder folder;
  const std::string text = content(run(folder, R"(printf 'a\xff\xfeb \xe2\x82 c\xc3\xa9')"));
  EXPECT_TRUE(text.starts_with("a\uFFFD")) << text;
  EXPECT_TRUE(text.ends_with("\uFFFD c\u00e9")) << text;
  EXPECT_EQ(text, to_valid_utf8(text));
}

TEST(ExecBash, ItHasNoControllingTerminalAndOnlyThreeDescriptors) {
  const TempFolder folder;
  EXPECT_EQ(
      content(run(folder, "(: > /dev/tty) 2>/dev/null && echo tty; cd /proc/self/fd && echo *; cd - > /dev/null")),
      "0 1 2 3");  // 3 is the list's own
}

TEST(ExecBash, ACommandThatFloodsItsOutputForeverIsStillEnded) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.bash("a", "yes");
  deft.line("progress");
  deft.send_line(R"({"type":"abort"})");
  EXPECT_EQ(deft.wait(), 130);
  EXPECT_TRUE(deft.commands().empty());
}

}  // namespace
}  // namespace deft::testing
