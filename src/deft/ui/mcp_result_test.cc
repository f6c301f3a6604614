#include "deft/ui/mcp_result.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

JsonArray array_of(std::string_view text) { return parse_json(text)->get_array(); }

ToolResult given(std::string_view blocks, std::string text) {
  ToolResult result{.text = text};
  result.mcp = McpContent{.server = "here", .blocks = array_of(blocks), .text = std::move(text)};
  return result;
}

constexpr std::string_view kBlocks =
    R"([{"type":"text","text":"one","annotations":{"priority":1}},{"type":"audio","data":"AAAA","mimeType":"audio/wav"},)"
    R"({"type":"resource_link","uri":"test://a","name":"a"},{"type":"resource","resource":{"uri":"test://b","text":"b"}},)"
    R"({"type":"resource","resource":{"uri":"test://c","blob":"AAAA"}}])";

TEST(McpResult, WhatAServerGaveStandsThereAsItGaveIt) {
  EXPECT_EQ(to_json(mcp_content_of(given(kBlocks, "one\n[audio]"))), kBlocks);
}

TEST(McpResult, WhatTheGateHasAddedStandsBesideIt) {
  ToolResult result = given(R"([{"type":"text","text":"one"}])", "one");
  result.text = "before: " + result.text + "\n\nafter";
  EXPECT_EQ(to_json(mcp_content_of(result)),
            R"([{"type":"text","text":"before: "},{"type":"text","text":"one"},{"type":"text","text":"\n\nafter"}])");
}

TEST(McpResult, AShortenedTextStandsInThePlaceOfAllTextAndNothingElseIsLost) {
  ToolResult result = given(kBlocks, "one\n[audio]");
  result.text = "on…";
  EXPECT_EQ(to_json(mcp_content_of(result)),
            R"([{"type":"text","text":"on…"},{"type":"audio","data":"AAAA","mimeType":"audio/wav"},)"
            R"({"type":"resource_link","uri":"test://a","name":"a"},)"
            R"({"type":"resource","resource":{"uri":"test://c","blob":"AAAA"}}])");
}

TEST(McpResult, OurOwnBlocksAreSaidInTheWordsOfMcp) {
  ToolResult result;
  result.blocks = array_of(
      R"([{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},)"
      R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"BBBB"}},{"type":"other"}])");
  EXPECT_EQ(
      to_json(mcp_content_of(result)),
      R"([{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"resource","resource":{"uri":"deft://document",)"
      R"("mimeType":"application/pdf","blob":"BBBB"}},{"type":"text","text":"{\"type\":\"other\"}"}])");
  EXPECT_EQ(to_json(mcp_content_of(ToolResult())), R"([{"type":"text","text":""}])") << "there is always something";
}

TEST(McpResult, AResourceIsReadAsItCameOrAsItsShortenedText) {
  ToolResult result = given(
      R"([{"type":"resource","resource":{"uri":"test://b","mimeType":"text/html","text":"<b>","_meta":{"x":1}}}])",
      "<b>");
  EXPECT_EQ(to_json(mcp_resource_contents_of(result, "test://b")),
            R"([{"uri":"test://b","mimeType":"text/html","text":"<b>","_meta":{"x":1}}])");
  result.text = "shorter";
  EXPECT_EQ(to_json(mcp_resource_contents_of(result, "test://b")),
            R"([{"uri":"test://b","mimeType":"text/plain","text":"shorter"}])");
}

TEST(McpResult, LinksAndEmbeddedResourcesAreNamed) {
  const ToolResult result = given(kBlocks, "");
  EXPECT_EQ(resources_named_in(*result.mcp), (std::vector<std::string>{"test://a", "test://b", "test://c"}));
}

}  // namespace
}  // namespace deft
