#include "deft/model/openai_chat_stream.h"

#include <gtest/gtest.h>

#include "deft/testing/stream_run.h"

namespace deft {
namespace {

using testing::as_events;
using testing::run_events;
using testing::run_stream;
using testing::StreamRun;

std::string delta(std::string_view members, std::string_view finish_reason = "null") {
  return R"({"id":"c","choices":[{"index":0,"delta":{)" + std::string(members) + R"(},"finish_reason":)" +
         std::string(finish_reason) + "}]}";
}
std::string calls(std::string_view pieces) { return delta(R"("tool_calls":[)" + std::string(pieces) + "]"); }
std::string finish(std::string_view reason) { return delta("", "\"" + std::string(reason) + "\""); }

std::string show(const StreamRun& run) {
  std::string out;
  for (const ToolCall& call : run.calls) {
    out += call.id + ":" + call.name + (call.invalid ? "!" : call.input_text) + " ";
  }
  return out;
}

TEST(OpenAiChatStream, ACallEndsWhenTheNextBegins) {
  const StreamRun run = run_events({calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":""}})"),
                                    calls(R"({"index":0,"function":{"arguments":"{\"x\":1}"}})"),
                                    calls(R"({"index":1,"id":"b","function":{"name":"g","arguments":"{}"}})")});
  EXPECT_EQ(show(run), R"(a:f{"x":1} )") << "the second one may not be whole yet";
  EXPECT_EQ(run.error(), "the stream ended without a finish_reason");
}

TEST(OpenAiChatStream, AStreamThatBreaksOffCompletesItsLastCallOnlyAfterAFinishReason) {
  const std::string call = calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})");
  EXPECT_EQ(show(run_events({call})), "");
  const StreamRun finished = run_events({call, finish("tool_calls")});
  EXPECT_EQ(show(finished), "a:f{} ");
  EXPECT_EQ(finished.messages.size(), 1U) << "[DONE] says nothing new";
}

TEST(OpenAiChatStream, DoneWithoutFinishReasonCompletesAWholeCallButNotTheMessage) {
  const StreamRun whole =
      run_events({calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})"), "[DONE]"});
  EXPECT_EQ(show(whole), "a:f{} ");
  EXPECT_EQ(whole.failures.size(), 1U);
  for (const std::string_view arguments : {"", "{", R"({\"a\":1)"}) {
    const StreamRun half = run_events(
        {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":")" + std::string(arguments) + "\"}}"),
         "[DONE]"});
    EXPECT_EQ(show(half), "") << arguments;
  }
}

TEST(OpenAiChatStream, CallsThatAllHaveIndexZeroAreToldApartByTheirIds) {
  EXPECT_EQ(show(run_events({calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})"),
                             calls(R"({"index":0,"id":"b","function":{"name":"f","arguments":"{}"}})"),
                             finish("tool_calls")})),
            "a:f{} b:f{} ");
}

TEST(OpenAiChatStream, CallsThatAllHaveIndexZeroAndNoIdsAreToldApartByTheirWholeInputs) {
  EXPECT_EQ(show(run_events({calls(R"({"index":0,"function":{"name":"f","arguments":"{\"x\":1}"}})"),
                             calls(R"({"index":0,"function":{"name":"f","arguments":"{\"x\":2}"}})"), finish("stop")})),
            R"(call_1:f{"x":1} call_2:f{"x":2} )");
}

TEST(OpenAiChatStream, CallsWithoutIndexAreToldApartByIdOrName) {
  EXPECT_EQ(show(run_events({calls(R"({"id":"a","function":{"name":"f","arguments":"{\"x\""}})"),
                             calls(R"({"function":{"arguments":":1}"}})"),
                             calls(R"({"id":"b","function":{"name":"g","arguments":"{}"}})"),
                             calls(R"({"function":{"name":"h","arguments":"{}"}})"), finish("tool_calls")})),
            R"(a:f{"x":1} b:g{} call_1:h{} )");
}

TEST(OpenAiChatStream, PiecesThatRepeatNameAndIdOrCarryNewIdsBelongToTheirCall) {
  EXPECT_EQ(show(run_events({calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}})"),
                             calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})"),
                             calls(R"({"index":0,"id":"zz","function":{"arguments":"}"}})"), finish("tool_calls")})),
            R"(a:f{"x":{}} )");
}

TEST(OpenAiChatStream, ANameMayComeInPiecesOrGrow) {
  EXPECT_EQ(show(run_events({calls(R"({"index":0,"id":"a","function":{"name":"get_"}})"),
                             calls(R"({"index":0,"function":{"name":"weather"}})"),
                             calls(R"({"index":0,"function":{"arguments":"{}"}})"), finish("tool_calls")})),
            "a:get_weather{} ");
  EXPECT_EQ(show(run_events({calls(R"({"index":0,"id":"a","function":{"name":"get"}})"),
                             calls(R"({"index":0,"function":{"name":"get_weather","arguments":"{}"}})"),
                             finish("tool_calls")})),
            "a:get_weather{} ");
}

TEST(OpenAiChatStream, ANameThatChangesInsideTheInputFailsTheMessage) {
  const StreamRun run =
      run_events({calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}})"),
                  calls(R"({"index":0,"function":{"name":"rm","arguments":":1}"}})"), finish("tool_calls")});
  EXPECT_EQ(show(run), "");
  EXPECT_EQ(run.failures.size(), 1U);
}

TEST(OpenAiChatStream, InterleavedCallsComeInTheOrderInWhichTheyBegan) {
  const StreamRun run = run_events(
      {calls(
           R"({"index":0,"id":"a","function":{"name":"f","arguments":""}},{"index":1,"id":"b","function":{"name":"g","arguments":""}})"),
       calls(R"({"index":1,"function":{"arguments":"{\"y\":"}},{"index":0,"function":{"arguments":"{\"x\":"}})"),
       calls(R"({"index":1,"function":{"arguments":"2}"}},{"index":0,"function":{"arguments":"1}"}})"),
       finish("tool_calls")});
  EXPECT_EQ(show(run), R"(a:f{"x":1} b:g{"y":2} )");
}

TEST(OpenAiChatStream, APieceForACallThatHasEndedFailsTheMessage) {
  const StreamRun run = run_events({calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})"),
                                    calls(R"({"index":1,"id":"b","function":{"name":"g","arguments":"{}"}})"),
                                    calls(R"({"index":0,"function":{"arguments":"x"}})"), finish("tool_calls")});
  EXPECT_EQ(show(run), "a:f{} b:g{} ");
  EXPECT_EQ(run.failures.size(), 1U);
}

TEST(OpenAiChatStream, SpaceAfterTheEndOfACallSaysNothing) {
  const StreamRun run =
      run_events({calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})"), finish("tool_calls"),
                  calls(R"({"index":0,"function":{"arguments":"\n"}})"), "[DONE]"});
  EXPECT_EQ(run.messages.size(), 1U);
}

TEST(OpenAiChatStream, ArgumentsMayBeAnObjectAndKeepEveryDigit) {
  EXPECT_EQ(show(run_events(
                {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":{"n": 123456789012345678901234}}})"),
                 finish("tool_calls")})),
            R"(a:f{"n": 123456789012345678901234} )");
}

TEST(OpenAiChatStream, TheOlderFunctionCallIsACallToo) {
  const StreamRun run = run_events({delta(R"("function_call":{"name":"f","arguments":"{\"x\""})"),
                                    delta(R"("function_call":{"arguments":":1}"})"), finish("function_call")});
  EXPECT_EQ(show(run), R"(call_1:f{"x":1} )");
  EXPECT_EQ(run.messages.at(0).stop_reason, "tool_use");
}

TEST(OpenAiChatStream, ACallThatIsNoListIsACallToo) {
  const StreamRun run = run_events(
      {delta(R"("tool_calls":{"index":0,"id":"","type":"function","function":{"name":"f","arguments":"{\"x\""}})"),
       delta(R"("tool_calls":{"index":0,"id":"","type":"function","function":{"arguments":":1}"}})"), finish("stop")});
  EXPECT_EQ(show(run), R"(call_1:f{"x":1} )");
}

TEST(OpenAiChatStream, ACallCutOffByTheTokenLimitIsInvalidNotRun) {
  for (const std::string_view arguments : {"", R"({\"a\")"}) {
    const StreamRun run = run_events(
        {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":")" + std::string(arguments) + "\"}}"),
         finish("length"), "[DONE]"});
    ASSERT_EQ(run.calls.size(), 1U) << arguments;
    EXPECT_TRUE(run.calls[0].invalid) << arguments;
    EXPECT_EQ(run.messages.at(0).stop_reason, "max_tokens");
  }
}

TEST(OpenAiChatStream, FinishReasonsAreTranslatedAndTheRawOneStays) {
  const auto reasons = [](std::string_view raw) {
    const StreamRun run = run_events({delta(R"("content":"x")"), finish(raw)});
    return run.messages.at(0).stop_reason + " " + run.messages.at(0).raw_stop_reason;
  };
  EXPECT_EQ(reasons("stop"), "end_turn stop");
  EXPECT_EQ(reasons("tool_calls"), "tool_use tool_calls");
  EXPECT_EQ(reasons("function_call"), "tool_use function_call");
  EXPECT_EQ(reasons("length"), "max_tokens length");
  EXPECT_EQ(reasons("content_filter"), "refusal content_filter");
  EXPECT_EQ(reasons("something_new"), "something_new something_new");
  EXPECT_EQ(run_events({delta(""), finish("error")}).error(), "the provider ended the message with an error");
}

TEST(OpenAiChatStream, ReasoningUnderAnyNameIsThoughtOnce) {
  EXPECT_EQ(
      run_events(
          {delta(
              R"("reasoning":"a","reasoning_content":"a","reasoning_details":[{"type":"reasoning.text","text":"a"}])")})
          .thinking,
      "a");
  EXPECT_EQ(
      run_events(
          {delta(
              R"("reasoning_details":[{"type":"reasoning.text","text":"b"},{"type":"reasoning.summary","summary":"c"}])")})
          .thinking,
      "bc");
  EXPECT_EQ(
      run_events(
          {delta(
              R"("content":[{"type":"thinking","thinking":[{"type":"text","text":"d"}]},{"type":"text","text":"e"}])")})
          .thinking,
      "d");
}

TEST(OpenAiChatStream, WhatMustComeBackWithACallIsKeptWithIt) {
  const StreamRun run = run_events(
      {delta(R"("reasoning_content":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0}])"),
       delta(R"("reasoning_details":[{"type":"reasoning.text","text":"b","index":0,"signature":"s"}])"),
       delta(R"("reasoning_details":[{"type":"reasoning.summary","summary":"c","index":1}])"),
       delta(R"("tool_calls":[{"index":0,"id":"t","function":{"name":"T","arguments":"{}"},)"
             R"("extra_content":{"google":{"thought_signature":"g"}}}])"),
       finish("tool_calls")});
  const auto& blocks = run.messages.at(0).blocks;
  EXPECT_EQ(to_json(std::get<ThinkingBlock>(blocks.at(0)).extra),
            R"({"reasoning_field":"reasoning_content","reasoning_details":[)"
            R"({"type":"reasoning.text","text":"ab","index":0,"signature":"s"},)"
            R"({"type":"reasoning.summary","summary":"c","index":1}]})");
  EXPECT_EQ(to_json(std::get<ToolUseBlock>(blocks.at(1)).extra),
            R"({"extra_content":{"google":{"thought_signature":"g"}}})");
}

TEST(OpenAiChatStream, CallsAfterTheFinishReasonCountIfTheyAreWhole) {
  const std::string call = delta(R"("tool_calls":[{"index":0,"id":"t","function":{"name":"T","arguments":"{}"}}])");
  EXPECT_EQ(run_events({delta(""), finish("tool_calls"), call}).calls.size(), 1U);
  const std::string half = delta(R"("tool_calls":[{"index":0,"id":"t","function":{"name":"T","arguments":"{"}}])");
  const StreamRun broken = run_events({delta(""), finish("tool_calls"), half});
  EXPECT_TRUE(broken.calls.empty());
  EXPECT_EQ(broken.failures.size(), 1U);
}

TEST(OpenAiChatStream, UsageMayComeWithoutChoices) {
  const StreamRun run = run_events({delta(R"("content":"x")"), finish("stop"), R"({"usage":{"prompt_tokens":3}})"});
  EXPECT_EQ(to_json(run.messages.at(0).usage), R"({"prompt_tokens":3})");
}

TEST(OpenAiChatStream, ContentInPartsIsText) {
  EXPECT_EQ(run_events({delta(R"("content":[{"type":"text","text":"a"},{"type":"text","text":"b"}])")}).text, "ab");
}

TEST(OpenAiChatStream, OtherChoicesThanTheFirstAreIgnored) {
  const StreamRun run = run_events({R"({"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"length"}]})",
                                    delta(R"("content":"yes")"), finish("stop")});
  EXPECT_EQ(run.text, "yes");
  EXPECT_EQ(run.messages.at(0).stop_reason, "end_turn");
}

TEST(OpenAiChatStream, IndicesAndShapesThatMakeNoSenseFailTheMessage) {
  for (const std::string& broken :
       {calls(R"({"index":-1,"id":"a","function":{"name":"f"}})"),
        calls(R"({"index":100000,"id":"a","function":{"name":"f"}})"), calls(R"({"function":{"arguments":"{}"}})"),
        calls("7"), std::string(R"({"choices":[7]})")}) {
    const StreamRun run = run_events({delta(R"("content":"x")"), broken, finish("stop"), "[DONE]"});
    EXPECT_EQ(run.failures.size(), 1U) << broken;
    EXPECT_EQ(run.lines.size(), 1U) << broken;
  }
}

TEST(OpenAiChatStream, FieldsOfWrongTypeAreReadAsAbsent) {
  const StreamRun run = run_events(
      {R"({"id":7,"model":[],"usage":"x","choices":[{"index":0,"delta":{"content":5,"tool_calls":{},"refusal":[]}}]})",
       R"({"choices":[{"delta":null,"finish_reason":3}]})", finish("stop")});
  EXPECT_EQ(run.line(), R"({"type":"message","content":[],"stop_reason":"end_turn","raw_stop_reason":"stop","id":"c",)"
                        R"("model":null,"usage":null})");
}

TEST(OpenAiChatStream, ManyCallsThatAlternateCostNoMoreThanTheirLength) {
  // Each piece ends in "}", so that each looks as if its input were whole. Parsing every time would take minutes.
  std::string bytes = as_events({calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\""}})"),
                                 calls(R"({"index":1,"id":"b","function":{"name":"g","arguments":"{\"x\":\""}})")});
  const std::string both = as_events({calls(R"({"index":0,"function":{"arguments":"aaaaaaaaaaaaaaaaaaaaaaaa}"}})"),
                                      calls(R"({"index":1,"function":{"arguments":"aaaaaaaaaaaaaaaaaaaaaaaa}"}})")});
  for (int i = 0; i < 20'000; ++i) bytes += both;
  bytes += as_events({calls(R"({"index":0,"function":{"arguments":"\"}"}},{"index":1,"function":{"arguments":"\"}"}})"),
                      finish("tool_calls")});
  const StreamRun run = run_stream(bytes);
  ASSERT_EQ(run.calls.size(), 2U);
  EXPECT_FALSE(run.calls[0].invalid);
  EXPECT_EQ(run.calls[1].input_text.size(), 20'000U * 25 + 8);
}

}  // namespace
}  // namespace deft
