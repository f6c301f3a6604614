#include "deft/agent/hook_overflow.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "deft/base/utf8.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

Result<std::string> keep_nothing(std::string_view) { return fail(Errc::io, "the disk is full"); }

TEST(HookOverflow, AShortTextIsPassedOnAsItIs) {
  std::string text;
  for (std::size_t i = 0; i < kHookTextCharactersMax; ++i) text += "ä";  // characters count, not bytes
  EXPECT_EQ(bounded_hook_text(text, keep_nothing), text);
}

TEST(HookOverflow, OfALongTextTheStartIsPassedOnAndTheRestIsInAFileForTheUserAlone) {
  const TempFolder folder;
  const std::string text(kHookTextCharactersMax + 1, 'x');
  HookAnswer answer{.context = text};
  bound_answer(answer, [&](std::string_view all) { return keep_hook_text(folder / "session", "a/../b", all); });
  EXPECT_LT(answer.context.size(), 2 * kHookPreviewBytesMax);
  const auto begin = answer.context.find(folder.path());
  ASSERT_NE(begin, std::string::npos) << answer.context;
  const std::string path = answer.context.substr(begin, answer.context.find(']') - begin);
  EXPECT_EQ(folder.bytes(path.substr(folder.path().size() + 1)), text);
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ASSERT_EQ(::stat((folder / "session/hook-output").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST(HookOverflow, WhatCannotBeKeptIsSaid) {
  const std::string text = bounded_hook_text(std::string(kHookTextCharactersMax * 2, 'x'), keep_nothing);
  EXPECT_TRUE(text.contains("the disk is full")) << text;
  EXPECT_FALSE(keep_hook_text("", "n", "x"));
  EXPECT_FALSE(keep_hook_text("/proc/nowhere", "n", "x"));
}

TEST(HookOverflow, ACutIsNeverInsideACharacter) {
  std::string text = "x";
  for (std::size_t i = 0; i < kHookTextCharactersMax; ++i) text += "ä";
  EXPECT_TRUE(is_utf8(bounded_hook_text(text, keep_nothing)));
}

}  // namespace
}  // namespace deft
