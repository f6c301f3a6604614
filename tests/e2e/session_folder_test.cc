#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <string>

#include "deft_exec.h"

// The session's folder: what is kept, how, and when it is refused.

namespace deft::testing {
namespace {

class ExecSession : public ::testing::Test {
 protected:
  std::vector<Json> journal() const {
    std::vector<Json> entries;
    std::istringstream text(*folder.bytes("session/journal.jsonl"));
    for (std::string line; std::getline(text, line);) entries.push_back(parse_json(line).value());
    return entries;
  }
  // "intent a", "result a" …
  std::vector<std::string> story() const {
    std::vector<std::string> told;
    for (const Json& entry : journal()) told.push_back(text_of(entry, "type") + " " + text_of(entry, "call"));
    return told;
  }
  // The lock that all deft processes share may stay (docs/shell.md).
  static bool has_session(const TempFolder& temporary) {
    return std::ranges::any_of(temporary.names(), [](const std::string& name) { return name.starts_with("deft-"); });
  }
  unsigned mode_of(std::string_view name) const {
    struct stat status{};
    return ::stat((folder / name).c_str(), &status) == 0 ? status.st_mode & 0777U : 0;
  }

  const TempFolder folder;
  const Arguments arguments = {"--permission-mode", "bypassPermissions", "--session", "session"};
};

TEST_F(ExecSession, TheFirstLineOfTheJournalIsItsVersion) {
  EXPECT_EQ(run_deft(folder, {.arguments = arguments}).exit_code, 0);
  const Json first = journal().at(0);
  EXPECT_EQ(text_of(first, "type"), "journal");
  EXPECT_EQ(number_of(first, "version"), 2);
}

TEST_F(ExecSession, WhatMayHaveAnEffectIsInTheJournalBeforeItBegins) {
  DeftExec deft(folder, arguments);
  deft.bash("effect", "cp session/journal.jsonl seen; exit 1");
  deft.send_line(R"({"type":"end"})");
  deft.bash("read", "echo only reading");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_NE(folder.bytes("seen")->find(R"("type":"intent")"), std::string::npos);
  EXPECT_EQ(folder.bytes("seen")->find(R"("type":"result")"), std::string::npos);
  EXPECT_EQ(story(), (std::vector<std::string>{"journal ", "intent effect", "result effect", "result read"}));
  EXPECT_EQ(text_of(*find(journal()[1], "input"), "command"), "cp session/journal.jsonl seen; exit 1");
  EXPECT_TRUE(is_error(journal()[2]));
  EXPECT_EQ(content(journal()[3]), "only reading");
}

TEST_F(ExecSession, TheIntentSurvivesAKill) {
  DeftExec deft(folder, arguments);
  deft.bash("effect", "touch begun; sleep 3600; true");
  ASSERT_TRUE(eventually([&] { return folder.bytes("begun").has_value(); }));
  deft.program.send_signal(SIGKILL);
  deft.program.wait();
  EXPECT_EQ(story(), (std::vector<std::string>{"journal ", "intent effect"}));
  EXPECT_TRUE(deft.leaves_no_command());
}

TEST_F(ExecSession, ADeniedCallLeavesNoIntent) {
  DeftExec deft(folder, {"--session", "session"});
  deft.bash("denied", "touch x");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(story(), (std::vector<std::string>{"journal ", "asked denied", "result denied"}));
}

TEST_F(ExecSession, EverythingInItIsPrivate) {
  DeftExec deft(folder, arguments);
  deft.bash("big", "umask 0; seq 1 20000");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(mode_of("session"), 0700U);
  EXPECT_EQ(mode_of("session/journal.jsonl"), 0600U);
  EXPECT_EQ(mode_of("session/tool-results"), 0700U);
  EXPECT_EQ(mode_of("session/tool-results/big.txt"), 0600U);
}

TEST_F(ExecSession, ASecondRunAppends) {
  for (const char* id : {"one", "two"}) {
    DeftExec deft(folder, arguments);
    deft.bash(id, "touch done");
    EXPECT_EQ(deft.finish(), 0);
  }
  EXPECT_EQ(story(), (std::vector<std::string>{"journal ", "intent one", "result one", "intent two", "result two"}));
}

TEST_F(ExecSession, ALineTornByACrashSwallowsNothing) {
  EXPECT_EQ(run_deft(folder, {.arguments = arguments}).exit_code, 0);
  folder.put("session/journal.jsonl", *folder.bytes("session/journal.jsonl") + R"({"type":"inte)", 0600);
  EXPECT_EQ(
      run_deft(folder, {.arguments = arguments}, R"({"type":"tool_use","id":"a","name":"Sleep","input":{"seconds":0}})")
          .exit_code,
      0);
  EXPECT_NE(folder.bytes("session/journal.jsonl")->find("{\"type\":\"inte\n{\"type\":\"result\""), std::string::npos);
}

TEST_F(ExecSession, AForeignFileIsRefusedAndLeftAlone) {
  folder.put("session/journal.jsonl", "my diary\n");
  const Finished run = run_deft(folder, {.arguments = arguments});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.errors.find("is not a journal"), std::string::npos) << run.errors;
  EXPECT_EQ(folder.bytes("session/journal.jsonl"), "my diary\n");
}

TEST_F(ExecSession, AJournalOfANewerVersionIsRefusedAndLeftAlone) {
  const std::string text = R"({"type":"journal","version":999})"
                           "\n";
  folder.put("session/journal.jsonl", text);
  const Finished run = run_deft(folder, {.arguments = arguments});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.errors.find("newer deft"), std::string::npos) << run.errors;
  EXPECT_EQ(folder.bytes("session/journal.jsonl"), text);
}

TEST_F(ExecSession, AJournalThatIsALinkIsRefused) {
  folder.put("elsewhere", "");
  std::filesystem::create_directory(folder / "session");
  std::filesystem::create_symlink(folder / "elsewhere", folder / "session/journal.jsonl");
  EXPECT_EQ(run_deft(folder, {.arguments = arguments}).exit_code, 2);
  EXPECT_EQ(folder.bytes("elsewhere"), "");
}

TEST_F(ExecSession, ATemporarySessionIsRemovedAtTheEnd) {
  DeftExec deft(folder, kBypass);
  deft.bash("a", "seq 1 20000; ls -a \"$TMPDIR\" > seen");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_NE(folder.bytes("seen")->find("deft-"), std::string::npos);
  EXPECT_FALSE(has_session(deft.temporary));
}

TEST_F(ExecSession, ATemporarySessionIsRemovedAfterAnAbortToo) {
  DeftExec deft(folder, kBypass);
  deft.bash("a", "touch begun; sleep 3600; true");
  ASSERT_TRUE(eventually([&] { return folder.bytes("begun").has_value(); }));
  deft.program.send_signal(SIGTERM);
  EXPECT_EQ(deft.wait(), 130);
  EXPECT_FALSE(has_session(deft.temporary));
}

}  // namespace
}  // namespace deft::testing
