#include "deft/agent/result_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "deft/base/utf8.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

TEST(ResultStore, KeepsSmallResultsAndThoseWithoutALimitAsTheyAre) {
  const TempFolder folder;
  const ResultStore store(folder.path());
  ToolResult small{.text = std::string(30'000, 'x')};
  store.bound(small, "1", 30'000);
  EXPECT_EQ(small.text.size(), 30'000U);
  ToolResult wide{.text = {}};
  for (int i = 0; i < 30'000; ++i) wide.text += "\xE2\x82\xAC";  // 30,000 characters in 90,000 bytes
  store.bound(wide, "2", 30'000);
  EXPECT_EQ(wide.text.size(), 90'000U);
  ToolResult unlimited{.text = std::string(200'000, 'x')};
  store.bound(unlimited, "3", static_cast<std::size_t>(-1));
  EXPECT_EQ(unlimited.text.size(), 200'000U);
}

TEST(ResultStore, StoresALargeResultPrivatelyAndShowsAPreview) {
  const TempFolder folder;
  const ResultStore store(folder.path());
  const std::string full(60'000, 'y');
  ToolResult result{.text = full};
  store.bound(result, "toolu_1", 100'000);
  EXPECT_EQ(folder.bytes("tool-results/toolu_1.txt"), full);
  EXPECT_EQ(result.text, "<persisted-output>\nOutput too large (58.6 KB). Full output saved to: " +
                             (folder / "tool-results/toolu_1.txt") + "\n\nPreview (first 2.0 KB):\n" +
                             std::string(2'000, 'y') + "\n...\n</persisted-output>");
  struct stat status{};
  ASSERT_EQ(::stat((folder / "tool-results/toolu_1.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(ResultStore, WritesOnlyInsideTheSessionWhateverTheId) {
  const TempFolder folder;
  const ResultStore store(folder / "session");
  folder.put("session/.keep", "");
  ToolResult result{.text = std::string(60'000, 'z')};
  store.bound(result, "../../../etc/evil", 10);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"session"});
}

TEST(ResultStore, AnswersAlsoWhenItCannotStore) {
  const TempFolder folder;
  const ResultStore store(folder.put("a-file", "") + "/below-a-file");
  ToolResult result{.text = std::string(60'000, 'z')};
  store.bound(result, "1", 10);
  EXPECT_NE(result.text.find("could not be saved"), std::string::npos);
  EXPECT_LT(result.text.size(), 3'000U);
}

TEST(ResultStore, PreviewsEndAtALineOrBetweenCharacters) {
  EXPECT_EQ(preview_of("aaaa\nbbbb\ncc", 10), "aaaa\nbbbb");
  EXPECT_EQ(preview_of("a\nbbbbbbbbbbbb", 10), "a\nbbbbbbbb") << "a line end in the first half would lose too much";
  EXPECT_EQ(preview_of("aaaaaaaa\xE2\x82\xAC", 10), "aaaaaaaa");
  EXPECT_EQ(preview_of("short", 10), "short");
}

}  // namespace
}  // namespace deft
