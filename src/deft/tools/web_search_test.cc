#include "deft/tools/web_search.h"

#include <gtest/gtest.h>

#include "deft/os/curl_http_client.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/tool_bench.h"

namespace deft {
namespace {

using testing::HttpPeer;
using testing::PeerAnswer;
using testing::PeerHandler;
using testing::PeerRequest;

const HttpHeaders kJson = {{"Content-Type", "application/json"}};
constexpr std::string_view kTwoHits =
    R"({"results":[{"title":"One","url":"https://docs.a.example/1","content":"first"},)"
    R"({"title":"Two","url":"https://B.example./2","content":""},{"title":"Odd","url":"javascript:x"}]})";

PeerHandler says(int status, std::string_view body, HttpHeaders headers = kJson) {
  return [=, text = std::string(body)](const PeerRequest&, PeerAnswer& answer) { answer.send(status, headers, text); };
}

// A tool and the server that it asks.
struct SearchBench {
  explicit SearchBench(PeerHandler handler, std::string_view provider = "searxng") : peer(std::move(handler)) {
    const WebOptions web{.http = std::make_shared<CurlHttpClient>(HttpNetwork{})};
    tool = make_web_search_tool(web, {.provider = std::string(provider), .url = peer.url("/"), .key = "the-key"});
  }
  std::string search(JsonObject input) {
    if (!input.contains("query")) input["query"] = "c++ lists";
    const auto result = bench.call(*tool, input);
    return result ? result->text : std::string(to_string(result.error().code)) + ": " + result.error().message;
  }

  HttpPeer peer;
  FakeFiles files;
  ToolBench bench{files};
  std::shared_ptr<Tool> tool;
};

TEST(WebSearch, AsksSearxngForJson) {
  SearchBench bench(says(200, kTwoHits));
  EXPECT_EQ(bench.search({}), "One\nhttps://docs.a.example/1\nfirst\n\nTwo\nhttps://B.example./2");
  EXPECT_EQ(bench.peer.requests().at(0).path, "/search?q=c%2B%2B%20lists&format=json");
  EXPECT_EQ(bench.peer.requests().at(0).header("x-subscription-token"), "");
}

TEST(WebSearch, AsksBraveWithTheKey) {
  SearchBench bench(
      says(200, R"({"web":{"results":[{"title":"A <strong>b</strong>","url":"https://a.example/","description":)"
                R"("x &amp; y"}]}})"),
      "brave");
  EXPECT_EQ(bench.search({}), "A b\nhttps://a.example/\nx & y");
  EXPECT_EQ(bench.peer.requests().at(0).header("x-subscription-token"), "the-key");
  SearchBench none(says(200, R"({"type":"search","query":{}})"), "brave");
  EXPECT_EQ(none.search({}), "Nothing was found for c++ lists.") << "then Brave leaves the list out";
}

TEST(WebSearch, KeepsToTheDomainsInWhateverSpelling) {
  SearchBench bench(says(200, kTwoHits));
  for (const char* domain : {"a.example", "A.Example", "*.a.example", "https://a.example/x", "a.example."}) {
    EXPECT_EQ(bench.search({{"allowed_domains", JsonArray{domain}}}), "One\nhttps://docs.a.example/1\nfirst") << domain;
    EXPECT_EQ(bench.search({{"blocked_domains", JsonArray{domain}}}), "Two\nhttps://B.example./2") << domain;
  }
  EXPECT_EQ(bench.search({{"blocked_domains", JsonArray{"a.example", "b.example"}}}),
            "Nothing was found for c++ lists.");
  EXPECT_EQ(bench.search({{"allowed_domains", JsonArray{"xa.example"}}}), "Nothing was found for c++ lists.");
  EXPECT_NE(bench.peer.requests().at(0).path.find("c%2B%2B%20lists%20site%3Aa.example&"), std::string::npos)
      << "the server is told, too";
  EXPECT_NE(bench.peer.requests().at(1).path.find("%20-site%3Aa.example&"), std::string::npos);
  const std::size_t asked = bench.peer.requests().size();
  EXPECT_EQ(bench.search({{"allowed_domains", JsonArray{"a.example"}}, {"blocked_domains", JsonArray{"b.example"}}}),
            "invalid_input: Give allowed_domains or blocked_domains, not both.");
  for (const char* domain : {"two words", "", "a.example OR x", "localhost", "user@a.example", "a/b"}) {
    EXPECT_EQ(bench.search({{"blocked_domains", JsonArray{domain}}}).substr(0, 30), "invalid_input: blocked_domains")
        << domain;
  }
  EXPECT_EQ(bench.peer.requests().size(), asked) << "nothing was sent";
}

TEST(WebSearch, SaysWhatIsWrongWithTheServerAndWhatToDo) {
  struct Case {
    PeerHandler handler;
    std::string_view text;
  };
  const Case cases[] = {
      {says(403, ""),
       "failed: The search server answered HTTP 403. Tell the user that SearXNG must allow JSON (search.formats in its "
       "settings)."},
      {says(429, ""),
       "failed: The search server answered HTTP 429: too many searches. Go on without, or search again later."},
      {says(502, "<html>"),
       "failed: The search server answered HTTP 502: it has trouble of its own. Go on without, or search again later."},
      {says(302, "", {{"Location", "https://evil.example/search?q=x"}}),
       "failed: The search server answered HTTP 302: it leads elsewhere (evil.example), and is not followed. Tell the "
       "user to put the right address into webSearch.url."},
      {says(200, "<html>hello"),
       "failed: The search server's answer is not JSON: tell the user that SearXNG must allow it (search.formats in "
       "its "
       "settings)."},
      {says(200, R"({"hello":1})"),
       "failed: The search server answered, but with no list of results: tell the user that webSearch.url is not that "
       "of a SearXNG server."},
      {says(200, R"([1])"),
       "failed: The search server answered, but with no list of results: tell the user that webSearch.url is not that "
       "of a SearXNG server."},
      {says(200, R"({"results":[1,null,{},{"url":7},{"title":[],"url":"https://a.example/"}]})"),
       "\nhttps://a.example/"},
  };
  for (const Case& c : cases) EXPECT_EQ(SearchBench(c.handler).search({}), c.text);
  EXPECT_EQ(SearchBench(says(422, ""), "brave").search({}),
            "failed: The search server answered HTTP 422. Tell the user to look at BRAVE_API_KEY.");
}

TEST(WebSearch, BoundsWhatAServerCanSend) {
  const std::string huge = R"({"results":[{"title":")" + std::string(5 << 20, 'x') + R"("}]})";
  EXPECT_EQ(SearchBench(says(200, huge)).search({}).substr(0, 6), "limit:");
  std::string many = R"({"results":[)";
  for (int i = 0; i < 500; ++i) {
    many += R"({"title":"\u001b[31m\u0000)" + std::string(2'000, 't') + R"(","url":"https://a.example/)" +
            std::to_string(i) + R"(","content":")" + std::string(2'000, 'c') + R"("},)";
  }
  many += R"({"title":"x","url":"https://a.example/)" + std::string(10'000, 'u') + R"("}]})";
  const std::string text = SearchBench(says(200, many)).search({});
  EXPECT_LT(text.size(), 15'000U);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\0'), std::string::npos);
  EXPECT_NE(text.find("https://a.example/9"), std::string::npos);
  EXPECT_EQ(text.find("https://a.example/10"), std::string::npos);
}

TEST(WebSearch, StopsAtOnceWhenItIsCancelled) {
  SearchBench bench([](const PeerRequest&, PeerAnswer&) {});
  bench.bench.stop().request_stop();
  EXPECT_EQ(bench.search({}).substr(0, 10), "cancelled:");
}

TEST(WebSearch, ASessionSearchesOnlySoOften) {
  SearchBench bench(says(200, kTwoHits));
  for (std::size_t i = 0; i < kWebSearchesMax; ++i) ASSERT_EQ(bench.search({}).substr(0, 3), "One");
  EXPECT_EQ(bench.search({}), "limit: This session has searched 200 times: go on with what you know.");
}

TEST(WebSearch, IsNotThereWithoutWhatItNeeds) {
  EXPECT_EQ(make_web_search_tool({}, {}), nullptr);
  EXPECT_EQ(make_web_search_tool({}, {.provider = "brave"}), nullptr) << "no key";
  EXPECT_EQ(make_web_search_tool({}, {.provider = "model"}), nullptr) << "no model that can";
}

}  // namespace
}  // namespace deft
