#include "deft/agent/result_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "deft/base/base64.h"
#include "deft/base/utf8.h"
#include "deft/core/result_size.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

ToolResult text_result(std::string text, std::size_t characters_max, KeptPart kept = KeptPart::start) {
  return {.text = std::move(text), .limit = {.characters_max = characters_max, .kept = kept}};
}

Json picture(std::string_view bytes) {
  return JsonObject{{"type", "image"},
                    {"source", {{"type", "base64"}, {"media_type", "image/png"}, {"data", to_base64(bytes)}}}};
}

TEST(ResultStore, KeepsSmallResultsAndThoseWithoutALimitAsTheyAre) {
  const TempFolder folder;
  const ResultStore store(folder.path());
  ToolResult small = text_result(std::string(30'000, 'x'), 30'000);
  store.bound(small, "1");
  EXPECT_EQ(small.text.size(), 30'000U);
  ToolResult wide = text_result("", 30'000);
  for (int i = 0; i < 30'000; ++i) wide.text += "\xE2\x82\xAC";  // 30,000 characters in 90,000 bytes
  store.bound(wide, "2");
  EXPECT_EQ(wide.text.size(), 90'000U);
  ToolResult unlimited = text_result(std::string(200'000, 'x'), kUnlimited);
  store.bound(unlimited, "3");
  EXPECT_EQ(unlimited.text.size(), 200'000U);
  EXPECT_TRUE(folder.names().empty());
}

TEST(ResultStore, StoresALargeResultPrivatelyAndShowsAPreview) {
  const TempFolder folder;
  const ResultStore store(folder.path());
  const std::string full(60'000, 'y');
  ToolResult result = text_result(full, 50'000);
  store.bound(result, "toolu_1");
  EXPECT_EQ(folder.bytes("tool-results/toolu_1.txt"), full);
  EXPECT_EQ(result.text, "<persisted-output>\nOutput too large (58.6 KB). Full output saved to: " +
                             (folder / "tool-results/toolu_1.txt") + "\n\nPreview (first 2.0 KB):\n" +
                             std::string(2'000, 'y') + "\n...\n</persisted-output>");
  ASSERT_TRUE(result.stored);
  EXPECT_EQ(result.stored->path, folder / "tool-results/toolu_1.txt");
}

TEST(ResultStore, JsonIsStoredAsJson) {
  const TempFolder folder;
  const ResultStore store(folder.path());
  std::string json = "[";
  for (int i = 0; i < 20'000; ++i) json += std::to_string(i) + ",";
  ToolResult result = text_result(json + "0]", 30'000);
  store.bound(result, "good");
  EXPECT_TRUE(folder.bytes("tool-results/good.json"));
  ToolResult broken = text_result(json + "]", 30'000);
  store.bound(broken, "broken");
  EXPECT_TRUE(folder.bytes("tool-results/broken.txt"));
}

TEST(ResultStore, ShowsTheEndOrBothEndsWhereThatIsWanted) {
  const TempFolder folder;
  const ResultStore store(folder.path());
  const std::string full = "begin\n" + std::string(60'000, 'y') + "\nend";
  ToolResult end = text_result(full, 50'000, KeptPart::end);
  store.bound(end, "1");
  EXPECT_TRUE(end.text.ends_with("y\nend\n</persisted-output>"));
  EXPECT_NE(end.text.find("\nPreview (last 2.0 KB):\n... 58010 characters left out ...\n"), std::string::npos);
  ToolResult both = text_result(full, 50'000, KeptPart::both);
  store.bound(both, "2");
  EXPECT_NE(both.text.find("\nPreview (both ends, 2.0 KB):\nbegin\nyyy"), std::string::npos);
  EXPECT_NE(both.text.find("\n... 58010 characters left out ...\n"), std::string::npos);
  EXPECT_TRUE(both.text.ends_with("y\nend\n</persisted-output>"));
}

TEST(ResultStore, WritesOnlyInsideTheSessionWhateverTheId) {
  const TempFolder folder;
  folder.put("session/.keep", "");
  const ResultStore store(folder / "session");
  for (const std::string& id : {std::string("../../../etc/evil"), std::string(4'096, 'a'), std::string("a\0b", 3),
                                std::string("\xF0\x9F\x98\x80")}) {
    ToolResult result = text_result(std::string(60'000, 'z') + id, 10);
    store.bound(result, id);
    EXPECT_TRUE(result.stored->path.starts_with(folder / "session/tool-results/"));
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"session"});
  EXPECT_EQ(folder.names("session/tool-results").size(), 4U);
}

TEST(ResultStore, AnswersAlsoWhenItCannotStore) {
  const TempFolder folder;
  const ResultStore store(folder.put("a-file", "") + "/below-a-file");
  ToolResult result = text_result(std::string(60'000, 'z'), 10);
  store.bound(result, "1");
  EXPECT_NE(result.text.find("The full output could not be saved: cannot create"), std::string::npos) << result.text;
  EXPECT_NE(result.text.find("Preview (first 2.0 KB):\nzzz"), std::string::npos);
  EXPECT_LT(result.text.size(), 3'000U);
  store.put_away(result, "1", Showing::path);
  EXPECT_NE(result.text.find("could not be saved"), std::string::npos);
}

TEST(ResultStore, OfAResultThatIsTooLargeForAFileTheBeginningIsKeptAndItSaysSo) {
  const TempFolder folder;
  const ResultStore store(folder.path(), {.file_bytes_max = 10'000});
  ToolResult result = text_result(std::string(60'000, 'z'), 10);
  store.bound(result, "1");
  EXPECT_NE(result.text.find("The first 9.8 KB of it saved to: "), std::string::npos) << result.text;
  EXPECT_EQ(folder.bytes("tool-results/1.txt")->size(), 10'000U);
}

TEST(ResultStore, WhatTheEngineAddedStaysInSight) {
  const TempFolder folder;
  const ResultStore store(folder.path());
  ToolResult result = text_result(std::string(60'000, 'z') + "\n\nA note.", 10);
  result.note = "\n\nA note.";
  store.bound(result, "1");
  EXPECT_TRUE(result.text.ends_with("</persisted-output>\n\nA note."));
  EXPECT_EQ(folder.bytes("tool-results/1.txt"), std::string(60'000, 'z'));
}

TEST(ResultStore, OutputThatIsInAFileAlreadyIsShownByItsEnds) {
  const TempFolder folder;
  const ResultStore store(folder.path());
  ToolResult result{.text = "Exit code 1\n\nLeft running: sleep.",
                    .error = Errc::failed,
                    .long_output = LongOutput{.path = "/s/1.txt",
                                              .bytes = 90'000,
                                              .bytes_kept = 90'000,
                                              .characters = 90'000,
                                              .beginning = "begin\n" + std::string(16'000, 'a'),
                                              .end = std::string(16'000, 'b') + "\nend\n",
                                              .at = 12},
                    .limit = {.kept = KeptPart::both}};
  store.bound(result, "1");
  EXPECT_TRUE(
      result.text.starts_with("Exit code 1\n<persisted-output>\nOutput too large (87.9 KB). Full output saved "
                              "to: /s/1.txt\n\nPreview (both ends, 10.0 KB):\nbegin\naaa"));
  EXPECT_TRUE(result.text.ends_with("bbb\nend\n</persisted-output>\nLeft running: sleep."));
  EXPECT_NE(result.text.find("\n... 79760 characters left out ...\n"), std::string::npos) << "10,240 are in sight";
  store.put_away(result, "1", Showing::path);
  EXPECT_EQ(result.text,
            "Exit code 1\n<persisted-output>\nOutput too large (87.9 KB). Full output saved to: /s/1.txt\n"
            "</persisted-output>\nLeft running: sleep.");
}

TEST(ResultStore, PicturesStayBesideATextThatIsStoredAway) {
  const TempFolder folder;
  const ResultStore store(folder.path());
  ToolResult result = text_result(std::string(60'000, 'z'), 30'000);
  result.blocks = {picture("one"), picture("two")};
  store.bound(result, "1");
  EXPECT_EQ(result.blocks.size(), 2U);
  EXPECT_TRUE(result.text.starts_with("<persisted-output>"));
}

TEST(ResultStore, PicturesThatThereIsNoRoomForBecomeFilesThatReadCanShow) {
  const TempFolder folder;
  const ResultStore store(folder.path());
  ToolResult result = text_result("Eight of them.", 30'000);
  for (int i = 0; i < 8; ++i) result.blocks.push_back(picture("picture " + std::to_string(i)));
  store.bound(result, "shots");
  EXPECT_EQ(result.blocks.size(), 4U);
  EXPECT_LE(result_characters(result), 30'000 + 2'000U);
  EXPECT_TRUE(result.text.starts_with("Eight of them.\n[A picture (9 B) is left out here. Full output saved to: " +
                                      (folder / "tool-results/shots-5.png") + "]\n["));
  EXPECT_EQ(folder.bytes("tool-results/shots-8.png"), "picture 7");
}

TEST(ResultStore, ResultsOfTheSameContentHaveTheSameIdentityAndShareAFile) {
  const TempFolder folder;
  const ResultStore store(folder.path());
  ToolResult first = text_result(std::string(60'000, 'z'), 10);
  ToolResult second = first, other = text_result(std::string(60'000, 'y'), 10);
  store.bound(first, "1");
  store.bound(second, "2");
  store.bound(other, "3");
  EXPECT_EQ(first.identity, second.identity);
  EXPECT_NE(first.identity, other.identity);
  EXPECT_NE(first.stored->path, second.stored->path);
  struct stat status{};
  ASSERT_EQ(::stat(first.stored->path.c_str(), &status), 0);
  EXPECT_EQ(status.st_nlink, 2U);
}

}  // namespace
}  // namespace deft
