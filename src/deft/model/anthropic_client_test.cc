#include "deft/model/anthropic_client.h"

#include <gtest/gtest.h>

#include "deft/model/model_failure.h"
#include "deft/os/curl_http_client.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/model_record.h"
#include "deft/testing/real_processes.h"
#include "deft/testing/stream_run.h"

namespace deft {
namespace {

using testing::eventually;
using testing::HttpPeer;
using testing::model_request;
using testing::ModelRecord;
using testing::PeerAnswer;
using testing::PeerGate;
using testing::PeerHandler;
using testing::PeerRequest;

const HttpHeaders kEvents = {{"Content-Type", "text/event-stream; charset=utf-8"}, {"request-id", "req_1"}};
const HttpHeaders kJson = {{"Content-Type", "application/json"}};

const std::string kBeginning = testing::as_events(
    {R"({"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":3}}})",
     R"({"type":"ping"})", R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
     R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}})",
     R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}})"});
const std::string kRest =
    testing::as_events({R"({"type":"content_block_stop","index":0})",
                        R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}})",
                        R"({"type":"message_stop"})"});
constexpr std::string_view kHello = R"([{"type":"text","text":"Hello"}])";
constexpr std::string_view kHelloBody =
    R"({"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn","usage":{}})";

// A client and the server that it speaks to.
struct Bench {
  explicit Bench(PeerHandler handler, ModelEndpoint endpoint = {}, AnthropicOptions options = {})
      : peer(std::move(handler)), client(http, clock, at(std::move(endpoint)), std::move(options)) {}

  ModelEndpoint at(ModelEndpoint endpoint) const {
    if (endpoint.base_url.empty()) endpoint.base_url = peer.url("");
    return endpoint;
  }
  std::string ask(const ModelRequest& request = model_request()) {
    ModelRecord record;
    const auto call = client.ask(request, record.sink());
    return record.wait_for_content();
  }
  ModelFailure fail(const ModelRequest& request = model_request()) {
    ModelRecord record;
    const auto call = client.ask(request, record.sink());
    return record.wait_for_failure().value_or(ModelFailure{.message = "it did not fail"});
  }

  HttpPeer peer;
  CurlHttpClient http{HttpNetwork{}};
  SystemClock clock;
  AnthropicClient client;
};

PeerHandler answer_with(int status, HttpHeaders headers, std::string body) {
  return [=](const PeerRequest&, PeerAnswer& answer) { answer.send(status, headers, body); };
}

TEST(AnthropicClient, SendsWhoAsksAndWhatAndReadsTheStream) {
  Bench bench(answer_with(200, kEvents, kBeginning + kRest),
              {.credentials = std::make_shared<FixedCredentials>(HttpHeaders{{"x-api-key", "sk-key"}}),
               .headers = {{"X-Team", "a"}, {"anthropic-version", "2099-01-01"}}},
              {.betas = {"one", "two"}});
  ModelRequest request = model_request();
  request.tools = R"([{"name":"T","description":"d","input_schema":{"type":"object"}}])";
  EXPECT_EQ(bench.ask(request), kHello);
  const PeerRequest sent = bench.peer.requests().at(0);
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.path, "/v1/messages");
  EXPECT_EQ(sent.header("x-api-key"), "sk-key");
  EXPECT_EQ(sent.header("anthropic-beta"), "one,two");
  EXPECT_EQ(sent.header("anthropic-version"), "2099-01-01") << "the user's own headers have the last word";
  EXPECT_EQ(sent.header("x-team"), "a");
  EXPECT_EQ(sent.header("content-type"), "application/json");
  EXPECT_EQ(sent.header("accept"), "text/event-stream");
  const auto body = parse_json(sent.body);
  ASSERT_TRUE(body) << sent.body;
  EXPECT_EQ(find_bool(*body, "stream"), true);
  EXPECT_EQ(sent.body.find("eager_input_streaming"), std::string::npos)
      << "only the makers' own API is known to take it";
}

TEST(ModelEndpoint, AQueryOfTheBaseUrlStaysAtTheEnd) {
  EXPECT_EQ(openai_url("https://h/openai/deployments/d?api-version=1", "/chat/completions"),
            "https://h/openai/deployments/d/chat/completions?api-version=1");
  EXPECT_EQ(anthropic_url("https://h/?x=/v1", "/messages"), "https://h/v1/messages?x=/v1");
}

TEST(ModelEndpoint, TheApiIsFoundWhereverTheBaseUrlEnds) {
  EXPECT_EQ(anthropic_url("http://h:1", "/messages"), "http://h:1/v1/messages");
  EXPECT_EQ(anthropic_url("http://h/v1/", "/messages"), "http://h/v1/messages");
  EXPECT_EQ(anthropic_url("http://h/gateway//", "/messages"), "http://h/gateway/v1/messages");
  EXPECT_EQ(openai_url("http://h:1/", "/responses"), "http://h:1/v1/responses");
  EXPECT_EQ(openai_url("https://h/v1/", "/responses"), "https://h/v1/responses");
  EXPECT_EQ(openai_url("https://h/v1beta/openai", "/chat/completions"), "https://h/v1beta/openai/chat/completions");
}

TEST(ModelEndpoint, TheWholeAddressOfTheApiIsABaseUrlToo) {
  EXPECT_EQ(anthropic_url("https://h/v1/messages/", "/messages"), "https://h/v1/messages");
  EXPECT_EQ(anthropic_url("https://h/messages", "/messages"), "https://h/messages/v1/messages");
  EXPECT_EQ(openai_url("https://h/v1/chat/completions?api-version=1", "/chat/completions"),
            "https://h/v1/chat/completions?api-version=1");
}

TEST(AnthropicClient, TellsTheStreamAsItComes) {
  PeerGate gate;
  Bench bench([&](const PeerRequest&, PeerAnswer& answer) {
    answer.head(200, kEvents);
    answer.chunk(kBeginning);
    if (!answer.wait(gate)) return;
    answer.chunk(kRest);
    answer.end();
  });
  ModelRecord record;
  ModelRequest request = model_request();
  request.raw_events = true;
  const auto call = bench.client.ask(request, record.sink());
  EXPECT_EQ(std::get<ModelBegan>(record.next()).request_id, "req_1");
  EXPECT_TRUE(std::get<RawModelEvent>(record.next()).json.starts_with(R"({"type":"message_start")"));
  EXPECT_TRUE(std::get<RawModelEvent>(record.next()).json.starts_with(R"({"type":"content_block_start")"));
  EXPECT_NE(std::get<RawModelEvent>(record.next()).json.find("\"Hel\""), std::string::npos);
  EXPECT_EQ(std::get<TextDelta>(record.next()).text, "Hel");
  EXPECT_NE(std::get<RawModelEvent>(record.next()).json.find("\"lo\""), std::string::npos);
  EXPECT_EQ(std::get<TextDelta>(record.next()).text, "lo");
  gate.open();
  const auto rest = record.wait_for_end();
  EXPECT_EQ(find_int(std::get<MessageDone>(rest.back()).message.usage, "output_tokens"), 2);
  EXPECT_TRUE(std::get<RawModelEvent>(rest[rest.size() - 2]).json.starts_with(R"({"type":"message_stop")"));
}

TEST(AnthropicClient, KeepsTheConnectionEvenIfTheMessageEndsBeforeTheAnswer) {
  PeerGate gate;
  Bench bench([&](const PeerRequest&, PeerAnswer& answer) {
    answer.head(200, kEvents);
    answer.chunk(kBeginning + kRest);
    if (!answer.wait(gate)) return;
    answer.end();
  });
  EXPECT_EQ(bench.ask(), kHello);  // whoever asked is gone before the last chunk
  gate.open();
  const auto same_connection = [&] {
    bench.ask();
    const auto requests = bench.peer.requests();
    return requests[requests.size() - 1].connection == requests[requests.size() - 2].connection;
  };
  EXPECT_TRUE(eventually(same_connection));
}

TEST(AnthropicClient, ACallThatIsDestroyedSaysNothingMoreAndHangsUp) {
  Bench bench([&](const PeerRequest&, PeerAnswer& answer) {
    answer.head(200, kEvents);
    answer.chunk(kBeginning);
  });
  ModelRecord record;
  auto call = bench.client.ask(model_request(), record.sink());
  record.next();
  record.next();
  call.reset();
  EXPECT_TRUE(record.is_silent());
  EXPECT_TRUE(eventually([&] { return bench.peer.open_connections() == 0; }));
}

TEST(AnthropicClient, AsksWithoutStreamingWhereThatIsWanted) {
  Bench bench(answer_with(200, kJson, std::string(kHelloBody)));
  ModelRequest request = model_request();
  request.stream = false;
  EXPECT_EQ(bench.ask(request), kHello);
  EXPECT_EQ(find(*parse_json(bench.peer.requests()[0].body), "stream"), nullptr);
}

TEST(AnthropicClient, TakesAnAnswerForWhatItIsWhateverItsContentTypeSays) {
  EXPECT_EQ(Bench(answer_with(200, kJson, std::string(kHelloBody))).ask(), kHello);  // it was asked to stream
  EXPECT_EQ(Bench(answer_with(200, {{"Content-Type", "text/plain"}}, kBeginning + kRest)).ask(), kHello);
  EXPECT_EQ(Bench(answer_with(200, {}, kBeginning + kRest)).ask(), kHello);
  EXPECT_EQ(Bench(answer_with(200, {{"Content-Type", "text/html"}}, std::string(kHelloBody))).ask(), kHello);
  EXPECT_EQ(Bench(answer_with(200, kJson, kBeginning + kRest)).ask(), kHello);
  EXPECT_EQ(Bench(answer_with(200, kEvents, std::string(kHelloBody))).ask(), kHello);
  EXPECT_EQ(Bench(answer_with(200, kEvents, "unknown: field\n" + kBeginning + kRest)).ask(), kHello);
}

TEST(AnthropicClient, AnAnswerOfNothingButBlanksIsNotReadForEver) {
  Bench bench([](const PeerRequest&, PeerAnswer& answer) {
    answer.head(200, kJson);
    for (int i = 0; i < 80; ++i) answer.chunk(std::string(1024, ' '));
    answer.chunk(kHelloBody);
    answer.end();
  });
  EXPECT_EQ(bench.fail().kind, ModelFailure::Kind::not_understood);
}

TEST(AnthropicClient, SaysWhatCameInsteadOfAnAnswer) {
  Bench page(answer_with(200, {{"Content-Type", "text/html"}}, "<html>Please log in</html>"));
  const ModelFailure failure = page.fail();
  EXPECT_EQ(failure.kind, ModelFailure::Kind::not_understood);
  EXPECT_NE(failure.message.find("text/html"), std::string::npos) << failure.message;
  EXPECT_NE(failure.message.find("Please log in"), std::string::npos);

  using Kind = ModelFailure::Kind;
  EXPECT_EQ(Bench(answer_with(200, kJson, "<html>")).fail().kind, Kind::not_understood);
  EXPECT_EQ(Bench(answer_with(200, kJson, R"({"hello":1})")).fail().kind, Kind::not_understood);
  EXPECT_EQ(Bench(answer_with(200, kJson, "{")).fail().kind, Kind::not_understood);
  EXPECT_EQ(Bench(answer_with(200, kEvents, "data: {broken\n\n")).fail().kind, Kind::not_understood);
  EXPECT_EQ(Bench(answer_with(200, {}, "")).fail().kind, Kind::stream_broken);
  EXPECT_EQ(Bench(answer_with(200, kEvents, "")).fail().kind, Kind::stream_broken);
  const ModelFailure refused =
      Bench(answer_with(200, kJson, R"({"type":"error","error":{"type":"overloaded_error","message":"later"}})"))
          .fail();
  EXPECT_EQ(refused.kind, Kind::status);
  EXPECT_EQ(refused.status, 529);
}

TEST(AnthropicClient, AStreamThatBreaksHandsOverWhatHadCome) {
  const auto broken = [](auto how) {
    Bench bench([how](const PeerRequest&, PeerAnswer& answer) {
      answer.head(200, kEvents);
      answer.chunk(kBeginning);
      how(answer);
    });
    ModelRecord record;
    const auto call = bench.client.ask(model_request(), record.sink());
    auto events = record.wait_for_end();
    auto& failed = std::get<ModelFailed>(events.back());
    EXPECT_EQ(assistant_content(failed.message.blocks), kHello);
    EXPECT_EQ(failed.failure.request_id, "req_1");
    return failed.failure;
  };
  using Kind = ModelFailure::Kind;
  EXPECT_EQ(broken([](PeerAnswer& answer) { answer.cut(); }).kind, Kind::stream_broken);
  EXPECT_EQ(broken([](PeerAnswer& answer) { answer.reset(); }).kind, Kind::stream_broken);
  EXPECT_EQ(broken([](PeerAnswer& answer) { answer.end(); }).kind, Kind::stream_broken);
  EXPECT_EQ(broken([](PeerAnswer& answer) { answer.raw("zz\r\n"); }).kind, Kind::stream_broken);
  EXPECT_EQ(broken([](PeerAnswer& answer) { answer.chunk("data: {\"type\":\n\n"); }).kind, Kind::stream_broken);
  const ModelFailure overloaded = broken([](PeerAnswer& answer) {
    answer.chunk(
        testing::as_events({R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"}));
  });
  EXPECT_EQ(overloaded.status, 529);
  EXPECT_EQ(overloaded.type, "overloaded_error");
}

TEST(AnthropicClient, TellsErrorsWithAllThatTheServerSaysAboutThem) {
  Bench bench(answer_with(429,
                          {{"Content-Type", "application/json"},
                           {"request-id", "req_9"},
                           {"retry-after-ms", "1500"},
                           {"x-should-retry", "true"}},
                          R"({"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}})"));
  const ModelFailure failure = bench.fail();
  EXPECT_EQ(failure.kind, ModelFailure::Kind::status);
  EXPECT_EQ(failure.status, 429);
  EXPECT_EQ(failure.type, "rate_limit_error");
  EXPECT_EQ(failure.message, "Slow down (HTTP 429)");
  EXPECT_EQ(failure.request_id, "req_9");
  EXPECT_EQ(failure.retry_after, Duration(std::chrono::milliseconds(1500)));
  EXPECT_EQ(failure.should_retry, true);
}

TEST(AnthropicClient, ALimitOfMoneyIsToldFromOneOfTime) {
  const auto should_retry = [](HttpHeaders headers, std::string body) {
    headers.emplace_back("Content-Type", "application/json");
    return Bench(answer_with(429, headers, std::move(body))).fail().should_retry;
  };
  const std::string limit = R"({"type":"error","error":{"type":"rate_limit_error","message":"spent"}})";
  EXPECT_EQ(should_retry({}, limit), false);
  EXPECT_EQ(should_retry({{"x-should-retry", "true"}}, limit), true);
  EXPECT_EQ(should_retry({{"retry-after", "3"}}, limit), std::nullopt);
  EXPECT_EQ(should_retry({{"retry-after", "0"}}, limit), std::nullopt);
  EXPECT_EQ(should_retry({{"retry-after-ms", "9"}}, limit), std::nullopt);
  EXPECT_EQ(should_retry({}, R"({"detail":"slow down"})"), std::nullopt);  // of something in between
}

TEST(AnthropicClient, AnErrorThatNeverEndsOrIsHugeIsTold) {
  Bench cut([](const PeerRequest&, PeerAnswer& answer) {
    answer.head(500, kJson);
    answer.chunk(R"({"error":{"message":"half)");
    answer.cut();
  });
  EXPECT_EQ(cut.fail().status, 500);
  Bench huge(answer_with(503, {}, std::string(std::size_t{3} << 20, 'x')));
  const ModelFailure failure = huge.fail();
  EXPECT_EQ(failure.status, 503);
  EXPECT_LE(failure.message.size(), 2 * kFailureCharactersMax);
}

TEST(AnthropicClient, NoSecretStandsInAFailure) {
  Bench bench(
      answer_with(401, kJson,
                  R"({"error":{"type":"authentication_error","message":"bad key sk-key-12345 or team-secret"}})"),
      {.credentials = std::make_shared<FixedCredentials>(HttpHeaders{{"Authorization", "Bearer sk-key-12345"}}),
       .headers = {{"X-Team", "team-secret"}}});
  EXPECT_EQ(bench.fail().message, "bad key [secret] or [secret] (HTTP 401)");
}

TEST(AnthropicClient, NobodyThereIsAFailureOfTheConnection) {
  const testing::SilentPort nobody;
  Bench bench([](const PeerRequest&, PeerAnswer&) {}, {.base_url = nobody.url("")});
  EXPECT_EQ(bench.fail().kind, ModelFailure::Kind::connection);
  Bench wrong([](const PeerRequest&, PeerAnswer&) {}, {.base_url = "ftp://h"});
  EXPECT_EQ(wrong.fail().kind, ModelFailure::Kind::unusable);
  Bench hangs_up([](const PeerRequest&, PeerAnswer& answer) { answer.cut(); });
  EXPECT_EQ(hangs_up.fail().kind, ModelFailure::Kind::connection);
}

TEST(AnthropicClient, ASilentServerIsNotWaitedForForEver) {
  using namespace std::chrono_literals;
  Bench silent([](const PeerRequest&, PeerAnswer&) {}, {.answer_timeout = 50ms});
  EXPECT_EQ(silent.fail().kind, ModelFailure::Kind::connection);
  ModelRequest whole = model_request();
  whole.stream = false;
  EXPECT_EQ(silent.fail(whole).kind, ModelFailure::Kind::connection);
  Bench falls_silent(
      [](const PeerRequest&, PeerAnswer& answer) {
        answer.head(200, kEvents);
        answer.chunk(kBeginning);
      },
      {.idle_timeout = 50ms});
  const ModelFailure failure = falls_silent.fail();
  EXPECT_EQ(failure.kind, ModelFailure::Kind::stream_broken);
  EXPECT_NE(failure.message.find("nothing came"), std::string::npos) << failure.message;
}

TEST(AnthropicClient, ACallOfAToolWithALongNameComesBackUnderItsOwn) {
  const std::string own = "mcp__files__" + std::string(70, 'y');
  const std::string name = api_tool_name(own);
  Bench bench(answer_with(
      200, kJson,
      R"({"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t","name":")" +
          name + R"(","input":{}}],"stop_reason":"tool_use"})"));
  ModelRequest request = model_request();
  request.tools = R"([{"name":")" + own + R"(","input_schema":{"type":"object"}}])";
  ModelRecord record;
  const auto call = bench.client.ask(request, record.sink());
  const auto events = record.wait_for_end();
  EXPECT_EQ(std::get<CallReady>(events[1]).call.name, own);
  EXPECT_EQ(std::get<ToolUseBlock>(std::get<MessageDone>(events[2]).message.blocks[0]).call.name, own);
  EXPECT_NE(bench.peer.requests()[0].body.find('"' + name + '"'), std::string::npos);
}

// A key that has to be fetched, and changes when it is refused.
class SlowCredentials final : public Credentials {
 public:
  bool at_hand() const override { return false; }
  Result<HttpHeaders> headers(std::stop_token stop) override {
    if (broken) return deft::fail(Errc::failed, "the helper failed");
    if (hangs) {
      std::mutex mutex;
      std::condition_variable_any never;
      std::unique_lock lock(mutex);
      never.wait(lock, stop, [] { return false; });
      return deft::fail(Errc::cancelled, "stopped");
    }
    return HttpHeaders{{"x-api-key", "key-" + std::to_string(number)}};
  }
  bool refused() override {
    ++number;
    return true;
  }
  std::atomic<int> number = 1;
  bool broken = false;
  bool hangs = false;
};

TEST(AnthropicClient, AKeyThatWasRefusedIsFetchedAnew) {
  const auto credentials = std::make_shared<SlowCredentials>();
  Bench bench(
      [](const PeerRequest& request, PeerAnswer& answer) {
        if (request.header("x-api-key") == "key-2") return answer.send(200, kEvents, kBeginning + kRest);
        answer.send(401, kJson, R"({"error":{"type":"authentication_error","message":"expired"}})");
      },
      {.credentials = credentials});
  EXPECT_EQ(bench.fail().should_retry, true);
  EXPECT_EQ(bench.ask(), kHello);
}

TEST(AnthropicClient, WithoutAKeyNothingIsSentAndAHelperThatHangsIsLeft) {
  const auto credentials = std::make_shared<SlowCredentials>();
  Bench bench([](const PeerRequest&, PeerAnswer&) {}, {.credentials = credentials});
  credentials->broken = true;
  EXPECT_EQ(bench.fail().message, "the helper failed");
  credentials->broken = false;
  credentials->hangs = true;
  ModelRecord record;
  bench.client.ask(model_request(), record.sink()).reset();
  EXPECT_TRUE(record.is_silent());
  EXPECT_TRUE(bench.peer.requests().empty());
}

}  // namespace
}  // namespace deft
