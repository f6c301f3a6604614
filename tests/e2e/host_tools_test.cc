#include <gtest/gtest.h>

#include <string>

#include "deft_exec.h"

// Tools of the host's own: offered, called and answered by lines.

namespace deft::testing {
namespace {

constexpr std::string_view kTools =
    R"({"type":"tools","tools":[)"
    R"({"name":"Look","description":"Looks.","input_schema":{"type":"object"},"annotations":{"readOnlyHint":true}},)"
    R"({"name":"Post","description":"Posts.","input_schema":{"type":"object","properties":{"text":{"type":"string"}},)"
    R"("required":["text"]}}]})";

void answer(DeftExec& deft, std::string_view id, JsonObject answer) {
  answer["type"] = "call_result";
  answer["tool_use_id"] = std::string(id);
  deft.send_line(to_json(answer));
}

TEST(ExecHostTools, ACallGoesOutAndItsAnswerComesBackAsTheResult) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send_line(kTools);
  deft.call("p", "Post", {{"text", "hello"}});
  EXPECT_EQ(to_json(deft.line("call")), R"({"type":"call","tool_use_id":"p","name":"Post","input":{"text":"hello"}})");
  answer(deft, "p", {{"content", "posted"}});
  EXPECT_EQ(content(deft.result("p")), "posted");
  EXPECT_FALSE(is_error(deft.result("p")));
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecHostTools, TheInputGoesOutAsTheModelWroteIt) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send_line(kTools);
  deft.send_line(R"({"type":"tool_use","id":"l","name":"Look","input":{"n":123456789012345678901234567890}})");
  deft.line("call");
  answer(deft, "l", {{"content", ""}});
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("l")), "(Look completed with no output)");
}

TEST(ExecHostTools, AnInputThatDoesNotFitItsSchemaNeverGoesOut) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send_line(kTools);
  deft.call("p", "Post", {{"txt", "hello"}});
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(deft.result("p"), "code"), "invalid_input");
  EXPECT_TRUE(deft.lines("call").empty());
}

TEST(ExecHostTools, AnErrorAnswerIsAnErrorResult) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send_line(kTools);
  deft.call("p", "Post", {{"text", ""}});
  deft.line("call");
  answer(deft, "p", {{"content", "no network"}, {"is_error", true}});
  EXPECT_TRUE(is_error(deft.result("p")));
  EXPECT_EQ(content(deft.result("p")), "no network");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecHostTools, ContentBlocksAndStructuredContentArePassedOn) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send_line(kTools);
  deft.call("l", "Look", {});
  deft.line("call");
  deft.send_line(R"({"type":"call_result","tool_use_id":"l","content":[{"type":"text","text":"a cat"},)"
                 R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}],)"
                 R"("structured_content":{"animal":"cat"}})");
  const Json result = deft.result("l");
  EXPECT_EQ(to_json(*find(result, "content")),
            R"([{"type":"text","text":"a cat"},)"
            R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}])");
  EXPECT_EQ(to_json(*find(result, "tool_use_result")), R"({"animal":"cat"})");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecHostTools, ReadOnlyOnesAreOutTogetherAndOthersOneAfterAnother) {
  const TempFolder folder;
  DeftExec deft(folder, kBypassWithEvents);
  deft.send_line(kTools);
  for (const char* id : {"l1", "l2", "l3"}) deft.call(id, "Look", {});
  for (const char* id : {"p1", "p2"}) deft.call(id, "Post", {{"text", id}});
  for (const char* id : {"l1", "l2", "l3"}) deft.line_of_call("call", id);
  deft.stage("p2", "schema");
  EXPECT_EQ(deft.lines("call").size(), 3U);
  for (const char* id : {"l3", "l2", "l1"}) answer(deft, id, {{"content", "seen"}});
  deft.line_of_call("call", "p1");
  EXPECT_EQ(deft.lines("call").size(), 4U);
  answer(deft, "p1", {{"content", "posted"}});
  deft.line_of_call("call", "p2");
  answer(deft, "p2", {{"content", "posted"}});
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(deft.answered_ids(), (std::vector<std::string>{"l1", "l2", "l3", "p1", "p2"}));
}

TEST(ExecHostTools, AHintThatAToolOnlyReadsGrantsNothing) {
  const TempFolder folder;
  DeftExec deft(folder);
  deft.send_line(kTools);
  deft.call("l", "Look", {});
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(deft.result("l"), "code"), "denied");
  EXPECT_TRUE(deft.lines("call").empty());
}

TEST(ExecHostTools, ACallThatIsNeverAnsweredFailsWhenTheInputEnds) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send_line(kTools);
  deft.call("l", "Look", {});
  deft.line("call");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(is_error(deft.result("l")));
  EXPECT_EQ(text_of(deft.result("l"), "code"), "failed");
}

TEST(ExecHostTools, AnAbortWithdrawsTheCall) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send_line(kTools);
  deft.call("p", "Post", {{"text", "a"}});
  deft.line("call");
  deft.send_line(R"({"type":"abort"})");
  EXPECT_EQ(deft.wait(), 130);
  EXPECT_EQ(text_of(deft.line("call_withdrawn"), "tool_use_id"), "p");
  EXPECT_EQ(text_of(deft.result("p"), "code"), "cancelled");
}

TEST(ExecHostTools, TheHostMayAnswerBeforeItIsAskedSoThatItCanWriteEverythingAtOnce) {
  const TempFolder folder;
  const Finished run = run_deft(folder, {.arguments = kBypass},
                                std::string(kTools) + "\n" +
                                    R"({"type":"call_result","tool_use_id":"l","content":"seen"})"
                                    "\n"
                                    R"({"type":"tool_use","id":"l","name":"Look","input":{}})");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.output.find(R"("content":"seen")"), std::string::npos) << run.output;
}

TEST(ExecHostTools, ASecondAnswerToACallIsANoticeAndChangesNothing) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send_line(kTools);
  deft.call("l", "Look", {});
  deft.line("call");
  answer(deft, "l", {{"content", "first"}});
  deft.result("l");
  answer(deft, "l", {{"content", "second"}});
  deft.line("notice");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(deft.answered_ids(), std::vector<std::string>{"l"});
  EXPECT_EQ(content(deft.result("l")), "first");
}

TEST(ExecHostTools, AStrangerNeverTakesTheNameOfABuiltInTool) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send_line(R"({"type":"tools","tools":[{"name":"Bash","input_schema":{"type":"object"}}]})");
  deft.bash("b", "echo the real one");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("b")), "the real one");
  EXPECT_TRUE(deft.lines("call").empty());
}

TEST(ExecHostTools, ABrokenDefinitionIsReportedAndTheOthersCount) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send_line(R"({"type":"tools","tools":[{"name":"Broken"},{"name":"Good","input_schema":{"type":"object"}}]})");
  EXPECT_NE(text_of(deft.line("error"), "message").find("Broken"), std::string::npos);
  deft.call("g", "Good", {});
  deft.line("call");
  answer(deft, "g", {{"content", "fine"}});
  EXPECT_EQ(content(deft.result("g")), "fine");
  EXPECT_EQ(deft.finish(), 0);
}

}  // namespace
}  // namespace deft::testing
