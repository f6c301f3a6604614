#include <gtest/gtest.h>

#include <string>

#include "deft_exec.h"
#include "provider_streams.h"

// Calls run while the message that holds them is still being written, in each format that deft reads.

namespace deft::testing {
namespace {

class ExecStream : public ::testing::TestWithParam<CallFormat> {
 protected:
  const TempFolder folder;
};

INSTANTIATE_TEST_SUITE_P(Formats, ExecStream, ::testing::ValuesIn(call_formats()),
                         [](const auto& format) { return std::string(format.param.name); });

bool appears(const TempFolder& folder, std::string_view name) {
  return eventually([&] { return folder.bytes(name).has_value(); });
}

TEST_P(ExecStream, ACallStartsWhileTheNextOneStillStreams) {
  const StreamedCalls calls = GetParam().stream("echo begun; touch first", "touch second");
  DeftExec deft(folder, kBypass);
  deft.send(calls.until_first());

  EXPECT_EQ(text_of(deft.line_of_call("progress", "t1"), "tool_use_id"), "t1");
  EXPECT_TRUE(appears(folder, "first"));
  EXPECT_EQ(content(deft.result("t1")), "begun");  // and its answer is not held back either
  EXPECT_FALSE(folder.bytes("second"));

  deft.send(calls.rest);
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(deft.answered_ids(), (std::vector<std::string>{"t1", "t2"}));
  EXPECT_TRUE(folder.bytes("second"));
}

TEST_P(ExecStream, BytesOneByOneGiveTheSame) {
  const std::string bytes = GetParam().stream("touch first", "touch second").whole();
  DeftExec deft(folder, kBypass);
  for (const char& byte : bytes) deft.send({&byte, 1});
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(to_json(deft.lines().back()), R"({"type":"done","calls":2,"errors":0,"reason":"completed"})");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"first", "second"}));
}

TEST_P(ExecStream, ACallWhoseInputIsCutOffAtAnyByteNeverRuns) {
  const StreamedCalls calls = GetParam().stream("touch ran", "touch ran");
  for (std::size_t length = 0; length < calls.first_input.size(); ++length) {
    const Finished run =
        run_deft(folder, {.arguments = kBypass}, calls.beginning + calls.first_input.substr(0, length));
    ASSERT_EQ(run.exit_code, 0) << length;
    ASSERT_TRUE(run.output.ends_with(R"({"type":"done","calls":0,"errors":0,"reason":"completed"})"
                                     "\n"))
        << "cut off after " << calls.first_input.substr(0, length) << "\n"
        << run.output;
    ASSERT_FALSE(folder.bytes("ran")) << "cut off after " << calls.first_input.substr(0, length);
  }
}

TEST_P(ExecStream, ACutOffCallIsReportedAndTheCompleteOneBeforeItIsAnswered) {
  DeftExec deft(folder, kBypass);
  deft.send(GetParam().stream("touch first", "touch second").until_first());
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(deft.answered_ids(), std::vector<std::string>{"t1"});
  EXPECT_EQ(deft.lines("error").size(), 1U);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"first"});
}

TEST(ExecStreamFailure, AnErrorOfTheProviderIsToldAndItsCompleteCallsAreAnswered) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send(call_formats()[1].stream("touch first", "touch second").until_first());
  deft.send("data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(deft.line("error"), "provider_code"), "overloaded_error");
  EXPECT_EQ(deft.answered_ids(), std::vector<std::string>{"t1"});
  EXPECT_FALSE(folder.bytes("second"));
}

}  // namespace
}  // namespace deft::testing
