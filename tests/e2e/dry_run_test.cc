#include <gtest/gtest.h>

#include <string>

#include "deft_exec.h"
#include "provider_streams.h"

namespace deft::testing {
namespace {

constexpr std::string_view kBlocks =
    R"("content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"touch a"}},)"
    R"({"type":"tool_use","id":"t2","name":"Bash","input":{"command":"touch b"}}],"stop_reason":"tool_use")";

class ExecDryRun : public ::testing::TestWithParam<CallFormat> {};

INSTANTIATE_TEST_SUITE_P(Formats, ExecDryRun, ::testing::ValuesIn(call_formats()),
                         [](const auto& format) { return std::string(format.param.name); });

TEST_P(ExecDryRun, PrintsTheMessageAndRunsNothing) {
  const TempFolder folder;
  const Finished run = run_deft(folder, {.arguments = {"--dry-run", "--permission-mode", "bypassPermissions"}},
                                GetParam().stream("touch a", "touch b").whole());
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(run.output.starts_with(R"({"type":"message",)" + std::string(kBlocks))) << run.output;
  EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 1) << run.output;
  EXPECT_TRUE(folder.names().empty());
}

TEST(ExecDryRunLines, AnEndSeparatesMessagesAndABrokenLineIsReported) {
  const TempFolder folder;
  DeftExec deft(folder, {"--dry-run"});
  deft.bash("a", "true");
  deft.send_line(R"({"type":"end"})");
  deft.send_line("rubbish");
  deft.bash("b", "true");
  deft.bash("discarded", "true");
  deft.send_line(R"({"type":"discard"})");
  deft.bash("c", "true");
  deft.send_line(R"({"role":"assistant","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn"})");
  EXPECT_EQ(deft.finish(), 0);

  std::vector<std::string> ids;
  for (const Json& message : deft.lines("message")) {
    for (const Json& block : *find_array(message, "content")) ids.push_back(text_of(block, "id"));
    ids.emplace_back("|");
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"a", "|", "c", "|", "", "|"}));
  EXPECT_EQ(text_of(deft.lines("message").back(), "stop_reason"), "end_turn");
  EXPECT_EQ(number_of(deft.line("error"), "line"), 3);
}

TEST(ExecDryRunLines, InputsKeepEveryDigit) {
  const TempFolder folder;
  const Finished run =
      run_deft(folder, {.arguments = {"--dry-run"}},
               R"({"type":"tool_use","id":"a","name":"X","input":{"n":123456789012345678901234567890}})");
  EXPECT_NE(run.output.find(R"("input":{"n":123456789012345678901234567890})"), std::string::npos) << run.output;
}

TEST(ExecDryRunLines, AMessageIsPrintedAsSoonAsItIsComplete) {
  const TempFolder folder;
  DeftExec deft(folder, {"--dry-run"});
  deft.send(call_formats()[1].stream("true", "true").whole());
  deft.line("message");  // the input is still open
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecDryRunLines, AFailedStreamGivesAnError) {
  const TempFolder folder;
  DeftExec deft(folder, {"--dry-run"});
  deft.send(call_formats()[1].stream("true", "true").until_first());
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(deft.lines("error").size(), 1U);
  EXPECT_TRUE(deft.lines("message").empty());
}

}  // namespace
}  // namespace deft::testing
