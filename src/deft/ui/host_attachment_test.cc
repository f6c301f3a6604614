#include "deft/ui/host_attachment.h"

#include <gtest/gtest.h>

#include "deft/base/base64.h"
#include "deft/tools/shown_image.h"

namespace deft {
namespace {

constexpr std::string_view kOnePoint =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

Json picture(std::string_view data, std::string_view media_type = "image/png") {
  return JsonObject{{"type", "image"},
                    {"source", JsonObject{{"type", "base64"}, {"media_type", media_type}, {"data", data}}}};
}

// What is said about it, and told to the model in its place.
std::string problem_of(Json block) {
  const std::string problem = repair_attachment(block);
  EXPECT_EQ(find_string(block, "type"), problem.empty() ? "image" : "text");
  if (!problem.empty()) {
    EXPECT_NE(find_string(block, "text")->find(problem), std::string_view::npos);
  }
  return problem;
}

TEST(HostAttachment, APictureThatCanBeUsedStaysAndHasItsOwnKind) {
  Json block = picture(kOnePoint, "image/jpeg");
  EXPECT_EQ(repair_attachment(block), "");
  EXPECT_EQ(to_json(block), to_json(picture(kOnePoint, "image/png")));
}

TEST(HostAttachment, APictureThatTheApiWouldRefuseIsLeftOut) {
  EXPECT_EQ(problem_of(picture("!!")), "a picture is left out: its data is no base64");
  EXPECT_EQ(problem_of(picture(to_base64("<svg></svg>"))), "a picture is left out: it is no PNG, JPEG, GIF or WebP");
  EXPECT_EQ(problem_of(picture(to_base64("\x89PNG\r\n\x1a\n"))), "a picture is left out: it is damaged");
  EXPECT_EQ(problem_of(picture(std::string(kImageBase64BytesMax + 4, 'A'))),
            "a picture is left out: it is larger than the model's API takes");
}

TEST(HostAttachment, ADocumentIsAPdf) {
  const auto document = [](std::string_view data) -> Json {
    return JsonObject{{"type", "document"},
                      {"source", JsonObject{{"type", "base64"}, {"media_type", "application/pdf"}, {"data", data}}}};
  };
  Json good = document(to_base64("%PDF-1.7\n"));
  EXPECT_EQ(repair_attachment(good), "");
  Json bad = document(to_base64("PK"));
  EXPECT_EQ(repair_attachment(bad), "a document is left out: it is no PDF");
  EXPECT_EQ(find_string(bad, "type"), "text");
}

TEST(HostAttachment, WhatIsElsewhereIsForTheModelsApiToFetch) {
  Json block = JsonObject{{"type", "image"}, {"source", JsonObject{{"type", "url"}, {"url", "https://x/y.png"}}}};
  const std::string before = to_json(block);
  EXPECT_EQ(repair_attachment(block), "");
  EXPECT_EQ(to_json(block), before);
}

}  // namespace
}  // namespace deft
