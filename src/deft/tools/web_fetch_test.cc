#include "deft/tools/web_fetch.h"

#include <gtest/gtest.h>

#include "deft/base/web_text.h"
#include "deft/os/curl_http_client.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/web_search.h"

namespace deft {
namespace {

using testing::HttpPeer;
using testing::PeerAnswer;
using testing::PeerHandler;
using testing::PeerRequest;

const HttpHeaders kHtml = {{"Content-Type", "text/html; charset=utf-8"}};

// A tool and the only server that it can reach: docs.test, at the peer's port.
struct Bench {
  explicit Bench(PeerHandler handler) : peer(std::move(handler)) {
    options.http = std::make_shared<CurlHttpClient>(HttpNetwork{});
    options.resolve = [](const std::string& host) -> Result<std::vector<std::string>> {
      if (host == "docs.test" || host == "evil.test") return std::vector<std::string>{"127.0.0.1"};
      return resolve_host(host);
    };
    options.private_hosts = {"docs.test"};
  }
  std::string url(std::string_view path, std::string_view host = "docs.test") const {
    return "http://" + std::string(host) + ":" + std::to_string(peer.port()) + std::string(path);
  }
  Tool& tool() {
    if (!tool_) tool_ = make_web_fetch_tool(options);
    return *tool_;
  }
  Result<ToolResult> fetch(JsonObject input) { return bench.call(tool(), input); }
  std::string text(std::string_view path) {
    const auto result = fetch({{"url", url(path)}});
    return result ? result->text : "error: " + result.error().message;
  }

  HttpPeer peer;
  FakeFiles files;
  ToolBench bench{files};
  WebOptions options;
  std::shared_ptr<Tool> tool_;
};

PeerHandler answer_with(int status, HttpHeaders headers, std::string body) {
  return [=](const PeerRequest&, PeerAnswer& answer) { answer.send(status, headers, body); };
}

TEST(WebFetch, GivesAPageAsMarkdown) {
  Bench bench(answer_with(200, kHtml, "<title>T</title><h2>Head</h2><p>Words and <a href='/x'>a link</a>."));
  const auto result = bench.fetch({{"url", bench.url("/page")}});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->text, "# T\n\n## Head\n\nWords and [a link](" + bench.url("/x") + ").");
  EXPECT_EQ(find_int(result->details, "code"), 200);
  EXPECT_EQ(find_string(result->details, "codeText"), "OK");
  EXPECT_EQ(find_string(result->details, "url"), bench.url("/page"));
  EXPECT_EQ(find_string(result->details, "result"), result->text);
  EXPECT_EQ(bench.peer.requests().at(0).header("host"), "docs.test:" + std::to_string(bench.peer.port()));
}

TEST(WebFetch, GoesToNoPrivateAddressWhateverNameItHas) {
  Bench bench(answer_with(200, kHtml, "secret"));
  for (const std::string& host : {std::string("evil.test"), std::string("127.0.0.1"), std::string("0x7f.1"),
                                  std::string("[::1]"), std::string("localhost")}) {
    const auto result = bench.fetch({{"url", bench.url("/", host)}});
    ASSERT_FALSE(result) << host;
    EXPECT_EQ(result.error().code, Errc::denied) << host << ": " << result.error().message;
    EXPECT_NE(result.error().message.find("privateHosts"), std::string::npos);
  }
  EXPECT_TRUE(bench.peer.requests().empty());
}

TEST(WebFetch, FollowsRedirectsOnTheSameHostOnly) {
  Bench bench([&](const PeerRequest& request, PeerAnswer& answer) {
    if (request.path == "/a") return answer.send(302, {{"Location", "/b?x=1"}}, "");
    if (request.path == "/out") return answer.send(301, {{"Location", "http://evil.test/steal?a=b"}}, "");
    if (request.path == "/round") return answer.send(302, {{"Location", "/round"}}, "");
    if (request.path == "/odd") return answer.send(302, {{"Location", "file:///etc/passwd"}}, "");
    answer.send(200, {{"Content-Type", "text/plain"}}, "at " + request.path);
  });
  EXPECT_EQ(bench.text("/a"), "at /b?x=1");
  EXPECT_NE(bench.text("/out").find("redirects to another host: http://evil.test/steal?a=b"), std::string::npos);
  EXPECT_NE(bench.text("/round").find("redirects more than 5 times"), std::string::npos);
  EXPECT_NE(bench.text("/odd").find("no web address"), std::string::npos);
  EXPECT_EQ(bench.peer.requests().size(), 2U + 1U + 6U + 1U);
}

TEST(WebFetch, APageIsFetchedOnceInAWhile) {
  Bench bench(answer_with(200, {{"Content-Type", "text/plain"}}, "0123456789"));
  EXPECT_EQ(bench.text("/p"), "0123456789");
  EXPECT_EQ(bench.text("/p"), "0123456789");
  EXPECT_EQ(bench.fetch({{"url", bench.url("/p")}, {"offset", 7}})->text, "789");
  EXPECT_FALSE(bench.fetch({{"url", bench.url("/p")}, {"offset", 10}}));
  EXPECT_EQ(bench.peer.requests().size(), 1U);
  bench.text("/q");
  EXPECT_EQ(bench.peer.requests().size(), 2U);
}

TEST(WebFetch, SaysWhatCannotBeShown) {
  EXPECT_NE(Bench(answer_with(404, kHtml, "<p>No such page")).text("/x").find("HTTP 404 Not Found:\nNo such page"),
            std::string::npos);
  EXPECT_NE(Bench(answer_with(200, {{"Content-Type", "application/zip"}}, std::string("PK\0\1\0", 5)))
                .text("/x")
                .find("application/zip"),
            std::string::npos);
  EXPECT_NE(Bench(answer_with(200, kHtml, std::string(kPageBytesMax + 1, 'x'))).text("/x").find("larger than"),
            std::string::npos);
  EXPECT_EQ(Bench(answer_with(200, kHtml, "<script>1</script>")).text("/x"), "The page has no text.");
  EXPECT_NE(Bench([](const PeerRequest&, PeerAnswer& answer) { answer.cut(); }).text("/x").find("error: "),
            std::string::npos);
}

TEST(WebFetch, ReadsTheEncodingFromHeaderOrPage) {
  EXPECT_EQ(Bench(answer_with(200, {{"Content-Type", "text/html; charset=ISO-8859-1"}}, "<p>caf\xE9")).text("/"),
            "caf\xC3\xA9");
  EXPECT_EQ(Bench(answer_with(200, {{"Content-Type", "text/html"}}, "<meta charset=\"windows-1251\"><p>\xEC\xE8\xF0"))
                .text("/"),
            "\xD0\xBC\xD0\xB8\xD1\x80");
  EXPECT_EQ(Bench(answer_with(200, {{"Content-Type", "application/json"}}, "{\"a\": \"\xC3\xA9\"}")).text("/"),
            "{\"a\": \"\xC3\xA9\"}");
  EXPECT_EQ(charset_in_html("<META http-equiv=x content='text/html; charset=GBK'>"), "gbk");
  EXPECT_EQ(web_text(std::string_view("\xFF\xFE"
                                      "a\0b\0",
                                      6),
                     "utf-8"),
            "ab");
}

TEST(WebFetch, AQuestionAboutAPageIsAnsweredBySomebodyElse) {
  Bench bench(answer_with(200, kHtml, "<p>The answer is 42."));
  bench.options.ask = [](const std::string& question, const std::string& text, std::stop_token) -> Result<std::string> {
    if (question == "fail") return fail(Errc::failed, "no model");
    return question + " / " + text;
  };
  EXPECT_EQ(bench.fetch({{"url", bench.url("/")}, {"prompt", "what is it?"}})->text, "what is it? / The answer is 42.");
  EXPECT_EQ(bench.fetch({{"url", bench.url("/")}, {"prompt", "fail"}})->text, "The answer is 42.");
}

TEST(WebFetch, HttpsIsMeantUnlessItIsSaidOtherwise) {
  const WebOptions options{.private_hosts = {"localhost:3000"}};
  EXPECT_EQ(page_url("docs.example/a b", options).has_value(), false);
  EXPECT_EQ(page_url("docs.example/a", options)->text(), "https://docs.example/a");
  EXPECT_EQ(page_url("http://docs.example", options)->text(), "https://docs.example/");
  EXPECT_EQ(page_url("http://docs.example:8080", options)->text(), "http://docs.example:8080/");
  EXPECT_EQ(page_url("http://localhost:3000/x", options)->text(), "http://localhost:3000/x");
  EXPECT_FALSE(page_url("https://u:p@h/", options));
  EXPECT_FALSE(page_url("file:///etc/passwd", options));
}

TEST(WebSearch, AsksTheProviderAndKeepsToTheDomains) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    const HttpHeaders json = {{"Content-Type", "application/json"}};
    if (request.header("x-subscription-token") == "key") {
      return answer.send(
          200, json,
          R"({"web":{"results":[{"title":"A <strong>b</strong>","url":"https://a.example/","description":"x &amp; y"}]}})");
    }
    if (request.path != "/search?q=c%2B%2B%20lists&format=json") return answer.send(403, {}, "");
    answer.send(
        200, json,
        R"({"results":[{"title":"One","url":"https://docs.a.example/1","content":"first"},{"title":"Two","url":"https://b.example/2","content":""},{"title":"Odd","url":"javascript:x"}]})");
  });
  FakeFiles files;
  ToolBench bench(files);
  const WebOptions web{.http = std::make_shared<CurlHttpClient>(HttpNetwork{})};
  const auto searxng = make_web_search_tool(web, {.provider = "searxng", .url = peer.url("/")});
  EXPECT_EQ(bench.call(*searxng, JsonObject{{"query", "c++ lists"}})->text,
            "One\nhttps://docs.a.example/1\nfirst\n\nTwo\nhttps://b.example/2");
  EXPECT_EQ(bench.call(*searxng, JsonObject{{"query", "c++ lists"}, {"allowed_domains", JsonArray{"a.example"}}})->text,
            "One\nhttps://docs.a.example/1\nfirst");
  EXPECT_EQ(
      bench
          .call(*searxng, JsonObject{{"query", "c++ lists"}, {"blocked_domains", JsonArray{"a.example", "b.example"}}})
          ->text,
      "Nothing was found for c++ lists.");
  EXPECT_FALSE(bench.call(
      *searxng, JsonObject{{"query", "x"}, {"allowed_domains", JsonArray{"a"}}, {"blocked_domains", JsonArray{"b"}}}));
  EXPECT_NE(bench.call(*searxng, JsonObject{{"query", "other"}}).error().message.find("403"), std::string::npos);
  const auto brave = make_web_search_tool(web, {.provider = "brave", .url = peer.url("/res"), .key = "key"});
  EXPECT_EQ(bench.call(*brave, JsonObject{{"query", "q"}})->text, "A b\nhttps://a.example/\nx & y");
  EXPECT_EQ(make_web_search_tool(web, {}), nullptr);
}

}  // namespace
}  // namespace deft
