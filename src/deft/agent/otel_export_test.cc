#include "deft/agent/otel_export.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "deft/os/curl_http_client.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/real_processes.h"

namespace deft {
namespace {

using testing::HttpPeer;
using testing::PeerAnswer;
using testing::PeerGate;
using testing::PeerRequest;

constexpr Duration kShort = std::chrono::milliseconds(20);

TimelineCall call_named(const std::string& id) {
  return {.id = id,
          .tool = "Bash",
          .title = "Bash(make test)",
          .span = {1'000'000, 3'000'000},
          .started_us = 2'000'000,
          .stages = {{"permission", {1'500'000, 2'000'000}, "allow"}},
          .error = "failed"};
}

// Spans of one run, as a collector gets them.
class OtelExportTest : public ::testing::Test {
 protected:
  OtelOptions options(const HttpPeer& peer, Duration end_time = std::chrono::minutes(1)) const {
    return {.endpoint = peer.url(""),
            .headers = {{"x-api-key", "of the collector"}},
            .session = {.id = "s1", .provider = "anthropic", .version = "1.2", .server = {"api.example.org", 8443}},
            .end_time = end_time};
  }
  // Of all requests: who is slow to say the next one sends them in two.
  static JsonArray spans_sent_to(const HttpPeer& peer) {
    JsonArray all;
    for (const PeerRequest& request : peer.requests()) {
      const Json body = parse_json(request.body).value();
      for (const Json& span : body.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans").as_array()) {
        all.push_back(span);
      }
    }
    return all;
  }
  static std::string attribute(const Json& span, std::string_view key) {
    for (const Json& one : span.at("attributes").as_array()) {
      if (find_string(one, "key") == key) return to_json(one.at("value"));
    }
    return "";
  }

  SystemClock clock;
  CurlHttpClient http{HttpNetwork{}};
};

TEST(OtelServer, IsTheHostAndPortOfTheBaseUrlAndNothingElseOfIt) {
  const auto told = [](std::string_view url) {
    const OtelServer server = otel_server(url);
    return server.address + " " + std::to_string(server.port);
  };
  EXPECT_EQ(told("https://API.example.org/v1?key=secret"), "api.example.org 443");
  EXPECT_EQ(told("http://localhost/"), "localhost 80");
  EXPECT_EQ(told("http://127.0.0.1:8080/v1"), "127.0.0.1 8080");
  EXPECT_EQ(told("http://[::1]:11434"), "::1 11434");
  EXPECT_EQ(told("https://user:secret@example.org"), " 0");
  EXPECT_EQ(told(""), " 0");
}

TEST_F(OtelExportTest, SpansComeWithTheNamesOfTheConventionsAndBelongTogether) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) { answer.send(200, {}, "{}"); });
  {
    OtelExport out(options(peer), http, clock);
    out.ended(TimelineRequest{.model = "m1",
                              .span = {1, 2},
                              .outcome = "end_turn",
                              .input_tokens = 7,
                              .cache_read_tokens = 5,
                              .response_id = "msg_1",
                              .response_model = "m1-2026"});
    out.ended(call_named("c1"));
    out.ended(TimelineTurn{.span = {1, 9}, .reason = "completed"});
  }
  const PeerRequest request = peer.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/v1/traces");
  EXPECT_EQ(request.header("content-type"), "application/json");
  EXPECT_EQ(request.header("x-api-key"), "of the collector");
  const JsonArray spans = spans_sent_to(peer);
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[0].at("name"), "chat m1");
  EXPECT_EQ(spans[1].at("name"), "execute_tool Bash");
  EXPECT_EQ(find_string(spans[2], "name")->substr(0, 12), "invoke_agent");
  EXPECT_EQ(attribute(spans[0], "gen_ai.operation.name"), R"({"stringValue":"chat"})");
  EXPECT_EQ(attribute(spans[0], "gen_ai.request.model"), R"({"stringValue":"m1"})");
  EXPECT_NE(attribute(spans[0], "gen_ai.usage.input_tokens").find('7'), std::string::npos);
  EXPECT_EQ(attribute(spans[0], "gen_ai.usage.cache_read.input_tokens"), R"({"intValue":"5"})");
  EXPECT_EQ(attribute(spans[0], "gen_ai.response.id"), R"({"stringValue":"msg_1"})");
  EXPECT_EQ(attribute(spans[0], "gen_ai.response.model"), R"({"stringValue":"m1-2026"})");
  EXPECT_EQ(attribute(spans[0], "server.address"), R"({"stringValue":"api.example.org"})");
  EXPECT_EQ(attribute(spans[0], "server.port"), R"({"intValue":"8443"})");
  EXPECT_EQ(attribute(spans[1], "gen_ai.tool.name"), R"({"stringValue":"Bash"})");
  EXPECT_EQ(attribute(spans[1], "gen_ai.tool.call.id"), R"({"stringValue":"c1"})");
  for (const Json& span : spans) {
    EXPECT_EQ(span.at("traceId"), spans[0].at("traceId"));
    EXPECT_EQ(span.at("traceId").as_string().size(), 32U);
    EXPECT_EQ(span.at("spanId").as_string().size(), 16U);
  }
  EXPECT_EQ(spans[0].at("parentSpanId"), spans[2].at("spanId"));
  EXPECT_EQ(spans[1].at("parentSpanId"), spans[2].at("spanId"));
}

TEST_F(OtelExportTest, TheTurnOfASubagentBelongsToTheCallThatStartedIt) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) { answer.send(202, {}, ""); });
  {
    OtelExport out(options(peer), http, clock);
    out.ended(TimelineRequest{.model = "m", .agent = "a1", .within = "c1", .span = {1, 4}});
    out.ended(TimelineTurn{.agent = "a1", .span = {1, 5}, .agent_type = "Explore", .within = "c1"});
    out.ended(call_named("c1"));
    out.ended(call_named("c2"));
    out.ended(TimelineTurn{.span = {1, 9}});
    out.ended(TimelineTurn{.agent = "a2", .span = {1, 20}, .within = "c2"});  // in the background
  }
  const JsonArray spans = spans_sent_to(peer);
  ASSERT_EQ(spans.size(), 6U);
  EXPECT_EQ(spans[0].at("parentSpanId"), spans[1].at("spanId")) << "a request, within its agent's turn";
  EXPECT_EQ(spans[1].at("parentSpanId"), spans[2].at("spanId")) << "the turn, within the call";
  EXPECT_EQ(spans[1].at("name"), "invoke_agent Explore");
  EXPECT_EQ(attribute(spans[1], "gen_ai.agent.name"), R"({"stringValue":"Explore"})");
  EXPECT_EQ(spans[2].at("parentSpanId"), spans[4].at("spanId")) << "the call, within the session's own turn";
  EXPECT_EQ(spans[4].at("name"), "invoke_agent deft");
  EXPECT_EQ(spans[5].at("parentSpanId"), spans[3].at("spanId")) << "also after that call has ended";
  EXPECT_NE(spans[2].at("spanId"), spans[3].at("spanId"));
}

TEST_F(OtelExportTest, ATurnThatHasFailedSaysWhatOfAndOneThatWasInterruptedHasNot) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) { answer.send(202, {}, ""); });
  {
    OtelExport out(options(peer), http, clock);
    out.ended(TimelineTurn{.span = {1, 5}, .reason = "prompt_too_long", .has_failed = true});
    out.ended(TimelineTurn{.span = {6, 9}, .reason = "aborted_tools"});
  }
  const JsonArray spans = spans_sent_to(peer);
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(attribute(spans[0], "error.type"), R"({"stringValue":"prompt_too_long"})");
  EXPECT_EQ(find_int(spans[0].at("status"), "code"), 2);
  EXPECT_EQ(attribute(spans[1], "error.type"), "");
  EXPECT_EQ(find(spans[1], "status"), nullptr);
}

TEST_F(OtelExportTest, WhatTheCollectorDoesNotTakeIsLostAndCounted) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) { answer.send(500, {}, "broken"); });
  OtelExport out(options(peer), http, clock);
  out.ended(call_named("c1"));
  EXPECT_TRUE(testing::eventually([&] { return out.figures().lost > 0; }));
  EXPECT_EQ(out.figures().sent, 0U);
  EXPECT_EQ(out.figures().lost, 1U);
}

TEST_F(OtelExportTest, ACollectorThatIsTooBusyIsAskedAgain) {
  std::atomic<int> asked = 0;
  HttpPeer peer([&](const PeerRequest&, PeerAnswer& answer) {
    if (asked++ == 0) return answer.send(503, {{"retry-after-ms", "1"}}, "busy");
    answer.send(200, {}, "{}");
  });
  OtelExport out(options(peer), http, clock);
  out.ended(call_named("c1"));
  EXPECT_TRUE(testing::eventually([&] { return out.figures().sent > 0; }));
  EXPECT_EQ(out.figures().lost, 0U);
  const auto requests = peer.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].body, requests[1].body);
}

TEST_F(OtelExportTest, AtTheEndNobodyWaitsUntilTheCollectorHasTime) {
  std::promise<void> came;
  std::atomic<int> asked = 0;
  HttpPeer peer([&](const PeerRequest&, PeerAnswer& answer) {
    answer.send(503, {{"retry-after", "3600"}}, "busy");
    if (asked++ == 0) came.set_value();
  });
  auto out = std::make_unique<OtelExport>(options(peer), http, clock);
  out->ended(call_named("c1"));
  came.get_future().wait();
  out.reset();
  EXPECT_LE(peer.requests().size(), 2U);
}

// Without an end of its own this would last until the test is killed.
TEST_F(OtelExportTest, ACollectorThatNeverAnswersDoesNotHoldUpTheEnd) {
  std::promise<void> came;
  HttpPeer peer([&](const PeerRequest&, PeerAnswer& answer) {
    came.set_value();
    answer.wait_until_gone();
  });
  auto out = std::make_unique<OtelExport>(options(peer, kShort), http, clock);
  for (std::size_t i = 0; i < kOtelSpansPerRequest; ++i) out->ended(call_named("c"));  // a full request goes at once
  came.get_future().wait();
  out->ended(call_named("late"));
  out.reset();
  EXPECT_EQ(peer.requests().size(), 1U);
}

TEST_F(OtelExportTest, ACollectorThatIsNotThereCostsNothingButTheSpans) {
  const testing::SilentPort nobody;
  OtelExport out(
      {.endpoint = nobody.url(""), .session = {.id = "s", .provider = "", .version = ""}, .end_time = kShort}, http,
      clock);
  out.ended(call_named("c1"));
  EXPECT_TRUE(testing::eventually([&] { return out.figures().lost > 0; }));
  EXPECT_EQ(out.figures().sent, 0U);
}

TEST_F(OtelExportTest, MoreThanMayWaitIsDroppedAndNobodyWaits) {
  PeerGate gate;
  HttpPeer peer([&](const PeerRequest&, PeerAnswer& answer) {
    if (answer.wait(gate)) answer.send(200, {}, "{}");
  });
  OtelExport out(options(peer, kShort), http, clock);
  for (std::size_t i = 0; i < 3 * kOtelSpansWaitingMax; ++i) out.ended(call_named("c"));
  EXPECT_GE(out.figures().lost, kOtelSpansWaitingMax);
  gate.open();
}

}  // namespace
}  // namespace deft
