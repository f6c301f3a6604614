#include <gtest/gtest.h>

#include <string>

#include "deft_exec.h"

// --ask host: questions go out as lines, answers come back as lines.

namespace deft::testing {
namespace {

const Arguments kAskHost = {"--ask", "host"};

// The question about this call.
Json question(DeftExec& deft, std::string_view id) { return deft.line_of_call("permission_request", id); }

void answer(DeftExec& deft, const Json& question, JsonObject answer) {
  answer["type"] = "permission";
  answer["id"] = text_of(question, "id");
  deft.send_line(to_json(answer));
}

TEST(ExecAskHost, AnAllowedCallRuns) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch allowed");
  const Json asked = question(deft, "a");
  EXPECT_EQ(text_of(asked, "name"), "Bash");
  EXPECT_EQ(text_of(asked, "title"), "Bash(touch allowed)");
  EXPECT_EQ(text_of(*find(asked, "input"), "command"), "touch allowed");
  EXPECT_FALSE(text_of(asked, "reason").empty());
  EXPECT_TRUE(folder.names().empty());

  answer(deft, asked, {{"decision", "allow"}});
  EXPECT_FALSE(is_error(deft.result("a")));
  EXPECT_TRUE(folder.bytes("allowed"));
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecAskHost, ADeniedCallDoesNotRunAndTheModelIsToldWhatTheUserSaid) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch denied");
  answer(deft, question(deft, "a"), {{"decision", "deny"}, {"message", "use make instead"}});
  EXPECT_EQ(text_of(deft.result("a"), "code"), "denied");
  EXPECT_NE(content(deft.result("a")).find("use make instead"), std::string::npos);
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(folder.names().empty());
}

TEST(ExecAskHost, ADenialCancelsNoSibling) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("denied", "touch denied");
  deft.bash("allowed", "touch allowed");
  answer(deft, question(deft, "denied"), {{"decision", "deny"}});
  answer(deft, question(deft, "allowed"), {{"decision", "allow"}});
  EXPECT_FALSE(is_error(deft.result("allowed")));
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecAskHost, ADenialMayEndTheTurn) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch a");
  deft.bash("b", "touch b");
  answer(deft, question(deft, "a"), {{"decision", "deny"}, {"interrupt", true}});
  EXPECT_EQ(deft.wait(), 130);
  EXPECT_EQ(deft.answered_ids(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(folder.names().empty());
}

TEST(ExecAskHost, AnUpdatedInputIsWhatRuns) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch original");
  answer(deft, question(deft, "a"), {{"decision", "allow"}, {"updated_input", {{"command", "touch updated"}}}});
  EXPECT_FALSE(is_error(deft.result("a")));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"updated"});
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecAskHost, AnUpdatedInputIsCheckedAgain) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch original");
  answer(deft, question(deft, "a"), {{"decision", "allow"}, {"updated_input", {{"command", 1}}}});
  EXPECT_EQ(text_of(deft.result("a"), "code"), "invalid_input");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(folder.names().empty());
}

TEST(ExecAskHost, TwoQuestionsAreOpenAtOnceAndMayBeAnsweredInAnyOrder) {
  const TempFolder folder;
  const TempFolder elsewhere;
  elsewhere.put("a", "first");
  elsewhere.put("b", "second");
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "cat " + elsewhere / "a");
  deft.bash("b", "cat " + elsewhere / "b");
  const Json about_a = question(deft, "a");
  const Json about_b = question(deft, "b");
  EXPECT_NE(text_of(about_a, "id"), text_of(about_b, "id"));

  answer(deft, about_b, {{"decision", "allow"}});
  answer(deft, about_a, {{"decision", "allow"}});
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(deft.answered_ids(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(content(deft.result("a")), "first");
  EXPECT_EQ(content(deft.result("b")), "second");
}

TEST(ExecAskHost, AnAnswerCountsOnceAndOnlyForItsQuestion) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch a");
  deft.bash("b", "touch b");
  const Json about_a = question(deft, "a");
  answer(deft, about_a, {{"decision", "allow"}});
  const Json about_b = question(deft, "b");
  answer(deft, about_a, {{"decision", "allow"}});  // again: answers nothing
  deft.line("notice");
  answer(deft, about_b, {{"decision", "deny"}});
  EXPECT_EQ(text_of(deft.result("b"), "code"), "denied");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

TEST(ExecAskHost, AnAnswerThatMakesNoSenseIsReportedAndTheQuestionStaysOpen) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch a");
  const Json asked = question(deft, "a");
  answer(deft, asked, {{"decision", "perhaps"}});
  EXPECT_EQ(number_of(deft.line("error"), "line"), 2);
  answer(deft, asked, {{"decision", "allow"}});
  EXPECT_FALSE(is_error(deft.result("a")));
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecAskHost, WhatIsAskedWhenTheInputEndsIsDenied) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch a");
  question(deft, "a");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(deft.result("a"), "code"), "denied");
  EXPECT_TRUE(folder.names().empty());
}

TEST(ExecAskHost, AnAbortWithdrawsTheQuestion) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch a");
  const Json asked = question(deft, "a");
  deft.send_line(R"({"type":"abort"})");
  EXPECT_EQ(deft.wait(), 130);
  EXPECT_EQ(text_of(deft.line("permission_withdrawn"), "id"), text_of(asked, "id"));
  EXPECT_EQ(content(deft.result("a")),
            "<tool_use_error>Cancelled: the user aborted; it was not started</tool_use_error>");
}

TEST(ExecAskHost, WithoutAHostToAskAQuestionIsADenialThatSaysSo) {
  const TempFolder folder;
  DeftExec deft(folder);
  deft.bash("a", "touch a");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(deft.result("a"), "code"), "denied");
  EXPECT_NE(content(deft.result("a")).find("nobody can be asked"), std::string::npos);
  EXPECT_TRUE(deft.lines("permission_request").empty());
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace deft::testing
