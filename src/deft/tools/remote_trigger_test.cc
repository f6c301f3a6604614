#include "deft/tools/remote_trigger.h"

#include <gtest/gtest.h>

#include "deft/os/curl_http_client.h"
#include "deft/testing/any_session.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/tool_bench.h"

namespace deft {
namespace {

using testing::HttpPeer;
using testing::PeerAnswer;
using testing::PeerRequest;

constexpr const char* kToken = "s3cret-token";

struct Bench {
  explicit Bench(testing::PeerHandler handler) : peer(std::move(handler)) {
    web.http = std::make_shared<CurlHttpClient>(HttpNetwork{});
    web.resolve = [](const std::string&) -> Result<std::vector<std::string>> {
      return std::vector<std::string>{"127.0.0.1"};
    };
    web.private_hosts = {"ci.test"};
  }
  std::string url(std::string_view path, std::string_view host = "ci.test") const {
    return "http://" + std::string(host) + ":" + std::to_string(peer.port()) + std::string(path);
  }
  Result<ToolResult> post(JsonObject input) {
    const auto tool = make_remote_trigger_tool(web, {{.host = "ci.test", .variable = "CI_TOKEN", .token = kToken},
                                                     {.host = "empty.test", .variable = "OTHER_TOKEN", .token = ""},
                                                     {.host = "public.test", .variable = "CI_TOKEN", .token = kToken},
                                                     {.host = "broken.test", .variable = "C", .token = "a\nX-Y: b"}});
    return bench.call(*tool, input);
  }
  std::string problem(JsonObject input) {
    const auto result = post(std::move(input));
    return result ? "none" : std::string(to_string(result.error().code)) + ": " + result.error().message;
  }

  HttpPeer peer;
  FakeFiles files;
  ToolBench bench{files};
  WebOptions web;
};

TEST(RemoteTrigger, PostsTheBodyWithTheTokenOfTheHost) {
  Bench bench([](const PeerRequest&, PeerAnswer& answer) { answer.send(202, {}, R"({"run":7})"); });
  const auto result = bench.post({{"url", bench.url("/hooks/build")}, {"body", {{"ref", "main"}}}});
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->text, "ci.test answered HTTP 202:\n{\"run\":7}");
  EXPECT_FALSE(result->is_error());
  const PeerRequest request = bench.peer.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/hooks/build");
  EXPECT_EQ(request.header("authorization"), std::string("Bearer ") + kToken);
  EXPECT_EQ(request.header("content-type"), "application/json");
  EXPECT_EQ(request.body, R"({"ref":"main"})");
}

TEST(RemoteTrigger, TheTokenIsInNothingThatIsKept) {
  Bench bench([](const PeerRequest& request, PeerAnswer& answer) {
    answer.send(403, {}, "you sent " + request.header("authorization") + ", twice: " + kToken);
  });
  const auto result = bench.post({{"url", bench.url("/")}});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->error, Errc::failed);
  EXPECT_EQ(result->text, "ci.test answered HTTP 403:\nyou sent Bearer [token], twice: [token]");
  EXPECT_EQ(to_json(result->details).find(kToken), std::string::npos);
}

TEST(RemoteTrigger, GoesOnlyToHostsOfTheSettingsByHttpsAndToPublicAddresses) {
  Bench bench([](const PeerRequest&, PeerAnswer& answer) { answer.send(200, {}, "never"); });
  EXPECT_EQ(bench.problem({{"url", "https://evil.test/"}}),
            "denied: evil.test is none of the hosts that the settings name (remoteTriggers): ci.test, empty.test, "
            "public.test, broken.test.");
  EXPECT_EQ(bench.problem({{"url", bench.url("/", "public.test")}}),
            "denied: A token is sent by https only: give the address with https.");
  EXPECT_EQ(bench.problem({{"url", "https://empty.test/"}}),
            "denied: The token for empty.test is not there: the user must set OTHER_TOKEN in the environment of deft.");
  EXPECT_TRUE(bench.problem({{"url", "https://public.test/"}}).starts_with("denied: public.test is on this machine"));
  EXPECT_TRUE(bench.problem({{"url", "https://ci.test@evil.test/"}}).starts_with("invalid_input:"));
  EXPECT_EQ(bench.problem({{"url", "https://broken.test/"}}),
            "denied: The token for broken.test holds a blank or a line break: the user must set C without it.");
  EXPECT_TRUE(bench.peer.requests().empty());
}

TEST(RemoteTrigger, FollowsNoRedirect) {
  Bench bench(
      [](const PeerRequest&, PeerAnswer& answer) { answer.send(307, {{"Location", "https://evil.test/"}}, ""); });
  const auto result = bench.post({{"url", bench.url("/")}});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->text, "ci.test answered HTTP 307.\nRedirects are not followed.");
  EXPECT_EQ(bench.peer.requests().size(), 1U);
}

TEST(RemoteTrigger, IsDeclaredAsWhatItIs) {
  const auto tool = make_remote_trigger_tool({}, {{.host = "h", .variable = "", .token = ""}});
  EXPECT_FALSE(tool->is_read_only(JsonObject{{"url", "https://h/"}}, any_session()));
  EXPECT_TRUE(tool->is_destructive(JsonObject{{"url", "https://h/"}}));
  EXPECT_EQ(tool->footprint(JsonObject{{"url", "https://h/"}}, any_session())->network(), Footprint::Use::write);
  EXPECT_EQ(make_remote_trigger_tool({}, {}), nullptr);
}

}  // namespace
}  // namespace deft
