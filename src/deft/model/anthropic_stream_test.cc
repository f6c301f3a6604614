#include "deft/model/anthropic_stream.h"

#include <gtest/gtest.h>

#include "deft/testing/stream_run.h"

namespace deft {
namespace {

using testing::run_events;
using testing::StreamRun;

constexpr std::string_view kStart =
    R"({"type":"message_start","message":{"id":"m","model":"x","content":[],"usage":{}}})";
constexpr std::string_view kStop = R"({"type":"message_stop"})";
constexpr std::string_view kToolUse =
    R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"Read","input":{}}})";
constexpr std::string_view kText =
    R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})";
constexpr std::string_view kInput =
    R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}})";
constexpr std::string_view kEndOfBlock = R"({"type":"content_block_stop","index":0})";

TEST(AnthropicStream, EachCallComesWhileTheMessageStillStreams) {
  const StreamRun run = run_events({kStart, kToolUse, kInput, kEndOfBlock});
  ASSERT_EQ(run.calls.size(), 1U);
  EXPECT_EQ(run.calls[0].input_text, R"({"a":1})");
  EXPECT_EQ(run.error(), "the stream broke off before message_stop");
}

TEST(AnthropicStream, ACallWhoseBlockWasNotClosedComesOnlyIfTheMessageIsCompleteAndItsInputWhole) {
  EXPECT_TRUE(run_events({kStart, kToolUse, kInput}).calls.empty());
  const StreamRun whole = run_events({kStart, kToolUse, kInput, kStop});
  ASSERT_EQ(whole.calls.size(), 1U);
  EXPECT_EQ(whole.calls[0].input_text, R"({"a":1})");
  EXPECT_EQ(whole.messages.size(), 1U);
  const StreamRun half = run_events({kStart, kToolUse, kStop});
  EXPECT_TRUE(half.calls.empty());
  EXPECT_EQ(half.error(), "malformed stream: the message ended inside the call \"t\"");
}

TEST(AnthropicStream, HalvesOfACharacterInTwoPiecesAreShownOnceTheyAreWhole) {
  const StreamRun run =
      run_events({kStart, R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"\ud83d"}})",
                  R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ude00 \ud83d"}})"});
  EXPECT_EQ(run.text, "\U0001F600 \xEF\xBF\xBD");
  EXPECT_EQ(std::get<TextBlock>(run.failures[0].message.blocks[0]).text, run.text);
}

TEST(AnthropicStream, UnknownEventsAndDeltasAreIgnored) {
  const StreamRun run = run_events({kStart, R"({"type":"ping"})", R"({"type":"brand_new","index":"x"})", kToolUse,
                                    R"({"type":"content_block_delta","index":0,"delta":{"type":"new_delta","x":1}})",
                                    kInput, kEndOfBlock, kStop});
  EXPECT_EQ(run.messages.size(), 1U);
  EXPECT_EQ(run.calls.size(), 1U);
}

TEST(AnthropicStream, APieceOfAnotherKindThanItsBlockChangesNothing) {
  const StreamRun run = run_events(
      {kStart, kToolUse, R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"{\"b\":"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"2}"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}})", kInput,
       kEndOfBlock, kStop});
  EXPECT_EQ(run.calls.at(0).input_text, R"({"a":1})");
}

TEST(AnthropicStream, EventsWithoutWhatTheyMustHaveFailTheMessage) {
  for (const std::string_view broken : {
           R"({"type":"content_block_start","content_block":{"type":"text","text":""}})",
           R"({"type":"content_block_start","index":-1,"content_block":{"type":"text","text":""}})",
           R"({"type":"content_block_start","index":"0","content_block":{"type":"text","text":""}})",
           R"({"type":"content_block_start","index":1})",
           R"({"type":"content_block_start","index":1,"content_block":[]})",
           R"({"type":"content_block_delta","index":0})",
           R"({"type":"content_block_delta","index":5,"delta":{"type":"text_delta","text":"x"}})",
           R"({"type":"content_block_delta","index":9223372036854775807,"delta":{"type":"text_delta","text":"x"}})",
           R"({"type":"content_block_stop"})",
           R"({"type":"content_block_stop","index":5})",
           R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"again"}})",
       }) {
    const StreamRun run = run_events({kStart, kText, broken, kStop});
    ASSERT_EQ(run.failures.size(), 1U) << broken;
    EXPECT_EQ(run.lines.size(), 1U) << broken;
    EXPECT_EQ(run.failures[0].error.code, Errc::invalid_json) << broken;
  }
  EXPECT_EQ(run_events({R"({"type":"message_start"})"}).failures.size(), 1U);
}

TEST(AnthropicStream, InputAfterTheEndOfItsBlockFailsTheMessage) {
  const StreamRun run = run_events({kStart, kToolUse, kInput, kEndOfBlock, kInput, kStop});
  EXPECT_EQ(run.calls.size(), 1U) << "it was complete when it came";
  EXPECT_EQ(run.calls[0].input_text, R"({"a":1})");
  EXPECT_EQ(run.failures.size(), 1U);
}

TEST(AnthropicStream, WhatStandsOutsideAMessageIsIgnored) {
  const StreamRun run = run_events({kInput, kStart, kText, kEndOfBlock, kStop, kStop, kEndOfBlock});
  EXPECT_EQ(run.lines.size(), 1U);
  EXPECT_EQ(run.messages.size(), 1U);
}

TEST(AnthropicStream, AMessageThatBeginsInsideAnotherEndsTheFirstInFailure) {
  const StreamRun run = run_events({kStart, kText, kStart, kText, kEndOfBlock, kStop});
  EXPECT_EQ(run.failures.size(), 1U);
  EXPECT_EQ(run.messages.size(), 1U);
}

TEST(AnthropicStream, AnInputThatCameWithTheStartOfItsBlockCountsUnlessPiecesFollow) {
  constexpr std::string_view whole =
      R"({"type":"content_block_start","index":0,"content_block":)"
      R"({"type":"tool_use","id":"t","name":"Read","input":{"n":123456789012345678901}}})";
  EXPECT_EQ(run_events({kStart, whole, kEndOfBlock, kStop}).calls.at(0).input_text, R"({"n":123456789012345678901})");
  EXPECT_EQ(run_events({kStart, whole, kInput, kEndOfBlock, kStop}).calls.at(0).input_text, R"({"a":1})");
}

TEST(AnthropicStream, UsageIsOverlaidAndTheStopReasonKeepsItsDetails) {
  const StreamRun run =
      run_events({R"({"type":"message_start","message":{"id":"m","usage":{"input_tokens":5,"output_tokens":1}}})",
                  R"({"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal"}},)"
                  R"("usage":{"input_tokens":null,"output_tokens":9}})",
                  kStop});
  const Message& message = run.messages.at(0);
  EXPECT_EQ(to_json(message.usage), R"({"input_tokens":5,"output_tokens":9})");
  EXPECT_EQ(message.stop_reason, "refusal");
  EXPECT_EQ(to_json(message.extra), R"({"stop_details":{"type":"refusal"}})");
}

}  // namespace
}  // namespace deft
