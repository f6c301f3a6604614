#include <gtest/gtest.h>

#include "deft/model/openai_chat_request.h"
#include "deft/model/openai_content.h"
#include "deft/model/openai_responses_request.h"
#include "deft/testing/model_record.h"

namespace deft {
namespace {

using Thoughts = OpenAiChatDialect::Thoughts;

ModelRequest conversation(std::initializer_list<std::string_view> contents) {
  auto history = std::make_shared<History>();
  for (const std::string_view content : contents) {
    history->push_back({history->size() % 2 == 0 ? Role::user : Role::assistant, std::string(content)});
  }
  return {.model = "m", .output_tokens_max = 10, .history = std::move(history), .stream = false};
}

constexpr std::string_view kGo = R"([{"type":"text","text":"go"}])";
constexpr std::string_view kCalls =
    R"([{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"I look."},)"
    R"({"type":"tool_use","id":"t1","name":"Read","input":{"n":12345678901234567890123}},)"
    R"({"type":"tool_use","id":"t2","name":"Show","input":{}}])";
constexpr std::string_view kResults =
    R"([{"type":"tool_result","tool_use_id":"t1","content":"seen"},)"
    R"({"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"a picture"},)"
    R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}],"is_error":true},)"
    R"({"type":"text","text":"note 1"},{"type":"text","text":"note 2"}])";

std::string chat_messages(const ModelRequest& request, const OpenAiChatDialect& dialect = {}) {
  const std::string body = openai_chat_body(request, "", dialect);
  EXPECT_TRUE(parse_json(body)) << body;
  return std::string(raw_member(body, "messages").value_or(""));
}
std::string responses_input(const ModelRequest& request, bool own_models) {
  const std::string body = openai_responses_body(request, "", {.own_models = own_models});
  EXPECT_TRUE(parse_json(body)) << body;
  return std::string(raw_member(body, "input").value_or(""));
}

TEST(OpenAiChatRequest, TellsAConversationInItsOwnWords) {
  ModelRequest request = conversation({kGo, kCalls, kResults});
  request.system = "Be brief.";
  EXPECT_EQ(chat_messages(request),
            R"([{"role":"system","content":"Be brief."},{"role":"user","content":"go"},)"
            R"({"role":"assistant","content":"I look.","tool_calls":[)"
            R"({"id":"t1","type":"function","function":{"name":"Read","arguments":"{\"n\":12345678901234567890123}"}},)"
            R"({"id":"t2","type":"function","function":{"name":"Show","arguments":"{}"}}]},)"
            R"({"role":"tool","tool_call_id":"t1","content":"seen"},)"
            R"({"role":"tool","tool_call_id":"t2","content":"a picture"},)"
            R"({"role":"user","content":[{"type":"text","text":"From the call t2:"},)"
            R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},)"
            R"({"type":"text","text":"note 1"},{"type":"text","text":"note 2"}]}])");
}

TEST(OpenAiChatRequest, TextsAreOneTextAndACallWithoutWordsHasNone) {
  EXPECT_EQ(
      chat_messages(conversation({R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])",
                                  R"([{"type":"tool_use","id":"t","name":"T","input":{}}])",
                                  R"([{"type":"tool_result","tool_use_id":"t","content":""}])"})),
      R"([{"role":"user","content":"a\n\nb"},)"
      R"({"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"T","arguments":"{}"}}]},)"
      R"({"role":"tool","tool_call_id":"t","content":""}])");
}

TEST(OpenAiChatRequest, ThoughtsOfOthersGoBackOnlyWhereTheyAreAskedFor) {
  const ModelRequest request = conversation({kGo, kCalls, kResults});
  EXPECT_EQ(chat_messages(request).find("hm"), std::string::npos);
  EXPECT_NE(chat_messages(request, {.thoughts = Thoughts::required}).find(R"("reasoning_content":"hm")"),
            std::string::npos);
}

TEST(OpenAiChatRequest, WhatAServerSentWithACallComesBackToItAsItCame) {
  const std::string calls =
      R"([{"type":"thinking","thinking":"hm","signature":"s","reasoning_field":"reasoning_content",)"
      R"("reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"s"}]},)"
      R"({"type":"reasoning.encrypted","data":"x","id":"t"},)"
      R"({"type":"tool_use","id":"t","name":"T","input":{},"extra_content":{"google":{"thought_signature":"g"}}}])";
  const ModelRequest request = conversation({kGo, calls, R"([{"type":"tool_result","tool_use_id":"t","content":""}])"});
  EXPECT_NE(chat_messages(request).find(
                R"({"role":"assistant","content":null,"reasoning_content":"hm","reasoning_details":)"
                R"([{"type":"reasoning.text","text":"hm","signature":"s"},)"
                R"({"type":"reasoning.encrypted","data":"x","id":"t"}],"tool_calls":[{"id":"t","type":"function",)"
                R"("function":{"name":"T","arguments":"{}"},"extra_content":{"google":{"thought_signature":"g"}}}]})"),
            std::string::npos)
      << chat_messages(request);
  EXPECT_EQ(chat_messages(request, {.thoughts = Thoughts::never}).find("hm"), std::string::npos);
  EXPECT_EQ(chat_messages(request, {.own_models = true}).find("hm"), std::string::npos);
}

TEST(OpenAiChatRequest, ACallWithoutThoughtsHasABlankOneWhereTheyAreRequired) {
  const ModelRequest request = conversation({kGo, R"([{"type":"tool_use","id":"t","name":"T","input":{}}])",
                                             R"([{"type":"tool_result","tool_use_id":"t","content":""}])"});
  EXPECT_NE(chat_messages(request, {.thoughts = Thoughts::required}).find(R"("reasoning_content":" ")"),
            std::string::npos);
}

TEST(OpenAiChatRequest, ARefusalTeachesHowToAsk) {
  const auto taught = [](std::string message, OpenAiChatDialect dialect = {}, int status = 400) {
    return taught_by({.kind = ModelFailure::Kind::status, .status = status, .message = std::move(message)}, dialect);
  };
  EXPECT_FALSE(taught("Unrecognized request argument supplied: stream_options")->usage_option);
  EXPECT_FALSE(taught("Extra inputs are not permitted: body, stream_options", {}, 422)->usage_option);
  EXPECT_TRUE(taught("'max_tokens' is not supported. Use 'max_completion_tokens' instead.")->completion_tokens);
  EXPECT_EQ(taught("thinking is enabled but reasoning_content is missing in assistant tool call message")->thoughts,
            Thoughts::required);
  EXPECT_EQ(taught("The `reasoning_content` in the thinking mode must be passed back to the API.")->thoughts,
            Thoughts::required);
  EXPECT_EQ(taught("property 'reasoning_content' is unsupported")->thoughts, Thoughts::never);
  EXPECT_FALSE(taught("Unsupported parameter: 'reasoning_effort' is not supported with this model.")->effort);
  // Nothing is learned twice, nor from what is no refusal.
  EXPECT_FALSE(taught("reasoning_effort", {.effort = false}));
  EXPECT_FALSE(taught("stream_options", {.usage_option = false}));
  EXPECT_FALSE(taught("max_completion_tokens", {.completion_tokens = true}));
  EXPECT_FALSE(taught("reasoning_content is missing", {.thoughts = Thoughts::required}));
  EXPECT_FALSE(taught("reasoning_content", {.thoughts = Thoughts::never}));
  EXPECT_FALSE(taught("stream_options", {}, 500));
  EXPECT_FALSE(taught("bad request"));
}

TEST(OpenAiChatRequest, TakesOverWhatItHasWordsFor) {
  ModelRequest request = conversation({kGo});
  request.stream = true;
  request.effort = "max";
  request.session_id = "s";
  request.tool_choice = JsonObject{{"type", "tool"}, {"name", "T"}, {"disable_parallel_tool_use", true}};
  request.output_format = JsonObject{{"type", "json_schema"}, {"schema", JsonObject{{"type", "object"}}}};
  const std::string tools = "[" + openai_chat_tool({"T", R"("d")", R"({"type":"object"})"}) + "]";
  EXPECT_EQ(
      openai_chat_body(request, tools, {}),
      R"({"model":"m","max_tokens":10,"stream":true,"stream_options":{"include_usage":true},"reasoning_effort":"xhigh",)"
      R"("response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}},)"
      R"("tool_choice":{"type":"function","function":{"name":"T"}},"parallel_tool_calls":false,)"
      R"("tools":[{"type":"function","function":{"name":"T","description":"d","parameters":{"type":"object"}}}],)"
      R"("messages":[{"role":"user","content":"go"}]})");
  request.tool_choice = JsonObject{{"type", "any"}};
  const std::string own = openai_chat_body(request, tools, {.own_models = true});
  EXPECT_NE(own.find(R"("max_completion_tokens":10)"), std::string::npos);
  EXPECT_NE(own.find(R"("tool_choice":"required")"), std::string::npos);
  EXPECT_NE(own.find(R"("prompt_cache_key":"s")"), std::string::npos);
}

TEST(OpenAiRequests, ALongerConversationBeginsWithTheBytesOfTheShorterOne) {
  const ModelRequest shorter = conversation({kGo, kCalls, kResults});
  const ModelRequest longer = conversation({kGo, kCalls, kResults, R"([{"type":"text","text":"Done."}])", kGo});
  const auto is_prefix = [](const std::string& before, const std::string& after) {
    return after.starts_with(before.substr(0, before.size() - 1));
  };
  EXPECT_TRUE(is_prefix(chat_messages(shorter), chat_messages(longer)));
  EXPECT_TRUE(is_prefix(responses_input(shorter, true), responses_input(longer, true)));
  EXPECT_TRUE(is_prefix(responses_input(shorter, false), responses_input(longer, false)));
}

TEST(OpenAiResponsesRequest, TellsAConversationInItsOwnWords) {
  EXPECT_EQ(responses_input(conversation({kGo, kCalls, kResults}), true),
            R"([{"role":"user","content":"go"},{"role":"assistant","content":"I look."},)"
            R"({"type":"function_call","call_id":"t1","name":"Read","arguments":"{\"n\":12345678901234567890123}"},)"
            R"({"type":"function_call","call_id":"t2","name":"Show","arguments":"{}"},)"
            R"({"type":"function_call_output","call_id":"t1","output":"seen"},)"
            R"({"type":"function_call_output","call_id":"t2","output":[{"type":"input_text","text":"a picture"},)"
            R"({"type":"input_image","image_url":"data:image/png;base64,AAAA"}]},)"
            R"({"role":"user","content":"note 1\n\nnote 2"}])");
  EXPECT_NE(
      responses_input(conversation({kGo, kCalls, kResults}), false)
          .find(R"({"type":"function_call_output","call_id":"t2","output":"a picture"},{"role":"user","content":[)"),
      std::string::npos);
}

TEST(OpenAiResponsesRequest, SealedThoughtsAndItemsOfItsOwnGoBackBeforeWhatTheyLedTo) {
  EXPECT_EQ(
      responses_input(
          conversation(
              {kGo,
               R"([{"type":"thinking","thinking":"hm","signature":"sealed","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}]},)"
               R"({"type":"web_search_call","id":"ws_1","status":"completed"},)"
               R"({"type":"thinking","thinking":"other","signature":"of another API"},)"
               R"({"type":"redacted_thinking","data":"x"},)"
               R"({"type":"text","text":"Done.","annotations":[]}])",
               kGo}),
          true),
      R"([{"role":"user","content":"go"},)"
      R"({"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"sealed"},)"
      R"({"type":"web_search_call","id":"ws_1","status":"completed"},)"
      R"({"role":"assistant","content":"Done."},{"role":"user","content":"go"}])");
}

TEST(OpenAiResponsesRequest, ThoughtsThatAreRefusedStayAwayWithTheItemsThatTheyLedTo) {
  constexpr std::string_view thought =
      R"([{"type":"thinking","thinking":"hm","signature":"sealed","id":"rs_1","summary":[]},)"
      R"({"type":"web_search_call","id":"ws_1"},{"type":"text","text":"Done."}])";
  const ModelRequest request{.model = "m",
                             .output_tokens_max = 10,
                             .history = std::make_shared<History>(History{{Role::user, std::string(kGo), 1},
                                                                          {Role::assistant, std::string(thought), 2},
                                                                          {Role::user, std::string(kGo), 3},
                                                                          {Role::assistant, std::string(thought), 4},
                                                                          {Role::user, std::string(kGo), 5}}),
                             .stream = false};
  const std::string body = openai_responses_body(request, "", {.own_models = true, .refused = {.thoughts = 3}});
  EXPECT_EQ(raw_member(body, "input"),
            R"([{"role":"user","content":"go"},{"role":"assistant","content":"Done."},{"role":"user","content":"go"},)"
            R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"sealed"},)"
            R"({"type":"web_search_call","id":"ws_1"},{"role":"assistant","content":"Done."},)"
            R"({"role":"user","content":"go"}])");
}

TEST(OpenAiResponsesRequest, ThePhaseOfAnAnswerGoesBackWithIt) {
  EXPECT_EQ(
      responses_input(conversation({kGo, R"([{"type":"text","text":"Done.","phase":"final_answer"}])", kGo}), true),
      R"([{"role":"user","content":"go"},{"role":"assistant","content":"Done.","phase":"final_answer"},)"
      R"({"role":"user","content":"go"}])");
}

TEST(OpenAiResponsesRequest, AModelThatDoesNotThinkIsAskedForNeitherEffortNorSealedThoughts) {
  ModelRequest request = conversation({kGo});
  request.effort = "high";
  const auto refusal = [](std::string message, int status = 400) {
    return ModelFailure{.kind = ModelFailure::Kind::status, .status = status, .message = std::move(message)};
  };
  const std::string no_effort = "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
  const auto taught = taught_by(refusal(no_effort), OpenAiResponsesDialect{.own_models = true});
  ASSERT_TRUE(taught);
  const auto more = taught_by(refusal("Encrypted content is not supported with this model."), *taught);
  ASSERT_TRUE(more);
  EXPECT_EQ(openai_responses_body(request, "", *more),
            R"({"model":"m","max_output_tokens":10,"store":false,"input":[{"role":"user","content":"go"}]})");
  EXPECT_FALSE(taught_by(refusal(no_effort), *more));
  EXPECT_FALSE(taught_by(refusal(no_effort, 500), OpenAiResponsesDialect{}));
  EXPECT_FALSE(taught_by(refusal("no such field"), OpenAiResponsesDialect{}));
}

TEST(OpenAiResponsesRequest, TakesOverWhatItHasWordsFor) {
  ModelRequest request = conversation({kGo});
  request.stream = true;
  request.system = "Be brief.";
  request.effort = "low";
  request.session_id = "s";
  request.tool_choice = JsonObject{{"type", "tool"}, {"name", "T"}};
  request.output_format = JsonObject{{"type", "json_schema"}, {"schema", JsonObject{{"type", "object"}}}};
  const std::string tools = "[" + openai_responses_tool({"T", R"("d")", R"({"type":"object"})"}) + "]";
  EXPECT_EQ(
      openai_responses_body(request, tools, {.own_models = true}),
      R"({"model":"m","max_output_tokens":10,"store":false,"stream":true,"reasoning":{"effort":"low"},)"
      R"("include":["reasoning.encrypted_content"],)"
      R"("text":{"format":{"type":"json_schema","name":"answer","strict":false,"schema":{"type":"object"}}},)"
      R"("prompt_cache_key":"s","tool_choice":{"type":"function","name":"T"},)"
      R"("tools":[{"type":"function","name":"T","description":"d","parameters":{"type":"object"},"strict":false}],)"
      R"("instructions":"Be brief.","input":[{"role":"user","content":"go"}]})");
}

TEST(OpenAiRequests, DocumentsBecomeTextsOrFiles) {
  const ModelRequest request = conversation(
      {R"([{"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"},"title":"T"},)"
       R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"BBBB"}},)"
       R"({"type":"image","source":{"type":"url","url":"https://h/i.png"}}])"});
  EXPECT_EQ(chat_messages(request),
            R"([{"role":"user","content":[{"type":"text","text":"T\n\nwords"},)"
            R"({"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,BBBB"}},)"
            R"({"type":"image_url","image_url":{"url":"https://h/i.png"}}]}])");
  EXPECT_EQ(responses_input(request, true),
            R"([{"role":"user","content":[{"type":"input_text","text":"T\n\nwords"},)"
            R"({"type":"input_file","filename":"document.pdf","file_data":"data:application/pdf;base64,BBBB"},)"
            R"({"type":"input_image","image_url":"https://h/i.png"}]}])");
}

TEST(OpenAiRequests, LongIdsAreCutTheSameWayInCallAndResult) {
  const std::string id(70, 'x');
  EXPECT_EQ(openai_call_id("call_1"), "call_1");
  EXPECT_EQ(openai_call_id(id).size(), kOpenAiCallIdBytesMax);
  EXPECT_NE(openai_call_id(id), openai_call_id(id + "y"));
  const std::string messages =
      chat_messages(conversation({kGo, R"([{"type":"tool_use","id":")" + id + R"(","name":"T","input":{}}])",
                                  R"([{"type":"tool_result","tool_use_id":")" + id + R"(","content":"r"}])"}));
  const std::string cut = openai_call_id(id);
  EXPECT_NE(messages.find(R"("tool_calls":[{"id":")" + cut), std::string::npos);
  EXPECT_NE(messages.find(R"("tool_call_id":")" + cut), std::string::npos);
}

TEST(OpenAiRequests, ContentThatIsNoneGivesNothing) {
  for (const char* content : {"", "x", "{}", "[1,null,\"a\"]", R"([{"type":7},{}])", R"([{"type":"image"}])"}) {
    EXPECT_TRUE(content_items(content).empty()) << content;
  }
}

}  // namespace
}  // namespace deft
