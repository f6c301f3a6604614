#include "deft/core/assembler.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

ToolUseBlock use(std::string id, std::string name = "Read") {
  ToolUseBlock block;
  block.call.id = std::move(id);
  block.call.name = std::move(name);
  return block;
}

std::string show(const ToolCall& call) {
  return call.id + (call.invalid ? "!" + *call.invalid : "=" + to_json(call.input));
}

// The events as one readable line.
std::string show(std::vector<StreamEvent> events) {
  std::string out;
  for (const StreamEvent& event : events) {
    if (const auto* text = std::get_if<TextDelta>(&event)) out += "text:" + text->text + " ";
    if (const auto* text = std::get_if<ThinkingDelta>(&event)) out += "thinking:" + text->text + " ";
    if (const auto* ready = std::get_if<CallReady>(&event)) out += "call:" + show(ready->call) + " ";
    if (const auto* done = std::get_if<MessageDone>(&event)) {
      out += "done:" + std::to_string(done->message.blocks.size()) + " ";
    }
    if (const auto* failed = std::get_if<MessageFailed>(&event)) {
      out += "failed:" + std::to_string(failed->message.blocks.size()) + " ";
    }
  }
  return out;
}

class AssemblerTest : public ::testing::Test {
 protected:
  AssemblerTest() { assembler.begin("msg", "model"); }

  void open_call(Assembler::Key key, std::string_view input, std::string name = "Read") {
    ASSERT_TRUE(assembler.open(key, use("c" + std::to_string(key), std::move(name))));
    ASSERT_TRUE(assembler.append(key, input));
  }
  std::string events() { return show(assembler.take_events()); }

  Assembler assembler;
};

TEST_F(AssemblerTest, ACallIsReportedWhenItsBlockClosesAndNotBefore) {
  open_call(0, R"({"a":)");
  ASSERT_TRUE(assembler.append(0, "1}"));
  EXPECT_EQ(events(), "");
  ASSERT_TRUE(assembler.close(0));
  EXPECT_EQ(events(), "call:c0={\"a\":1} ");
}

// It goes back to the provider also if the message is never finished.
TEST_F(AssemblerTest, ACallComesWithWhatItsProviderWantsBackWithIt) {
  ToolUseBlock block = use("c0");
  block.extra["signature"] = "of the thought";
  ASSERT_TRUE(assembler.open(0, block));
  ASSERT_TRUE(assembler.append(0, "{}"));
  ASSERT_TRUE(assembler.close(0));
  assembler.stop("tool_use", "tool_use");
  const auto reported = assembler.take_events();
  ASSERT_EQ(reported.size(), 1U);
  EXPECT_EQ(to_json(std::get<CallReady>(reported[0]).extra), R"({"signature":"of the thought"})");
}

TEST_F(AssemblerTest, ACutOffInputIsNeverValidAtWhicheverByteItWasCut) {
  const std::string input = R"({"path":"/a\u00e9\"x","n":[1,-2.5e3,true,null],"o":{}})";
  for (std::size_t size = 1; size < input.size(); ++size) {
    Assembler one;
    one.begin("", "");
    ASSERT_TRUE(one.open(0, use("c")));
    ASSERT_TRUE(one.append(0, input.substr(0, size)));
    ASSERT_TRUE(one.close(0));
    one.stop("max_tokens", "length");
    const auto events = one.take_events();
    ASSERT_EQ(events.size(), 1U);
    const ToolCall& call = std::get<CallReady>(events[0]).call;
    EXPECT_TRUE(call.invalid) << size;
    EXPECT_TRUE(call.input.is_null());
    EXPECT_EQ(call.input_text, input.substr(0, size));
  }
}

TEST_F(AssemblerTest, CallsAreReportedInTheOrderOfTheirBlocksWhicheverClosesFirst) {
  open_call(0, "{}");
  open_call(1, R"({"b":1})");
  ASSERT_TRUE(assembler.close(1));
  EXPECT_EQ(events(), "");
  ASSERT_TRUE(assembler.close(0));
  EXPECT_EQ(events(), "call:c0={} call:c1={\"b\":1} ");
}

TEST_F(AssemblerTest, AnEmptyInputMeansNoArgumentsOnceTheMessageGoesOn) {
  open_call(0, "");
  ASSERT_TRUE(assembler.close(0));
  EXPECT_EQ(events(), "") << "it may have been cut off before its first byte";
  ASSERT_TRUE(assembler.open(1, TextBlock()));
  EXPECT_EQ(events(), "call:c0={} ");
}

TEST_F(AssemblerTest, AnEmptyInputAtTheEndIsSettledByTheStopReason) {
  open_call(0, " \n");
  ASSERT_TRUE(assembler.close(0));
  assembler.stop("tool_use", "tool_use");
  EXPECT_EQ(events(), "call:c0={} ");
}

TEST_F(AssemblerTest, AnEmptyInputInAMessageThatWasCutOffIsInvalid) {
  open_call(0, "");
  open_call(1, R"({"a":1})");
  open_call(2, "");
  open_call(3, "");
  assembler.stop("max_tokens", "length");
  for (Assembler::Key key = 0; key < 4; ++key) ASSERT_TRUE(assembler.close(key));
  EXPECT_EQ(events(),
            "call:c0={} call:c1={\"a\":1} "
            "call:c2!the message was cut off (length) before the input of this call "
            "call:c3!the message was cut off (length) before the input of this call ");
}

TEST_F(AssemblerTest, TheTextOfAnInputIsKeptAsTheModelWroteIt) {
  const std::string text = R"( {"z": 123456789012345678901234567890, "a": 1.50} )";
  open_call(0, text);
  ASSERT_TRUE(assembler.close(0));
  const auto reported = assembler.take_events();
  EXPECT_EQ(std::get<CallReady>(reported[0]).call.input_text, text);
}

TEST_F(AssemblerTest, AnInputIsInvalidIfItIsNoObjectOrNamesAKeyTwice) {
  open_call(0, "[1]");
  open_call(1, "null");
  open_call(2, R"({"a":1,"a":2})");
  open_call(3, R"({"a":1} x)");
  for (Assembler::Key key = 0; key < 4; ++key) ASSERT_TRUE(assembler.close(key));
  const std::string shown = events();
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '!'), 4) << shown;
  EXPECT_NE(shown.find("stands twice"), std::string::npos) << shown;
}

TEST_F(AssemblerTest, HalfASurrogatePairInAnInputIsReplacedAlsoInItsText) {
  open_call(0, R"({"a":"x\ud83d"})");
  ASSERT_TRUE(assembler.close(0));
  const auto reported = assembler.take_events();
  const ToolCall& call = std::get<CallReady>(reported[0]).call;
  ASSERT_FALSE(call.invalid);
  EXPECT_EQ(call.input_text, "{\"a\":\"x\xEF\xBF\xBD\"}");
  EXPECT_EQ(to_json(*parse_json(call.input_text)), to_json(call.input));
}

TEST_F(AssemblerTest, ACallWithoutIdGetsOneAndACallWithoutNameIsInvalid) {
  ASSERT_TRUE(assembler.open(0, use("")));
  ASSERT_TRUE(assembler.open(1, use("")));
  ASSERT_TRUE(assembler.open(2, use("c", "")));
  for (Assembler::Key key = 0; key < 3; ++key) {
    ASSERT_TRUE(assembler.append(key, "{}"));
    ASSERT_TRUE(assembler.close(key));
  }
  EXPECT_EQ(events(), "call:call_1={} call:call_2={} call:c!the call names no tool ");
}

TEST_F(AssemblerTest, TextAndThinkingComeOutAsTheyComeIn) {
  ASSERT_TRUE(assembler.open(0, ThinkingBlock()));
  ASSERT_TRUE(assembler.append(0, "hm"));
  ASSERT_TRUE(assembler.open(1, TextBlock{"a", {}}));
  ASSERT_TRUE(assembler.append(1, ""));
  ASSERT_TRUE(assembler.append(1, "b"));
  EXPECT_EQ(events(), "thinking:hm text:a text:b ");
}

TEST_F(AssemblerTest, TheFinalTextWinsAndOnlyItsRestIsShown) {
  ASSERT_TRUE(assembler.open(0, TextBlock()));
  ASSERT_TRUE(assembler.append(0, "ab"));
  ASSERT_TRUE(assembler.replace(0, "abc"));
  EXPECT_EQ(events(), "text:ab text:c ");
  ASSERT_TRUE(assembler.replace(0, "xyz"));
  assembler.finish();
  const auto finished = assembler.take_events();
  EXPECT_EQ(std::get<TextBlock>(std::get<MessageDone>(finished.back()).message.blocks[0]).text, "xyz");
}

TEST_F(AssemblerTest, StepsThatMakeNoSenseAreErrors) {
  open_call(0, "{}");
  EXPECT_FALSE(assembler.open(0, TextBlock())) << "the same block twice";
  EXPECT_FALSE(assembler.append(7, "x")) << "no such block";
  EXPECT_FALSE(assembler.close(7));
  ASSERT_TRUE(assembler.close(0));
  EXPECT_TRUE(assembler.close(0)) << "closing again changes nothing";
  EXPECT_FALSE(assembler.append(0, " ")) << "input after its end";
  EXPECT_FALSE(assembler.replace(0, "{}"));
  EXPECT_FALSE(Assembler().open(0, TextBlock())) << "outside a message";
}

TEST_F(AssemblerTest, AMessageThatEndsInsideACallHasFailedAndTheCallIsNotInIt) {
  open_call(0, "{}");
  ASSERT_TRUE(assembler.close(0));
  open_call(1, "{}");
  assembler.finish();
  EXPECT_EQ(events(), "call:c0={} failed:1 ");
}

TEST_F(AssemblerTest, AFailedMessageKeepsTextAndExactlyTheReportedCalls) {
  ASSERT_TRUE(assembler.open(10, ThinkingBlock{"no signature yet", "", {}}));
  ASSERT_TRUE(assembler.open(11, TextBlock{"half a sent", {}}));
  open_call(0, "{}");
  ASSERT_TRUE(assembler.close(0));
  open_call(1, R"({"a")");
  open_call(2, "{}");
  ASSERT_TRUE(assembler.close(2));  // complete, but behind one that is not
  assembler.take_events();
  assembler.fail(Error{Errc::io, "gone"});
  const auto events = assembler.take_events();
  const Message& kept = std::get<MessageFailed>(events[0]).message;
  ASSERT_EQ(kept.blocks.size(), 2U);
  EXPECT_EQ(std::get<TextBlock>(kept.blocks[0]).text, "half a sent");
  EXPECT_EQ(std::get<ToolUseBlock>(kept.blocks[1]).call.id, "c0");
}

TEST_F(AssemblerTest, AMessageLargerThanItsLimitIsAnError) {
  ASSERT_TRUE(assembler.open(0, TextBlock()));
  const std::string piece(kMessageBytesMax / 2, 'x');
  EXPECT_TRUE(assembler.append(0, piece));
  EXPECT_TRUE(assembler.append(0, piece));
  const auto over = assembler.append(0, "x");
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Errc::limit);
}

TEST_F(AssemblerTest, TooManyBlocksAreAnError) {
  for (std::size_t i = 0; i < kMessageBlocksMax; ++i) {
    ASSERT_TRUE(assembler.open(static_cast<Assembler::Key>(i), TextBlock()));
  }
  EXPECT_FALSE(assembler.open(-1, TextBlock()));
}

TEST_F(AssemblerTest, AnInputOfTheProvidersOwnToolIsParsedIntoItsBlock) {
  ASSERT_TRUE(assembler.open(0, OtherBlock{JsonObject{{"type", "server_tool_use"}, {"input", JsonObject()}}}));
  ASSERT_TRUE(assembler.append(0, R"({"q":1})"));
  ASSERT_TRUE(assembler.open(1, OtherBlock{JsonObject{{"type", "server_tool_use"}}}));
  ASSERT_TRUE(assembler.append(1, R"({"q":)"));
  assembler.finish();
  const auto events = assembler.take_events();
  const auto& blocks = std::get<MessageDone>(events.back()).message.blocks;
  EXPECT_EQ(to_json(std::get<OtherBlock>(blocks[0]).json), R"({"type":"server_tool_use","input":{"q":1}})");
  EXPECT_EQ(to_json(std::get<OtherBlock>(blocks[1]).json), R"({"type":"server_tool_use","input":"{\"q\":"})");
}

TEST_F(AssemblerTest, OnlyAWholeObjectCountsAsWhole) {
  open_call(0, R"({"a":"}")");
  EXPECT_FALSE(assembler.input_is_whole(0));
  ASSERT_TRUE(assembler.append(0, "} "));
  EXPECT_TRUE(assembler.input_is_whole(0));
  open_call(1, "");
  EXPECT_FALSE(assembler.input_is_whole(1));
  EXPECT_FALSE(assembler.input_is_whole(9));
}

}  // namespace
}  // namespace deft
