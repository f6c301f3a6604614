#include <gtest/gtest.h>

#include <thread>

#include "deft/os/curl_http_client.h"
#include "deft/testing/hook_bench.h"
#include "deft/testing/http_peer.h"

namespace deft {
namespace {

using testing::HttpPeer;
using testing::PeerAnswer;
using testing::PeerGate;
using testing::PeerRequest;
using enum HookEvent;

std::string http_hook(const std::string& url, std::string_view more = {}) {
  return R"({"PreToolUse":[{"hooks":[{"type":"http","url":")" + url + "\"" + std::string(more) + "}]}]}";
}

struct Bench : HookBench {
  explicit Bench(std::string_view hooks) : HookBench(hooks) { http = &client; }
  CurlHttpClient client{HttpNetwork{}};
};

TEST(UserHooksHttp, AnAddressIsSentWhatHappenedAndItsAnswerDecides) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) {
    answer.send(200, {{"Content-Type", "application/json"}}, R"({"decision":"block","reason":"said the server"})");
  });
  Bench bench(http_hook(peer.url("/hook"), R"(,"headers":{"X-Team":"$TEAM-$SECRET"},"allowedEnvVars":["TEAM"])"));
  bench.environment.push_back("TEAM=blue");
  bench.environment.push_back("SECRET=s3cret");
  const HookOutcome outcome = bench.run(pre_tool_use);
  EXPECT_EQ(outcome.verdict, HookVerdict::deny);
  EXPECT_EQ(outcome.reason, "said the server");
  const PeerRequest request = peer.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/hook");
  EXPECT_EQ(request.header("content-type"), "application/json");
  EXPECT_EQ(request.header("x-team"), "blue-");
  EXPECT_EQ(find_string(parse_json(request.body).value(), "tool_name"), "Bash");
}

TEST(UserHooksHttp, AnythingButSuccessIsAFailureThatBlocksNothing) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    if (request.path == "/text") return answer.send(200, {}, "sure");
    if (request.path == "/cut") return answer.cut();
    if (request.path == "/redirect") return answer.send(302, {{"Location", "/ok"}}, "");
    answer.send(500, {}, R"({"decision":"approve"})");
  });
  for (const char* path : {"/text", "/cut", "/redirect", "/error"}) {
    Bench bench(http_hook(peer.url(path)));
    const HookOutcome outcome = bench.run(pre_tool_use);
    EXPECT_EQ(outcome.reports.at(0).end, HookReport::End::failed) << path;
    EXPECT_FALSE(outcome.verdict) << path;
    Bench strict(http_hook(peer.url(path), R"(,"onFailure":"block")"));
    EXPECT_EQ(strict.run(pre_tool_use).verdict, HookVerdict::deny) << path;
  }
}

TEST(UserHooksHttp, ATimeThatIsUpAndAnAbortEndTheWaiting) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) { answer.wait_until_gone(); });
  Bench slow(http_hook(peer.url("/"), R"(,"timeout":0.1)"));
  EXPECT_TRUE(slow.run(pre_tool_use).reports.at(0).error.contains("too long"));
  Bench aborted(http_hook(peer.url("/")));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(aborted.run(pre_tool_use, stop.get_token()).cancelled);
}

TEST(UserHooksHttp, AnAddressThatIsNotAllowedIsNotAsked) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) { answer.send(200, {}, ""); });
  Bench bench(http_hook(peer.url("/")));
  bench.config.http_urls = std::vector<std::string>{"https://hooks.example.com/*"};
  EXPECT_EQ(bench.run(pre_tool_use).reports.at(0).end, HookReport::End::failed);
  EXPECT_TRUE(peer.requests().empty());
}

TEST(UserHooksHttp, AHeaderCannotSmuggleInAnother) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) { answer.send(200, {}, ""); });
  Bench bench(http_hook(peer.url("/"), R"(,"headers":{"X":"$V"},"allowedEnvVars":["V"])"));
  bench.environment.push_back("V=a\r\nEvil: 1");
  EXPECT_EQ(bench.run(pre_tool_use).reports.at(0).end, HookReport::End::failed);
  EXPECT_TRUE(peer.requests().empty());
}

}  // namespace
}  // namespace deft
