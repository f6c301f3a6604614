#include "deft/model/openai_responses_stream.h"

#include <gtest/gtest.h>

#include "deft/testing/stream_run.h"

namespace deft {
namespace {

using testing::run_events;
using testing::StreamRun;

constexpr std::string_view kCreated = R"({"type":"response.created","response":{"id":"r","model":"m","output":[]}})";
constexpr std::string_view kCall = R"({"type":"response.output_item.added","output_index":0,"item":)"
                                   R"({"type":"function_call","id":"fc","call_id":"a","name":"f","arguments":""}})";
constexpr std::string_view kInput =
    R"({"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"x\":1}"})";
constexpr std::string_view kInputDone =
    R"({"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"x\":1}"})";
constexpr std::string_view kCallDone =
    R"({"type":"response.output_item.done","output_index":0,"item":)"
    R"({"type":"function_call","id":"fc","call_id":"a","name":"f","arguments":"{\"x\":1}"}})";
constexpr std::string_view kCompleted =
    R"({"type":"response.completed","response":{"id":"r","model":"m","status":"completed","output":[]}})";
constexpr std::string_view kMessage =
    R"({"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"i","content":[]}})";

std::string show(const StreamRun& run) {
  std::string out;
  for (const ToolCall& call : run.calls)
    out += call.id + ":" + call.name + (call.invalid ? "!" : call.input_text) + " ";
  return out;
}

TEST(OpenAiResponsesStream, ACallIsCompleteWithItsItem) {
  EXPECT_EQ(show(run_events({kCreated, kCall, kInput})), "");
  EXPECT_EQ(show(run_events({kCreated, kCall, kInput, kInputDone})), "");
  const StreamRun run = run_events({kCreated, kCall, kInput, kInputDone, kCallDone});
  EXPECT_EQ(show(run), R"(a:f{"x":1} )");
  EXPECT_EQ(run.error(), "the stream broke off before response.completed");
}

TEST(OpenAiResponsesStream, TheFinalFormOfACallIsWhatCounts) {
  EXPECT_EQ(show(run_events({kCreated, kCall,
                             R"({"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"lost"})",
                             kCallDone, kCompleted})),
            R"(a:f{"x":1} )");
}

TEST(OpenAiResponsesStream, ItemsThatCameOnlyAtTheEndAreReadFromTheResponse) {
  const StreamRun run =
      run_events({kCreated, R"({"type":"response.completed","response":{"status":"completed","output":[)"
                            R"({"type":"message","id":"i","content":[{"type":"output_text","text":"hi"}]},)"
                            R"({"type":"function_call","id":"fc","call_id":"a","name":"f","arguments":"{}"}]}})"});
  EXPECT_EQ(show(run), "a:f{} ");
  EXPECT_EQ(run.text, "hi");
  EXPECT_EQ(run.messages.at(0).stop_reason, "tool_use");
}

TEST(OpenAiResponsesStream, ItemsOfTheStreamAreNotRepeatedByTheFinalList) {
  const StreamRun run =
      run_events({kCreated, kCall, kInput, kCallDone,
                  R"({"type":"response.completed","response":{"status":"completed","output":[)"
                  R"({"type":"function_call","id":"fc","call_id":"a","name":"f","arguments":"{\"x\":1}"}]}})"});
  EXPECT_EQ(show(run), R"(a:f{"x":1} )");
  EXPECT_EQ(run.messages.at(0).blocks.size(), 1U);
}

TEST(OpenAiResponsesStream, TheWholeResponseHasTheLastWordOnItemsThatHaveEnded) {
  constexpr std::string_view search =
      R"({"type":"response.output_item.done","output_index":0,"item":{"type":"web_search_call","id":"w"}})";
  constexpr std::string_view message =
      R"({"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"i",)"
      R"("content":[{"type":"output_text","text":"hi","annotations":[]}]}})";
  const StreamRun run =
      run_events({kCreated, search, message,
                  R"({"type":"response.completed","response":{"status":"completed","output":[)"
                  R"({"type":"web_search_call","id":"w","action":{"sources":["s"]}},{"type":"message","id":"i",)"
                  R"("content":[{"type":"output_text","text":"hi","annotations":[{"url":"u"}]}]}]}})"});
  ASSERT_EQ(run.messages.at(0).blocks.size(), 2U);
  EXPECT_EQ(to_json(std::get<OtherBlock>(run.messages.at(0).blocks[0]).json),
            R"({"type":"web_search_call","id":"w","action":{"sources":["s"]}})");
  const auto& text = std::get<TextBlock>(run.messages.at(0).blocks[1]);
  EXPECT_EQ(text.text, "hi");
  EXPECT_EQ(to_json(text.extra), R"({"annotations":[{"url":"u"}]})");
}

TEST(OpenAiResponsesStream, ThePhaseOfAMessageStaysWithItsText) {
  const StreamRun run = run_events(
      {kCreated, kMessage, R"({"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"hi"})",
       R"({"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"i","phase":"commentary",)"
       R"("content":[{"type":"output_text","text":"hi"}]}})",
       kCompleted});
  const auto& text = std::get<TextBlock>(run.messages.at(0).blocks.at(0));
  EXPECT_EQ(to_json(text.extra), R"({"phase":"commentary"})");
}

TEST(OpenAiResponsesStream, ACompletedResponseWithAnUnfinishedCallHasFailed) {
  const StreamRun run = run_events({kCreated, kCall, kInput, kCompleted});
  EXPECT_EQ(show(run), "");
  EXPECT_EQ(run.failures.size(), 1U);
}

TEST(OpenAiResponsesStream, TextComesPieceByPieceWithOrWithoutItsPartBeingAnnounced) {
  const StreamRun run = run_events(
      {kCreated, kMessage, R"({"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"a"})",
       R"({"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"b"})", kCompleted});
  EXPECT_EQ(run.text, "ab");
  EXPECT_EQ(std::get<TextBlock>(run.messages.at(0).blocks.at(0)).text, "ab");
}

TEST(OpenAiResponsesStream, LatePiecesOfAFinishedItemAreIgnoredButNotOfACall) {
  constexpr std::string_view done =
      R"({"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"i",)"
      R"("content":[{"type":"output_text","text":"a"}]}})";
  const StreamRun text = run_events(
      {kCreated, kMessage, done,
       R"({"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"b"})",
       R"({"type":"response.content_part.done","output_index":0,"content_index":0,"part":{"type":"output_text","text":"c"}})",
       done, kCompleted});
  EXPECT_EQ(text.text, "a");
  EXPECT_EQ(text.messages.size(), 1U);
  const StreamRun call = run_events({kCreated, kCall, kInput, kCallDone, kInput, kCompleted});
  EXPECT_EQ(call.failures.size(), 1U);
}

TEST(OpenAiResponsesStream, ReasonsForAnIncompleteResponseAreTranslated) {
  const auto reasons = [](std::string_view details) {
    const StreamRun run = run_events({kCreated, R"({"type":"response.incomplete","response":{"status":"incomplete",)"
                                                R"("incomplete_details":)" +
                                                    std::string(details) + "}}"});
    return run.messages.at(0).stop_reason + " " + run.messages.at(0).raw_stop_reason;
  };
  EXPECT_EQ(reasons(R"({"reason":"max_output_tokens"})"), "max_tokens max_output_tokens");
  EXPECT_EQ(reasons(R"({"reason":"content_filter"})"), "refusal content_filter");
  EXPECT_EQ(reasons("null"), "incomplete incomplete");
}

TEST(OpenAiResponsesStream, ACallCutOffBeforeItsInputIsInvalidNotRun) {
  const StreamRun run = run_events(
      {kCreated, kCall,
       R"({"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}})"});
  EXPECT_EQ(show(run), "a:f! ");
}

TEST(OpenAiResponsesStream, FailedAndCancelledResponsesAreErrors) {
  EXPECT_EQ(run_events({kCreated, R"({"type":"response.failed","response":{"error":{"code":"x","message":"broke"}}})"})
                .line(),
            R"({"type":"error","code":"failed","message":"broke","provider_code":"x"})");
  EXPECT_EQ(run_events({kCreated, R"({"type":"response.cancelled","response":{}})"}).error(),
            "the response was cancelled");
}

TEST(OpenAiResponsesStream, UnknownEventsAndProgressAreIgnored) {
  const StreamRun run =
      run_events({kCreated, R"({"type":"response.audio.delta","delta":"x"})",
                  R"({"type":"response.brand_new","output_index":9})", R"({"type":"keepalive"})", kCall,
                  R"({"type":"response.web_search_call.searching","output_index":5})", kCallDone, kCompleted});
  EXPECT_EQ(run.messages.size(), 1U);
}

TEST(OpenAiResponsesStream, EventsWithoutWhatTheyMustHaveFailTheMessage) {
  for (const std::string_view broken : {
           R"({"type":"response.output_item.added","output_index":"x","item":{"type":"message"}})",
           R"({"type":"response.output_item.added","output_index":-1,"item":{"type":"message"}})",
           R"({"type":"response.output_item.added","output_index":100000,"item":{"type":"message"}})",
           R"({"type":"response.output_item.added","output_index":1,"item":"x"})",
           R"({"type":"response.output_item.added","output_index":0,"item":{"type":"message"}})",
           R"({"type":"response.output_item.done","output_index":0,"item":{"type":"function_call"}})",
           R"({"type":"response.output_text.delta","output_index":7,"content_index":0,"delta":"x"})",
           R"({"type":"response.output_text.delta","item_id":"other","delta":"x"})",
           R"({"type":"response.output_text.delta","output_index":0,"content_index":-3,"delta":"x"})",
           R"({"type":"response.function_call_arguments.delta","delta":"x"})",
           R"({"type":"response.completed"})",
           R"({"type":"response.completed","response":{"output":[4]}})",
       }) {
    const StreamRun run = run_events({kCreated, kMessage, broken, kCompleted});
    EXPECT_EQ(run.failures.size(), 1U) << broken;
    EXPECT_EQ(run.lines.size(), 1U) << broken;
  }
}

// As llama.cpp sends it.
TEST(OpenAiResponsesStream, WithoutIndicesItemsAreKnownByTheirIds) {
  const StreamRun run = run_events(
      {kCreated, R"({"type":"response.output_item.added","item":{"type":"reasoning","id":"rs","summary":[]}})",
       R"({"type":"response.reasoning_text.delta","delta":"hm","item_id":"rs"})",
       R"({"type":"response.output_item.added","item":{"type":"message","id":"msg","content":[]}})",
       R"({"type":"response.content_part.added","item_id":"msg","part":{"type":"output_text","text":""}})",
       R"({"type":"response.output_text.delta","item_id":"msg","delta":"I look."})",
       R"({"type":"response.output_item.added","item":{"type":"function_call","call_id":"fc_1","name":"f"}})",
       R"({"type":"response.function_call_arguments.delta","delta":"{\"x\":","item_id":"fc_1"})",
       R"({"type":"response.output_item.added","item":{"type":"function_call","call_id":"fc_2","name":"g"}})",
       R"({"type":"response.function_call_arguments.delta","delta":"{}","item_id":"fc_2"})",
       R"({"type":"response.function_call_arguments.delta","delta":"1}","item_id":"fc_1"})",
       R"({"type":"response.output_item.done","item":{"type":"message","id":"msg","content":[{"type":"output_text","text":"I look."}]}})",
       R"({"type":"response.output_item.done","item":{"type":"function_call","call_id":"fc_1","name":"f","arguments":"{\"x\":1}"}})",
       R"({"type":"response.output_item.done","item":{"type":"function_call","call_id":"fc_2","name":"g","arguments":"{}"}})",
       R"({"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning","id":"rs","summary":[]},)"
       R"({"type":"message","id":"msg","content":[{"type":"output_text","text":"I look."}]},)"
       R"({"type":"function_call","call_id":"fc_1","name":"f","arguments":"{\"x\":1}"},)"
       R"({"type":"function_call","call_id":"fc_2","name":"g","arguments":"{}"}]}})"});
  EXPECT_EQ(show(run), R"(fc_1:f{"x":1} fc_2:g{} )");
  EXPECT_EQ(run.text, "I look.");
  EXPECT_EQ(run.thinking, "hm");
  ASSERT_EQ(run.messages.size(), 1U) << run.error();
  EXPECT_EQ(run.messages[0].blocks.size(), 4U);
}

TEST(OpenAiResponsesStream, ATextPartCannotBecomeARefusal) {
  const StreamRun run = run_events(
      {kCreated, kMessage, R"({"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"a"})",
       R"({"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"b"})", kCompleted});
  EXPECT_EQ(run.failures.size(), 1U);
}

TEST(OpenAiResponsesStream, RawReasoningIsThinkingWhereThereIsNoSummary) {
  const StreamRun run = run_events(
      {kCreated, R"({"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs"}})",
       R"({"type":"response.reasoning_text.delta","output_index":0,"content_index":0,"delta":"hm"})",
       R"({"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs","summary":[],)"
       R"("content":[{"type":"reasoning_text","text":"hm."}]}})",
       kCompleted});
  EXPECT_EQ(run.thinking, "hm.");
  EXPECT_EQ(std::get<ThinkingBlock>(run.messages.at(0).blocks.at(0)).thinking, "hm.");
}

}  // namespace
}  // namespace deft
