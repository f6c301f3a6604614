#include <gtest/gtest.h>

#include <string>

#include "deft/testing/places.h"
#include "deft_exec.h"

namespace deft::testing {
namespace {

// What cannot be used is refused before anything runs, with words that name it.
struct Refusal {
  std::string name;
  Arguments arguments;
  std::string named;  // in the message
  std::vector<std::string> environment = {};
};

class ExecArguments : public ::testing::TestWithParam<Refusal> {};

INSTANTIATE_TEST_SUITE_P(
    Refused, ExecArguments,
    ::testing::Values(
        Refusal{"UnknownFlag", {"--faster"}, "--faster"}, Refusal{"StrayWord", {"file.jsonl"}, "file.jsonl"},
        Refusal{"MissingValue", {"--cwd"}, "--cwd"}, Refusal{"NoSuchFolder", {"--cwd", "/no/such/folder"}, "--cwd"},
        Refusal{"NoSuchAddedFolder", {"--add-dir", "/no/such/folder"}, "--add-dir"},
        Refusal{"UnknownMode", {"--permission-mode", "yolo"}, "--permission-mode"},
        Refusal{"UnknownAsk", {"--ask", "oracle"}, "--ask"},
        Refusal{"ConcurrencyZero", {"--max-concurrency", "0"}, "--max-concurrency"},
        Refusal{"ConcurrencyText", {"--max-concurrency", "many"}, "--max-concurrency"},
        Refusal{"ConcurrencyOfEnvironmentZero", {}, "DEFT_MAX_TOOL_CONCURRENCY", {"DEFT_MAX_TOOL_CONCURRENCY=0"}},
        Refusal{"ConcurrencyOfEnvironmentNegative", {}, "DEFT_MAX_TOOL_CONCURRENCY", {"DEFT_MAX_TOOL_CONCURRENCY=-3"}},
        Refusal{"ConcurrencyOfEnvironmentText", {}, "DEFT_MAX_TOOL_CONCURRENCY", {"DEFT_MAX_TOOL_CONCURRENCY=ten"}},
        Refusal{"SettingsNoFile", {"--settings", "no-such-file.json"}, "no-such-file.json"},
        Refusal{"SettingsBrokenJson", {"--settings", R"({"permissions":)"}, "--settings"},
        Refusal{"SettingsWrongPermissions", {"--settings", R"({"permissions":[]})"}, "permissions"},
        Refusal{"SettingsWrongRules", {"--settings", R"({"permissions":{"deny":"Bash"}})"}, "permissions.deny"},
        Refusal{"SettingsWrongRule", {"--settings", R"({"permissions":{"allow":["Bash(oops"]}})"}, "Bash(oops"},
        Refusal{
            "SettingsWrongMode", {"--settings", R"({"permissions":{"defaultMode":"x"}})"}, "permissions.defaultMode"},
        Refusal{"SettingsWrongScheduling", {"--settings", R"({"scheduling":"chaos"})"}, "scheduling"},
        Refusal{"SettingsWrongStreaming", {"--settings", R"({"streaming":3})"}, "streaming"},
        Refusal{"SettingsWrongSiblings",
                {"--settings", R"({"cancelSiblingsOnFailure":"maybe"})"},
                "cancelSiblingsOnFailure"}),
    [](const auto& refusal) { return refusal.param.name; });

TEST_P(ExecArguments, AreRefusedWithTwoAndAMessageThatNamesThem) {
  const TempFolder folder;
  const Finished run = run_deft(folder, {.arguments = GetParam().arguments, .environment = GetParam().environment},
                                R"({"type":"tool_use","id":"a","name":"Bash","input":{"command":"echo ran"}})");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.errors.find(GetParam().named), std::string::npos) << run.errors;
  EXPECT_EQ(run.output, "");
}

TEST(ExecHelp, TellsTheOptionsAndShowsExamples) {
  const TempFolder folder;
  const Finished run = run_deft(folder, {.arguments = {"--help"}});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* word : {"Examples:", "--cwd", "--add-dir", "--settings", "--permission-mode", "--max-concurrency",
                           "--session", "--ask", "--events", "--dry-run", "Exit code"}) {
    EXPECT_NE(run.output.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(run.errors, "");
}

TEST(ExecWorkingDirectory, IsWhereCallsStart) {
  const TempFolder folder;
  folder.put("inner/file", "found");
  DeftExec deft(folder, {"--cwd", "inner"});
  deft.bash("a", "cat file");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("a")), "found");
}

TEST(ExecStandardStreams, AClosedOutputNeverBecomesAFileOfOurs) {
  const TempFolder folder;
  Program program({.argv = {"/bin/bash", "-c", "exec \"$0\" exec --session session >&-", DEFT_PROGRAM},
                   .environment = {"PATH=/usr/bin:/bin"},
                   .directory = folder.path()});
  program.write(R"({"type":"tool_use","id":"a","name":"Bash","input":{"command":"echo hello"}})");
  program.close_input();
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(folder.bytes("session/journal.jsonl")->find("tool_result"), std::string::npos);
}

}  // namespace
}  // namespace deft::testing
