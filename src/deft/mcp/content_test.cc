#include "deft/mcp/content.h"

#include <gtest/gtest.h>

#include "deft/base/base64.h"
#include "deft/os/disk_files.h"
#include "deft/os/output_folder.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"

namespace deft {
namespace {

// Maps a result as a call would, inside of one.
class McpContent : public ::testing::Test {
 protected:
  ToolResult mapped(std::string_view result, const Schema* output_schema = nullptr) {
    return in_call([&](ToolIo& io) { return mcp_tool_result(*parse_json(result), "srv", output_schema, io); });
  }
  ToolResult in_call(const std::function<ToolResult(ToolIo&)>& work) {
    class Mapping final : public Tool {
     public:
      explicit Mapping(const std::function<ToolResult(ToolIo&)>& work) : work_(work) {
        spec_.name = "Mapping";
        spec_.input_schema = JsonObject{{"type", "object"}};
      }
      const ToolSpec& spec() const override { return spec_; }
      Result<ToolResult> run(const Json&, ToolIo& io) override { return work_(io); }

     private:
      const std::function<ToolResult(ToolIo&)>& work_;
      ToolSpec spec_;
    };
    Mapping tool(work);
    bench_.use(std::make_shared<OutputFolder>(folder_ / "outputs"));
    auto result = bench_.run(tool, JsonObject{});
    EXPECT_TRUE(result);
    return *std::move(result);
  }

  TempFolder folder_;
  DiskFiles files_;
  ToolBench bench_{files_};
};

TEST_F(McpContent, TextsAreJoinedAndMetadataPasses) {
  const auto result =
      mapped(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"_meta":{"k":[1]}})");
  EXPECT_EQ(result.text, "a\nb");
  EXPECT_EQ(result.meta_text, R"({"k":[1]})");
  EXPECT_FALSE(result.is_error());
}

TEST_F(McpContent, AnErrorOfTheToolIsAnErrorForTheModel) {
  EXPECT_EQ(mapped(R"({"content":[{"type":"text","text":"no"}],"isError":true})").error, Errc::failed);
  EXPECT_EQ(mapped(R"({"content":[],"isError":true})").text, "The tool failed and said nothing.");
}

TEST_F(McpContent, StructuredContentIsKeptAndShownWhereNothingElseIs) {
  const auto result = mapped(R"({"content":[],"structuredContent":{"n":1}})");
  EXPECT_EQ(result.text, R"({"n":1})");
  EXPECT_EQ(to_json(result.details.at("structuredContent")), R"({"n":1})");
  EXPECT_EQ(mapped(R"({"content":[]})").text, "(no output)");
}

TEST_F(McpContent, AServerThatBreaksItsOwnSchemaHasFailed) {
  const auto schema = Schema::compile(*parse_json(R"({"type":"object","properties":{"n":{"type":"integer"}}})"));
  ASSERT_TRUE(schema);
  EXPECT_FALSE(mapped(R"({"content":[],"structuredContent":{"n":1}})", &*schema).is_error());
  const auto wrong = mapped(R"({"content":[],"structuredContent":{"n":"x"}})", &*schema);
  EXPECT_TRUE(wrong.is_error());
  EXPECT_NE(wrong.text.find("does not fit the output schema"), std::string::npos);
  EXPECT_TRUE(mapped(R"({"content":[{"type":"text","text":"a"}]})", &*schema).is_error());
  EXPECT_TRUE(mapped(R"({"content":[{"type":"text","text":"a"}],"isError":true})", &*schema).is_error());
}

TEST_F(McpContent, DataThatIsNoPictureIsSavedAndNamed) {
  const auto result =
      mapped(R"({"content":[{"type":"audio","data":")" + to_base64("RIFF....WAVE") + R"(","mimeType":"audio/wav"}]})");
  EXPECT_NE(result.text.find("[audio, audio/wav, 12 B: saved as " + (folder_ / "outputs/")), std::string::npos)
      << result.text;
  EXPECT_NE(mapped(R"({"content":[{"type":"image","data":"***","mimeType":"image/png"}]})").text.find("not base64"),
            std::string::npos);
}

TEST_F(McpContent, LinksAndResourcesAreTold) {
  const auto result = mapped(R"({"content":[
    {"type":"resource_link","uri":"file:///a","name":"A"},
    {"type":"resource","resource":{"uri":"file:///b","text":"inside"}},
    {"type":"hologram"}]})");
  EXPECT_EQ(result.text,
            "[link to the resource file:///a (A); ReadMcpResourceTool reads it from the server srv]\n"
            "[resource file:///b]\ninside\n"
            "[content of the unknown kind \"hologram\" is left out]");
}

TEST_F(McpContent, AResourceIsRead) {
  const auto result = in_call([](ToolIo& io) {
    return mcp_resource_result(*parse_json(R"({"contents":[{"uri":"file:///b","text":"inside"}]})"), "srv", "file:///b",
                               io);
  });
  EXPECT_EQ(result.text, "[resource file:///b]\ninside");
}

TEST_F(McpContent, MorePicturesThanAModelTakesAreSavedAndNamed) {
  const std::string png =
      from_base64(
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
          "gg==")
          .value();
  JsonArray content;
  for (std::size_t i = 0; i < kMcpImagesShownMax + 2; ++i) {
    content.push_back(JsonObject{{"type", "image"}, {"mimeType", "image/png"}, {"data", to_base64(png)}});
  }
  const auto result = mapped(to_json(JsonObject{{"content", std::move(content)}}));
  EXPECT_EQ(result.blocks.size(), kMcpImagesShownMax);
  EXPECT_NE(result.text.find("[image, image/png, "), std::string::npos) << result.text;
}

TEST_F(McpContent, ResultsOfTheWrongTypeSayNothingAndBreakNothing) {
  for (const char* result : {"7", "[1,2]", R"("text")", "null", R"({"content":"text"})", R"({"content":{"a":1}})",
                             R"({"content":[],"structuredContent":null,"_meta":7})", R"({"isError":"yes"})"}) {
    EXPECT_FALSE(mapped(result).is_error()) << result;
  }
  EXPECT_EQ(
      mapped(R"({"content":[7,null,{"type":7},{"type":"text","text":7},{"type":"resource","resource":[]}]})").text,
      "[content of the unknown kind \"\" is left out]\n[content of the unknown kind \"\" is left out]\n"
      "[content of the unknown kind \"\" is left out]\n\n[resource : empty]");
  const auto schema = Schema::compile(*parse_json(R"({"type":"object"})"));
  EXPECT_TRUE(mapped(R"({"content":[],"structuredContent":[1]})", &*schema).is_error());
  EXPECT_TRUE(mapped(R"({"content":[],"structuredContent":null})", &*schema).is_error());
}

}  // namespace
}  // namespace deft
