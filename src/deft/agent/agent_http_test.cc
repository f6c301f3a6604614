#include <gtest/gtest.h>

#include "deft/agent/agent.h"
#include "deft/model/anthropic_client.h"
#include "deft/model/openai_client.h"
#include "deft/os/curl_http_client.h"
#include "deft/testing/agent_bench.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/stream_run.h"

// Whole turns over real HTTP, in the words of both API families: what a server may do to us, and what comes of it.

namespace deft {
namespace {

using testing::as_events;
using testing::HttpPeer;
using testing::PeerAnswer;
using testing::PeerGate;
using testing::PeerRequest;

const HttpHeaders kEvents = {{"Content-Type", "text/event-stream"}};
const HttpHeaders kJson = {{"Content-Type", "application/json"}};

// A message with one call, or with a text, as an API streams it; cut where a call has just become complete.
struct Wire {
  std::string_view name;
  std::string call;      // up to the end of the call's block
  std::string call_end;  // the rest of the message
  std::string text;      // a message that says "Done."
  std::string error;     // an error inside a stream
  std::unique_ptr<ModelClient> (*client)(HttpClient&, const Clock&, ModelEndpoint);
};

template <class Client>
std::unique_ptr<ModelClient> make(HttpClient& http, const Clock& clock, ModelEndpoint endpoint) {
  return std::make_unique<Client>(http, clock, std::move(endpoint));
}

Wire anthropic_wire() {
  const std::string begin =
      R"({"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[]}})";
  return {
      .name = "Anthropic",
      .call = as_events(
          {begin,
           R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"Do","input":{}}})",
           R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"what\":\"it\"}"}})",
           R"({"type":"content_block_stop","index":0})"}),
      .call_end =
          as_events({R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})", R"({"type":"message_stop"})"}),
      .text =
          as_events({begin, R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
                     R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Done."}})",
                     R"({"type":"content_block_stop","index":0})",
                     R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})", R"({"type":"message_stop"})"}),
      .error = as_events({R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"}),
      .client = make<AnthropicClient>};
}

Wire chat_wire() {
  return {
      .name = "OpenAiChat",
      .call = as_events(
          {R"({"id":"c","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"Do","arguments":"{\"what\":\"it\"}"}}]}}]})",
           // Only what follows says that a call is complete.
           R"({"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"t2","type":"function","function":{"name":"Look","arguments":""}}]}}]})"}),
      .call_end = as_events(
          {R"({"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}}]})",
           R"({"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})", "[DONE]"}),
      .text = as_events(
          {R"({"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"Done."},"finish_reason":"stop"}]})",
           "[DONE]"}),
      .error = as_events({R"({"error":{"message":"Overloaded","type":"overloaded_error"}})"}),
      .client = make<OpenAiChatClient>};
}

Wire responses_wire() {
  const std::string begin =
      R"({"type":"response.created","response":{"id":"r","model":"m","status":"in_progress","output":[]}})";
  return {
      .name = "OpenAiResponses",
      .call = as_events(
          {begin,
           R"({"type":"response.output_item.added","output_index":0,"item":{"id":"f","type":"function_call","call_id":"t1","name":"Do","arguments":""}})",
           R"({"type":"response.output_item.done","output_index":0,"item":{"id":"f","type":"function_call","call_id":"t1","name":"Do","arguments":"{\"what\":\"it\"}"}})"}),
      .call_end = as_events(
          {R"({"type":"response.completed","response":{"id":"r","status":"completed","output":[{"id":"f","type":"function_call","call_id":"t1","name":"Do","arguments":"{\"what\":\"it\"}"}]}})"}),
      .text = as_events(
          {begin,
           R"({"type":"response.completed","response":{"id":"r","status":"completed","output":[{"id":"i","type":"message","content":[{"type":"output_text","text":"Done."}]}]}})"}),
      .error = as_events(
          {R"({"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"server_error","message":"Overloaded"}}})"}),
      .client = make<OpenAiResponsesClient>};
}

// What a server does with its n-th request; after the last it says "Done.".
using Plan = std::vector<std::function<void(PeerAnswer&)>>;

class AgentHttp : public ::testing::TestWithParam<Wire (*)()> {
 protected:
  Wire wire_ = GetParam()();
  std::vector<std::string> done_;  // what was done, by the tool Do

  // A turn against a server that keeps to the plan.
  TurnEnd turn(Plan plan, AgentOptions options = {}) {
    std::atomic<std::size_t> served = 0;
    HttpPeer peer([&](const PeerRequest&, PeerAnswer& answer) {
      const std::size_t number = served++;
      if (number < plan.size()) return plan[number](answer);
      answer.send(200, kEvents, wire_.text);
    });
    CurlHttpClient http{HttpNetwork{}};
    const SystemClock system_clock;
    const auto client = wire_.client(http, system_clock, {.base_url = peer.url("")});
    options.engine.working_directory = folder_.path();
    options.engine.session_folder = folder_.path() + "/session";
    options.engine.mode = Mode::bypass;
    options.engine.clock = &clock_;
    options.model = options.model.empty() ? "m" : options.model;
    auto agent = Agent::open(options, *client, frontend);
    EXPECT_TRUE(agent) << (agent ? "" : agent.error().message);
    add_tool(**agent, "Do", false);
    add_tool(**agent, "Look", true);
    const TurnEnd end = (*agent)->run_turn(Prompt::of("go"));
    const auto problem = history_problem((*agent)->history());
    EXPECT_TRUE(!problem || problem == "the last message is not the user's") << *problem;
    requests = peer.requests();
    return end;
  }

  std::vector<PeerRequest> requests;
  RecordingFrontend frontend;
  std::function<void()> when_done;

  void send_call(PeerAnswer& answer) {
    answer.head(200, kEvents);
    answer.chunk(wire_.call);
  }

 private:
  void add_tool(Agent& agent, std::string name, bool reads) {
    const auto run = [this, reads](const Json& input, ToolIo&) -> Result<ToolResult> {
      if (!reads) done_.emplace_back(find_string(input, "what").value_or("?"));
      if (!reads && when_done) when_done();
      return ToolResult{.text = "as you wish"};
    };
    ToolSpec spec{.name = std::move(name)};
    spec.input_schema = any_object_schema();
    const auto added = agent.add_tool(std::make_shared<LambdaTool>(LambdaTool::Parts{
        .spec = std::move(spec), .run = run, .is_read_only = [reads](const Json&) { return reads; }}));
    EXPECT_TRUE(added);
  }

  TempFolder folder_;
  VirtualClock clock_;
};

INSTANTIATE_TEST_SUITE_P(Apis, AgentHttp, ::testing::Values(anthropic_wire, chat_wire, responses_wire),
                         [](const auto& wire) { return std::string(wire.param().name); });

TEST_P(AgentHttp, ACallRunsWhileItsMessageStillStreams) {
  PeerGate done;
  when_done = [&] { done.open(); };
  const TurnEnd end = turn({[&](PeerAnswer& answer) {
    send_call(answer);
    if (!answer.wait(done)) return;  // the message goes on only once the call has run
    answer.chunk(wire_.call_end);
    answer.end();
  }});
  EXPECT_EQ(end.reason, TurnReason::completed);
  EXPECT_EQ(end.text, "Done.");
  EXPECT_EQ(done_, std::vector<std::string>{"it"});
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_NE(requests[1].body.find("as you wish"), std::string::npos) << requests[1].body;
}

TEST_P(AgentHttp, ErrorsOfTheServerAreWaitedOutAsItAsks) {
  const TurnEnd end = turn({
      [](PeerAnswer& answer) {
        answer.send(429, {{"Content-Type", "application/json"}, {"retry-after", "7"}},
                    R"({"error":{"type":"rate_limit_error","message":"slow down"}})");
      },
      [](PeerAnswer& answer) { answer.send(529, {{"retry-after-ms", "1234"}}, "overloaded"); },
      [](PeerAnswer& answer) { answer.send(500, kJson, "{}"); },
      [](PeerAnswer& answer) { answer.send(503, {}, "<html>"); },
  });
  EXPECT_EQ(end.text, "Done.");
  const auto retries = frontend.all<RetryScheduled>();
  ASSERT_EQ(retries.size(), 4U);
  EXPECT_EQ(retries[0].delay, Duration(std::chrono::seconds(7)));
  EXPECT_EQ(retries[1].delay, Duration(std::chrono::milliseconds(1234)));
  EXPECT_EQ(retries[3].failure.status, 503);
}

TEST_P(AgentHttp, BrokenConnectionsAndStreamsAreTriedAgain) {
  const TurnEnd end = turn({
      [](PeerAnswer& answer) { answer.cut(); },
      [](PeerAnswer& answer) { answer.reset(); },
      [](PeerAnswer& answer) {
        answer.raw("rubbish\r\n\r\n");
        answer.cut();
      },
      [&](PeerAnswer& answer) {
        answer.head(200, kEvents);
        answer.chunk(wire_.text.substr(0, wire_.text.size() / 2));
        answer.cut();
      },
      [](PeerAnswer& answer) { answer.send(200, kEvents, "data: {\"type\":\n\n"); },
      [](PeerAnswer& answer) { answer.send(200, {{"Content-Type", "text/html"}}, "<html>We are back soon</html>"); },
      [&](PeerAnswer& answer) { answer.send(200, kEvents, wire_.error); },
  });
  EXPECT_EQ(end.text, "Done.");
  EXPECT_EQ(requests.size(), 8U);
}

TEST_P(AgentHttp, WhatWasDoneBeforeAStreamBrokeIsNotAskedForTwice) {
  PeerGate done;
  when_done = [&] { done.open(); };
  const TurnEnd end = turn({[&](PeerAnswer& answer) {
    send_call(answer);
    if (!answer.wait(done)) return;
    answer.reset();
  }});
  EXPECT_EQ(end.text, "Done.");
  EXPECT_EQ(done_, std::vector<std::string>{"it"});
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_NE(requests[1].body.find("as you wish"), std::string::npos) << requests[1].body;
}

TEST_P(AgentHttp, AServerThatWantsNoStreamsIsAskedWithout) {
  Plan plan;
  for (int i = 0; i < 3; ++i) {
    plan.emplace_back([&](PeerAnswer& answer) {
      answer.head(200, kEvents);
      answer.chunk(wire_.text.substr(0, wire_.text.size() / 3));
      answer.cut();
    });
  }
  EXPECT_EQ(turn(std::move(plan)).text, "Done.");
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_NE(requests[2].body.find("\"stream\":true"), std::string::npos);
  EXPECT_EQ(requests[3].body.find("\"stream\":true"), std::string::npos);
}

TEST_P(AgentHttp, WhatCannotGoBetterIsToldAtOnce) {
  const TurnEnd end = turn({[](PeerAnswer& answer) {
    answer.send(401, {{"Content-Type", "application/json"}, {"request-id", "req_1"}},
                R"({"error":{"type":"authentication_error","message":"invalid x-api-key"}})");
  }});
  EXPECT_EQ(end.reason, TurnReason::model_error);
  EXPECT_EQ(end.explanation, "invalid x-api-key (HTTP 401)");
  EXPECT_EQ(end.failure->request_id, "req_1");
  EXPECT_EQ(requests.size(), 1U);
}

TEST_P(AgentHttp, APageInsteadOfAModelIsToldAfterTwoMoreTries) {
  Plan plan;
  for (int i = 0; i < 9; ++i) {
    plan.emplace_back(
        [](PeerAnswer& answer) { answer.send(200, {{"Content-Type", "text/html"}}, "<html>Log in</html>"); });
  }
  const TurnEnd end = turn(std::move(plan));
  EXPECT_EQ(end.reason, TurnReason::model_error);
  EXPECT_NE(end.explanation.find("is the base URL right?"), std::string::npos) << end.explanation;
  EXPECT_EQ(requests.size(), 3U);
}

TEST_P(AgentHttp, AnAnswerThatWouldBeTooLongIsAskedForShorter) {
  const TurnEnd end = turn({[](PeerAnswer& answer) {
    answer.send(
        400, kJson,
        R"({"error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"}})");
  }});
  EXPECT_EQ(end.text, "Done.");
  EXPECT_NE(requests.at(1).body.find("_tokens\":9936"), std::string::npos) << requests[1].body.substr(0, 200);
  EXPECT_TRUE(frontend.all<RetryScheduled>().empty());
}

TEST_P(AgentHttp, AnOverloadedModelIsReplacedByTheNext) {
  Plan plan;
  for (int i = 0; i < 3; ++i) plan.emplace_back([](PeerAnswer& answer) { answer.send(529, kJson, "{}"); });
  EXPECT_EQ(turn(std::move(plan), {.model = "large", .fallback_models = {"small"}}).text, "Done.");
  EXPECT_NE(requests.at(0).body.find("\"model\":\"large\""), std::string::npos);
  EXPECT_NE(requests.at(3).body.find("\"model\":\"small\""), std::string::npos);
}

}  // namespace
}  // namespace deft
