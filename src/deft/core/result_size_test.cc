#include "deft/core/result_size.h"

#include <gtest/gtest.h>

#include "deft/base/utf8.h"

namespace deft {
namespace {

Json picture(std::size_t bytes) {
  return JsonObject{{"type", "image"},
                    {"source", {{"type", "base64"}, {"media_type", "image/png"}, {"data", std::string(bytes, 'A')}}}};
}

TEST(ResultSize, APictureCostsWhatAModelPaysForItAndNotItsBytes) {
  EXPECT_EQ(block_characters(picture(5'000'000)), kPictureCharacters);
  EXPECT_EQ(block_characters(picture(10)), kPictureCharacters);
}

TEST(ResultSize, ABinaryDocumentCostsMoreTheLargerItIs) {
  const auto document = [](std::size_t bytes) {
    return JsonObject{
        {"type", "document"},
        {"source", {{"type", "base64"}, {"media_type", "application/pdf"}, {"data", std::string(bytes, 'A')}}}};
  };
  EXPECT_EQ(block_characters(document(1'000)), kPictureCharacters);
  EXPECT_EQ(block_characters(document(2'000'000)), 14 * kPictureCharacters);
}

TEST(ResultSize, TextCountsInCharacters) {
  ToolResult result{.text = "\xC3\xA9\xC3\xA9", .blocks = {{{"type", "text"}, {"text", "\xE2\x82\xAC"}}, picture(9)}};
  EXPECT_EQ(result_characters(result), 2 + 1 + kPictureCharacters);
  EXPECT_FALSE(has_more_characters_than("\xE2\x82\xAC\xE2\x82\xAC", 2));
  EXPECT_TRUE(has_more_characters_than("\xE2\x82\xAC\xE2\x82\xAC", 1));
}

TEST(ResultSize, ACutResultSaysHowToSeeTheRest) {
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += "line " + std::to_string(i) + "\n";
  ToolResult result{.text = text + "\n\nA note.", .note = "\n\nA note."};
  cut_result(result, 500, 200'000);
  EXPECT_TRUE(result.text.starts_with("line 0\nline 1\n"));
  EXPECT_NE(result.text.find("with offset and limit"), std::string::npos);
  EXPECT_NE(result.text.find("may have 200000 characters together"), std::string::npos);
  EXPECT_TRUE(result.text.ends_with("\n\nA note."));
  EXPECT_LE(count_characters(result.text), 500 + 300 + 10U);
  EXPECT_NE(result.text.find("\nline 62\n\n[Cut"), std::string::npos) << "cut at the end of a line";
}

TEST(ResultSize, ACutResultLosesThePicturesThatDoNotFit) {
  ToolResult result{.text = "Two pictures.", .blocks = {picture(9), picture(9)}};
  cut_result(result, kPictureCharacters + 100, 200'000);
  EXPECT_EQ(result.blocks.size(), 1U);
  EXPECT_NE(result.text.find("1 of its pictures are left out"), std::string::npos);
}

}  // namespace
}  // namespace deft
