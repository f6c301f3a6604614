#include <gtest/gtest.h>

#include <string>

#include "deft_exec.h"

// Input that cannot be carried out: each is answered or reported, and the rest goes on.

namespace deft::testing {
namespace {

TEST(ExecBrokenInput, ALineThatIsNotJsonIsReportedWithItsNumberAndTheRestGoesOn) {
  const TempFolder folder;
  DeftExec deft(folder);
  deft.bash("before", "echo before");
  deft.send_line("");
  deft.send_line(R"({"type":"tool_use","id":)");
  deft.send_line(R"([1,2])");
  deft.send_line(R"({"type":"never heard of"})");
  deft.bash("after", "echo after");
  EXPECT_EQ(deft.finish(), 0);

  std::vector<std::int64_t> numbers;
  for (const Json& error : deft.lines("error")) numbers.push_back(number_of(error, "line"));
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{3, 4, 5}));
  EXPECT_EQ(text_of(deft.line("error"), "code"), "invalid_json");
  EXPECT_EQ(deft.answered_ids(), (std::vector<std::string>{"before", "after"}));
}

TEST(ExecBrokenInput, BinaryRubbishIsReportedAndTheRestGoesOn) {
  const TempFolder folder;
  DeftExec deft(folder);
  deft.send_line(std::string_view("\0\xff\xfe{\x80", 5));
  deft.bash("after", "echo after");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(number_of(deft.line("error"), "line"), 1);
  EXPECT_EQ(content(deft.result("after")), "after");
}

TEST(ExecBrokenInput, NoInputAtAllIsNoCallAndNoError) {
  const TempFolder folder;
  const Finished run = run_deft(folder, {});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.output, R"({"type":"done","calls":0,"errors":0,"reason":"completed"})"
                        "\n");
}

TEST(ExecBrokenInput, ADuplicateIdGetsAnErrorOfItsOwn) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.bash("same", "echo once");
  deft.bash("same", "touch twice");
  EXPECT_EQ(deft.finish(), 0);
  const auto results = deft.lines("tool_result");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(content(results[0]), "once");
  EXPECT_EQ(text_of(results[1], "code"), "duplicate_id");
  EXPECT_FALSE(folder.bytes("twice"));
}

TEST(ExecBrokenInput, AnUnknownToolIsAnswered) {
  const TempFolder folder;
  DeftExec deft(folder);
  deft.call("x", "Teleport", {});
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("x")), "<tool_use_error>No such tool available: Teleport</tool_use_error>");
  EXPECT_EQ(text_of(deft.result("x"), "code"), "unknown_tool");
}

TEST(ExecBrokenInput, AWrongInputNamesEveryPathAndWhatWasExpected) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.call("x", "Bash", {{"command", 7}, {"timeout", "soon"}});
  EXPECT_EQ(deft.finish(), 0);
  const std::string text = content(deft.result("x"));
  EXPECT_TRUE(text.starts_with("<tool_use_error>InputValidationError:")) << text;
  for (const char* word : {"command", "string", "timeout", "integer"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in " << text;
  }
  EXPECT_EQ(text_of(deft.result("x"), "code"), "invalid_input");
}

TEST(ExecBrokenInput, AnInputThatIsNoObjectIsAnswered) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send_line(R"({"type":"tool_use","id":"x","name":"Bash","input":"touch file"})");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(deft.result("x"), "code"), "invalid_json");
  EXPECT_TRUE(folder.names().empty());
}

TEST(ExecBrokenInput, AHostileIdNamesNoFileOutsideTheSession) {
  const TempFolder folder;
  DeftExec deft(folder, {"--permission-mode", "bypassPermissions", "--session", folder / "session"});
  deft.bash("../../escaped", "cd /; head -c 100000 /dev/zero | tr '\\0' x");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(is_error(deft.result("../../escaped")));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"session"});
}

}  // namespace
}  // namespace deft::testing
