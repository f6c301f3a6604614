#include "deft/core/message_json.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(MessageJson, AMessageIsOneLineInAnthropicsWords) {
  Message message;
  message.id = "m";
  message.stop_reason = "tool_use";
  message.raw_stop_reason = "tool_calls";
  message.blocks.push_back(TextBlock{"a\n\"b\"", JsonObject{{"citations", JsonArray()}}});
  message.blocks.push_back(ThinkingBlock{"t", "s", {}});
  message.blocks.push_back(OtherBlock{JsonObject{{"type", "x"}}});
  message.extra["stop_sequence"] = "END";
  EXPECT_EQ(message_line(message),
            R"({"type":"message","content":[{"type":"text","text":"a\n\"b\"","citations":[]},)"
            R"({"type":"thinking","thinking":"t","signature":"s"},{"type":"x"}],"stop_reason":"tool_use",)"
            R"("raw_stop_reason":"tool_calls","id":"m","model":null,"usage":null,"stop_sequence":"END"})");
}

TEST(MessageJson, AnInputIsPrintedDigitByDigitButOnOneLine) {
  ToolUseBlock use;
  use.call = {"c", "Read", JsonObject(), "{\n  \"n\": 123456789012345678901234567890,\r\n\t\"s\": \"a \\\" b\"\n}", {}};
  EXPECT_EQ(block_json(use),
            R"({"type":"tool_use","id":"c","name":"Read","input":{"n":123456789012345678901234567890,"s":"a \" b"}})");
}

TEST(MessageJson, AnInvalidCallHasNoInputButShowsWhatCame) {
  ToolUseBlock use;
  use.call = {"c", "Read", nullptr, R"({"a)", "it ends too early"};
  EXPECT_EQ(
      block_json(use),
      R"({"type":"tool_use","id":"c","name":"Read","input":null,"invalid":"it ends too early","input_text":"{\"a"})");
}

TEST(MessageJson, AnErrorSaysWhatAndWhoseWord) {
  EXPECT_EQ(error_line(Error{Errc::io, "gone"}), R"({"type":"error","code":"io","message":"gone"})");
  EXPECT_EQ(error_line(Error{Errc::failed, "busy"}, "overloaded_error"),
            R"({"type":"error","code":"failed","message":"busy","provider_code":"overloaded_error"})");
}

}  // namespace
}  // namespace deft
