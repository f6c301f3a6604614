#include "deft/core/result_preview.h"

#include <gtest/gtest.h>

#include "deft/base/utf8.h"

namespace deft {
namespace {

TEST(ResultPreview, AStartEndsAtALineOrBetweenCharacters) {
  const auto start = [](std::string_view text) { return preview_of(text, KeptPart::start, 10).start; };
  EXPECT_EQ(start("aaaa\nbbbb\ncc"), "aaaa\nbbbb");
  EXPECT_EQ(start("a\nbbbbbbbbbbbb"), "a\nbbbbbbbb") << "a line end in the first half would lose too much";
  EXPECT_EQ(start("aaaaaaaa\xE2\x82\xAC"), "aaaaaaaa");
  EXPECT_EQ(start("short"), "short");
}

TEST(ResultPreview, AnEndBeginsAtALineOrBetweenCharacters) {
  const auto end = [](std::string_view text) { return preview_of(text, KeptPart::end, 10).end; };
  EXPECT_EQ(end("aa\nbb\ncccccc\n"), "cccccc\n");
  EXPECT_EQ(end("aaaaaaaaaaaaaa\nbb"), "aaaaaaa\nbb") << "a line end in the second half would lose too much";
  EXPECT_EQ(end("\xE2\x82\xAC\xE2\x82\xAC"
                "bbbbbbbb"),
            "bbbbbbbb");
  EXPECT_EQ(end("short"), "short");
}

TEST(ResultPreview, BothEndsShareTheRoom) {
  const std::string text = "first line\n" + std::string(100, 'x') + "\nlast line";
  const Preview preview = preview_of(text, KeptPart::both, 24);
  EXPECT_EQ(preview.start, "first line");
  EXPECT_EQ(preview.end, "last line");
}

TEST(ResultPreview, NoPreviewOfAnyTextBreaksACharacterOrItsSize) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += i % 7 == 0 ? "\xF0\x9F\x98\x80" : i % 5 == 0 ? "\n" : "\xC3\xA9";
  for (std::size_t size = 0; size < 700; ++size) {
    for (const KeptPart kept : {KeptPart::start, KeptPart::end, KeptPart::both}) {
      const Preview preview = preview_of(text, kept, size);
      ASSERT_TRUE(is_utf8(preview.start)) << size;
      ASSERT_TRUE(is_utf8(preview.end)) << size;
      ASSERT_LE(preview.start.size() + preview.end.size(), size);
    }
  }
}

TEST(ResultPreview, TheBlockHasTheWordsThatModelsKnow) {
  const std::string text = std::string(1'500, 'a') + "\n" + std::string(1'000, 'b');
  EXPECT_EQ(persisted_block({.bytes = 52'429,
                             .where = "Full output saved to: /s/tool-results/x.txt",
                             .preview_bytes_max = 2'000,
                             .preview = preview_of(text, KeptPart::start, 2'000)}),
            "<persisted-output>\nOutput too large (51.2 KB). Full output saved to: /s/tool-results/x.txt\n\n"
            "Preview (first 2.0 KB):\n" +
                std::string(1'500, 'a') + "\n...\n</persisted-output>");
}

TEST(ResultPreview, TheBlockTellsHowManyCharactersTheEndsLeaveOut) {
  const PersistedOutput output{.bytes = 90'000,
                               .where = "Full output saved to: /x",
                               .kept = KeptPart::both,
                               .preview_bytes_max = 2'000,
                               .preview = {.start = "begin", .end = "end\n"},
                               .characters_left_out = 89'991};
  EXPECT_EQ(persisted_block(output),
            "<persisted-output>\nOutput too large (87.9 KB). Full output saved to: /x\n\n"
            "Preview (both ends, 2.0 KB):\nbegin\n... 89991 characters left out ...\nend\n</persisted-output>");
  PersistedOutput end = output;
  end.kept = KeptPart::end;
  EXPECT_EQ(persisted_block(end),
            "<persisted-output>\nOutput too large (87.9 KB). Full output saved to: /x\n\n"
            "Preview (last 2.0 KB):\n... 89991 characters left out ...\nend\n</persisted-output>");
}

}  // namespace
}  // namespace deft
