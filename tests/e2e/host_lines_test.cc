#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "deft_print.h"

// What the lines for hosts say of the model's messages, whichever API they came from.

namespace deft::testing {
namespace {

const HttpHeaders kEvents = {{"Content-Type", "text/event-stream"}};

std::string events(const std::vector<const char*>& all) {
  std::string text;
  for (const char* one : all) text += "data: " + std::string(one) + "\n\n";
  return text;
}

struct SpokenApi {
  std::string name;
  Arguments arguments;
  std::string request_id_header;
  std::string stream;  // a text, then a call of Read
  std::string done;    // a text
};

const std::vector<SpokenApi>& apis() {
  static const std::vector<SpokenApi> all = {
      {"AnthropicMessages",
       {},
       "request-id",
       events(
           {R"({"type":"message_start","message":{"id":"id-of-the-api","type":"message","role":"assistant","model":"its-model","content":[],"usage":{"input_tokens":6,"cache_read_input_tokens":4,"output_tokens":1}}})",
            R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"I look."}})",
            R"({"type":"content_block_stop","index":0})",
            R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"Read","input":{}}})",
            R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"file_path\":\"a.txt\"}"}})",
            R"({"type":"content_block_stop","index":1})",
            R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}})",
            R"({"type":"message_stop"})"}),
       anthropic_text("done", {{"input_tokens", 6}, {"cache_read_input_tokens", 4}})},
      {"OpenAiChat",
       {"--provider", "openai-chat"},
       "x-request-id",
       events(
           {R"({"id":"id-of-the-api","model":"its-model","choices":[{"index":0,"delta":{"role":"assistant","content":"I look."}}]})",
            R"({"id":"id-of-the-api","model":"its-model","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"Read","arguments":"{\"file_path\":\"a.txt\"}"}}]}}]})",
            R"({"id":"id-of-the-api","model":"its-model","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})",
            R"({"id":"id-of-the-api","model":"its-model","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}})",
            "[DONE]"}),
       events(
           {R"({"id":"id-of-the-last","model":"its-model","choices":[{"index":0,"delta":{"content":"done"},"finish_reason":"stop"}]})",
            R"({"id":"id-of-the-last","model":"its-model","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}})",
            "[DONE]"})},
      {"OpenAiResponses",
       {"--provider", "openai-responses"},
       "x-request-id",
       events(
           {R"({"type":"response.created","response":{"id":"id-of-the-api","model":"its-model","status":"in_progress","output":[]}})",
            R"({"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m1","role":"assistant","content":[]}})",
            R"({"type":"response.content_part.added","item_id":"m1","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}})",
            R"({"type":"response.output_text.delta","item_id":"m1","output_index":0,"content_index":0,"delta":"I look."})",
            R"({"type":"response.output_text.done","item_id":"m1","output_index":0,"content_index":0,"text":"I look."})",
            R"({"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m1","role":"assistant","content":[{"type":"output_text","text":"I look."}]}})",
            R"({"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"f1","call_id":"t1","name":"Read","arguments":""}})",
            R"({"type":"response.function_call_arguments.done","item_id":"f1","output_index":1,"arguments":"{\"file_path\":\"a.txt\"}"})",
            R"({"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"f1","call_id":"t1","name":"Read","arguments":"{\"file_path\":\"a.txt\"}"}})",
            R"({"type":"response.completed","response":{"id":"id-of-the-api","model":"its-model","status":"completed","output":[],"usage":{"input_tokens":10,"output_tokens":3,"input_tokens_details":{"cached_tokens":4}}}})"}),
       events(
           {R"({"type":"response.created","response":{"id":"id-of-the-last","model":"its-model","status":"in_progress","output":[]}})",
            R"({"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m2","role":"assistant","content":[{"type":"output_text","text":"done"}]}})",
            R"({"type":"response.completed","response":{"id":"id-of-the-last","model":"its-model","status":"completed","output":[{"type":"message","id":"m2","role":"assistant","content":[{"type":"output_text","text":"done"}]}],"usage":{"input_tokens":10,"output_tokens":5,"input_tokens_details":{"cached_tokens":4}}}})"})},
  };
  return all;
}

ModelPeer::Answer answers(const SpokenApi& api, const std::string& stream, const std::string& request_id) {
  return [=](const PeerRequest&, PeerAnswer& answer) {
    answer.send(200, {kEvents[0], {api.request_id_header, request_id}}, stream);
  };
}

std::vector<Json> lines_of(const PrintPlace& place, ModelPeer& model, const SpokenApi& api,
                           const Arguments& more = {}) {
  Arguments arguments = {"-p", "go"};
  if (!api.arguments.empty()) arguments = arguments + api.arguments + Arguments{"--base-url", model.url() + "/v1"};
  return place.lines(model, arguments + more);
}

class HostLines : public ::testing::TestWithParam<SpokenApi> {};

INSTANTIATE_TEST_SUITE_P(Apis, HostLines, ::testing::ValuesIn(apis()), [](const auto& api) { return api.param.name; });

TEST_P(HostLines, OfAMessageHaveTheIdTheModelAndTheTokensThatTheApiGave) {
  const PrintPlace place;
  place.project.put("a.txt", "text");
  ModelPeer model({answers(GetParam(), GetParam().stream, "req_1"), answers(GetParam(), GetParam().done, "req_2")});
  const std::vector<Json> lines = lines_of(place, model, GetParam());
  const std::vector<Json> said = of_type(lines, "assistant");
  ASSERT_EQ(said.size(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& message = *find(said[i], "message");
    EXPECT_EQ(text_of(message, "id"), "id-of-the-api");
    EXPECT_EQ(text_of(message, "model"), "its-model");
    EXPECT_EQ(text_of(said[i], "request_id"), "req_1");
    const Json& usage = *find(message, "usage");
    for (const char* key :
         {"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}) {
      EXPECT_TRUE(find_int(usage, key)) << key << to_json(usage);
    }
    EXPECT_EQ(find(usage, "prompt_tokens"), nullptr);
  }
  EXPECT_EQ(text_of(said[2], "request_id"), "req_2");
  const Json& usage = *find(*find(said[2], "message"), "usage");
  EXPECT_EQ(find_int(usage, "input_tokens"), 6);
  EXPECT_EQ(find_int(usage, "cache_read_input_tokens"), 4);
  EXPECT_EQ(find_int(usage, "output_tokens"), 5);
  EXPECT_EQ(text_of(of_type(lines, "result").at(0), "result"), "done");
}

TEST_P(HostLines, OfPartsNameTheSameMessage) {
  const PrintPlace place;
  place.project.put("a.txt", "text");
  ModelPeer model({answers(GetParam(), GetParam().stream, "req_1"), answers(GetParam(), GetParam().done, "req_2")});
  const std::vector<Json> parts =
      of_type(lines_of(place, model, GetParam(), {"--include-partial-messages"}), "stream_event");
  ASSERT_FALSE(parts.empty());
  const Json& first = *find(parts[0], "event");
  ASSERT_EQ(text_of(first, "type"), "message_start");
  EXPECT_EQ(text_of(*find(first, "message"), "id"), "id-of-the-api");
  EXPECT_EQ(text_of(*find(first, "message"), "model"), "its-model");
  EXPECT_TRUE(std::ranges::any_of(parts, [](const Json& part) {
    const Json* usage = find(*find(part, "event"), "usage");
    return usage && find_int(*usage, "output_tokens") == 3;
  }));
}

// A message that is discarded never existed, but hosts have seen a part of it.
TEST(HostLinesOfBrokenStreams, AreNamedByTheOneThatTakesTheirPlace) {
  const PrintPlace place;
  place.project.put("a.txt", "text");
  const SpokenApi& api = apis()[0];
  ModelPeer model({[&](const PeerRequest&, PeerAnswer& answer) {
                     answer.head(200, kEvents);
                     answer.chunk(api.stream.substr(0, api.stream.find(R"({"type":"message_delta")")));
                     answer.cut();
                   },
                   answers(api, api.done, "req_2")});
  const std::vector<Json> lines = lines_of(place, model, api);
  const std::vector<Json> said = of_type(lines, "assistant");
  ASSERT_EQ(said.size(), 3U);
  std::vector<std::string> taken_back;  // a text, a call and, if it was quick enough, its result
  for (const Json& line : lines) {
    const std::string type = text_of(line, "type");
    const bool is_last = text_of(line, "uuid") == text_of(said.back(), "uuid");
    if ((type == "assistant" || type == "user") && !is_last) taken_back.push_back(text_of(line, "uuid"));
  }
  std::vector<std::string> named;
  for (const Json& uuid : *find_array(said.back(), "supersedes")) named.emplace_back(view(uuid.get_string()));
  EXPECT_EQ(named, taken_back);

  const std::vector<Json> retries = of_type(lines, "system", "api_retry");
  ASSERT_EQ(retries.size(), 1U);
  ASSERT_NE(find(retries[0], "error_status"), nullptr);
  EXPECT_TRUE(find(retries[0], "error_status")->is_null()) << "it began with 200";
  EXPECT_EQ(text_of(retries[0], "error"), "server_error");
}

TEST_P(HostLines, SayWhyThereIsNoAnswer) {
  const PrintPlace place;
  ModelPeer model({[](const PeerRequest&, PeerAnswer& answer) {
    answer.send(401, {{"request-id", "req_9"}, {"x-request-id", "req_9"}},
                R"({"error":{"type":"authentication_error","message":"who are you"}})");
  }});
  const std::vector<Json> lines = lines_of(place, model, GetParam());
  const std::vector<Json> said = of_type(lines, "assistant");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(text_of(said[0], "error"), "authentication_failed");
  EXPECT_EQ(text_of(said[0], "request_id"), "req_9");
  EXPECT_EQ(text_of(*find(said[0], "message"), "model"), "<synthetic>");
  const std::string text = text_of(blocks_of(said, "text").at(0), "text");
  EXPECT_NE(text.find("who are you"), std::string::npos);
  const Json result = of_type(lines, "result").at(0);
  EXPECT_EQ(text_of(result, "result"), text);
  EXPECT_EQ(number_of(result, "api_error_status"), 401);
}

TEST(HostLinesOfCalls, AnInputThatIsNoJsonIsShownBesideAnEmptyOne) {
  const PrintPlace place;
  const std::string stream = events(
      {R"({"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"Read","arguments":"{\"file_path\": a.txt"}}]}}]})",
       R"({"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})", "[DONE]"});
  ModelPeer model({stream, chat_text("done")});
  const std::vector<Json> lines = lines_of(place, model, apis()[1]);
  const std::vector<Json> calls = blocks_of(of_type(lines, "assistant"), "tool_use");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(to_json(*find(calls[0], "input")), "{}") << "hosts look into it";
  EXPECT_EQ(text_of(calls[0], "input_text"), R"({"file_path": a.txt)");
  EXPECT_FALSE(text_of(calls[0], "invalid").empty());
  const std::vector<Json> results = blocks_of(of_type(lines, "user"), "tool_result");
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(find_bool(results[0], "is_error"), true);
  EXPECT_NE(to_json(results[0]).find(R"(file_path\\\": a.txt)"), std::string::npos) << to_json(results[0]);
}

TEST(HostLinesOfTurns, ResultsAreNumberedAndSayHowManyPromptsWait) {
  const PrintPlace place;
  ModelPeer model({anthropic_text("done")});
  HostedDeft deft(place, model.url());
  deft.say("one");
  const Json first = deft.next("result");
  deft.say("two");
  const Json second = deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(find_int(first, "result_index"), 0);
  EXPECT_EQ(find_int(second, "result_index"), 1);
  EXPECT_EQ(find_int(first, "queued_turn_count"), 0);
  EXPECT_NE(text_of(first, "uuid"), text_of(second, "uuid"));
  EXPECT_FALSE(text_of(first, "uuid").empty());
}

}  // namespace
}  // namespace deft::testing
