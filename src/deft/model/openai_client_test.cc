#include "deft/model/openai_client.h"

#include <gtest/gtest.h>

#include "deft/os/curl_http_client.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/model_record.h"
#include "deft/testing/stream_run.h"

namespace deft {
namespace {

using testing::as_events;
using testing::HttpPeer;
using testing::model_request;
using testing::ModelRecord;
using testing::PeerAnswer;
using testing::PeerRequest;

const HttpHeaders kEvents = {{"Content-Type", "text/event-stream"}, {"x-request-id", "req_1"}};

const std::string kChat =
    as_events({R"({"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]})",
               R"({"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]})",
               R"({"id":"c","model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}})", "[DONE]"});
const std::string kResponses = as_events(
    {R"({"type":"response.created","response":{"id":"r","model":"m","status":"in_progress","output":[]}})",
     R"({"type":"response.output_item.added","output_index":0,"item":{"id":"i","type":"message","content":[]}})",
     R"({"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hello"})",
     R"({"type":"response.completed","response":{"id":"r","model":"m","status":"completed","output":[{"id":"i","type":"message","content":[{"type":"output_text","text":"Hello"}]}],"usage":{"input_tokens":3}}})"});
constexpr std::string_view kHello = R"([{"type":"text","text":"Hello"}])";

// Answers each API with its own greeting.
void greet(const PeerRequest& request, PeerAnswer& answer) {
  answer.send(200, kEvents, request.path.ends_with("/responses") ? kResponses : kChat);
}

ModelEndpoint endpoint_of(const HttpPeer& peer) {
  return {.base_url = peer.url("/v1"),
          .credentials = std::make_shared<FixedCredentials>(HttpHeaders{{"Authorization", "Bearer sk-1"}})};
}

TEST(OpenAiClients, AskTheirOwnApiAndReadItsStream) {
  HttpPeer peer(greet);
  CurlHttpClient http{HttpNetwork{}};
  const SystemClock clock;
  OpenAiChatClient chat(http, clock, endpoint_of(peer));
  OpenAiResponsesClient responses(http, clock, endpoint_of(peer));
  for (ModelClient* client : std::initializer_list<ModelClient*>{&chat, &responses}) {
    ModelRecord record;
    const auto call = client->ask(model_request(), record.sink());
    EXPECT_EQ(record.wait_for_content(), kHello);
  }
  const auto requests = peer.requests();
  EXPECT_EQ(requests[0].path, "/v1/chat/completions");
  EXPECT_EQ(requests[1].path, "/v1/responses");
  EXPECT_EQ(requests[0].header("authorization"), "Bearer sk-1");
  EXPECT_EQ(find_string(*parse_json(requests[0].body), "model"), "m");
}

TEST(OpenAiClients, WhatAServerRefusesByNameIsAskedForDifferentlyFromThenOn) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    if (request.body.find("stream_options") == std::string::npos) return greet(request, answer);
    answer.send(400, {{"Content-Type", "application/json"}},
                R"({"error":{"message":"property 'stream_options' is unsupported","type":"invalid_request_error"}})");
  });
  CurlHttpClient http{HttpNetwork{}};
  const SystemClock clock;
  OpenAiChatClient client(http, clock, endpoint_of(peer));
  ModelRecord refused;
  const auto first = client.ask(model_request(), refused.sink());
  auto events = refused.wait_for_end();
  const ModelFailure& failure = std::get<ModelFailed>(events.back()).failure;
  EXPECT_EQ(failure.should_retry, true);
  ASSERT_TRUE(failure.retry_after);
  for (int i = 0; i < 2; ++i) {
    ModelRecord record;
    const auto call = client.ask(model_request(), record.sink());
    EXPECT_EQ(record.wait_for_content(), kHello);
  }
}

TEST(OpenAiClients, TellEventsInAnthropicsShapesToThoseWhoWantThem) {
  HttpPeer peer(greet);
  CurlHttpClient http{HttpNetwork{}};
  const SystemClock clock;
  OpenAiChatClient client(http, clock, endpoint_of(peer));
  ModelRequest request = model_request();
  request.raw_events = true;
  ModelRecord record;
  const auto call = client.ask(request, record.sink());
  std::string bytes;
  std::string text;
  for (const ModelEvent& event : record.wait_for_end()) {
    if (const auto* raw = std::get_if<RawModelEvent>(&event)) bytes += "data: " + raw->json + "\n\n";
    if (const auto* delta = std::get_if<TextDelta>(&event)) text += delta->text;
  }
  EXPECT_EQ(text, "Hello");
  const auto run = testing::run_stream(bytes);
  ASSERT_EQ(run.messages.size(), 1U) << bytes;
  EXPECT_EQ(assistant_content(run.messages[0].blocks), kHello);
}

TEST(OpenAiClients, ErrorsAndAnswersWithoutAStreamAreUnderstood) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    const auto body = parse_json(request.body);
    if (find(*body, "stream")) {
      return answer.send(
          429, {{"Content-Type", "application/json"}, {"retry-after", "2"}, {"x-request-id", "req_7"}},
          R"({"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}})");
    }
    answer.send(
        200, {{"Content-Type", "application/json"}},
        R"({"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]})");
  });
  CurlHttpClient http{HttpNetwork{}};
  const SystemClock clock;
  OpenAiChatClient client(http, clock, endpoint_of(peer));
  ModelRequest request = model_request();
  {
    ModelRecord record;
    const auto call = client.ask(request, record.sink());
    const auto failure = record.wait_for_failure();
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->status, 429);
    EXPECT_EQ(failure->retry_after, Duration(std::chrono::seconds(2)));
    EXPECT_EQ(failure->request_id, "req_7");
  }
  request.stream = false;
  ModelRecord record;
  const auto call = client.ask(request, record.sink());
  EXPECT_EQ(record.wait_for_content(), kHello);
}

}  // namespace
}  // namespace deft
