#include <gtest/gtest.h>

#include <string>

#include "deft_exec.h"

namespace deft::testing {
namespace {

TEST(ExecSlowReader, StallsNoCallAndMissesNothing) {
  constexpr int kCalls = 40;
  const TempFolder folder;
  folder.put("text", std::string(20'000, 'x'));
  DeftExec deft(folder, {.arguments = {"--permission-mode", "bypassPermissions", "--settings",
                                       R"({"results":{"messageMaxChars":1000000}})"},
                         .small_output_pipe = true});
  std::vector<std::string> ids;
  for (int i = 0; i < kCalls; ++i) {
    ids.push_back("call " + std::to_string(i));
    deft.bash(ids.back(), "cat text; touch effect." + std::to_string(i));
  }
  // Nobody has read a byte, and the pipe holds less than one answer.
  ASSERT_TRUE(eventually([&] { return folder.bytes("effect." + std::to_string(kCalls - 1)).has_value(); }));

  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(deft.answered_ids(), ids);
  for (const Json& result : deft.lines("tool_result")) EXPECT_EQ(content(result), std::string(20'000, 'x'));
}

TEST(ExecSlowReader, GetsTheLatestProgressOfACallNotAllOfIt) {
  const TempFolder folder;
  folder.put("text", std::string(20'000, 'x'));
  DeftExec deft(folder, {.arguments = kBypass, .small_output_pipe = true});
  deft.bash("fills the pipe", "cat text");
  deft.bash("talks", "for i in $(seq 20); do echo line $i; sleep 0.03; done; touch finished");
  ASSERT_TRUE(eventually([&] { return folder.bytes("finished").has_value(); }));
  EXPECT_EQ(deft.finish(), 0);
  std::size_t told = 0;
  for (const Json& progress : deft.lines("progress")) told += text_of(progress, "tool_use_id") == "talks" ? 1U : 0U;
  EXPECT_LE(told, 2U);  // one that was on its way, one that waited
}

}  // namespace
}  // namespace deft::testing
