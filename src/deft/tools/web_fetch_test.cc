#include "deft/tools/web_fetch.h"

#include <gtest/gtest.h>

#include "deft/base/web_text.h"
#include "deft/os/curl_http_client.h"
#include "deft/os/disk_files.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/places.h"
#include "deft/testing/tool_bench.h"

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

TEST(WebFetch, AnAddressWithoutASchemeIsJudgedAsTheOneThatIsMeant) {
  const auto tool = make_web_fetch_tool({});
  FakeFiles files;
  NoProcesses processes;
  SystemClock clock;
  const SessionState state{.working_directory = "/", .directories = {"/"}, .files = {}};
  const SessionView session(state, {});
  ToolIo io{.os = {files, processes, clock}, .session = session};
  EXPECT_EQ(tool->completed(JsonObject{{"url", "example.com/a?b"}}, io),
            Json(JsonObject{{"url", "https://example.com/a?b"}}));
  EXPECT_EQ(tool->completed(JsonObject{{"url", "http://example.com/"}}, io), std::nullopt);
  EXPECT_EQ(tool->completed(JsonObject{{"url", "no address"}}, io), std::nullopt);
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
  EXPECT_EQ(web_text("\xA4 \xBC", "ISO-8859-15"), "€ Œ");
  EXPECT_EQ(web_text("\xDE\xE0sis", "windows-1257"), "Žąsis");
  EXPECT_EQ(web_text("\x1b$BF|K\\8l\x1b(B.", "iso-2022-jp"), "日本語.");
  EXPECT_EQ(web_text("a\x1b$BF", "iso-2022-jp"), "a\uFFFD") << "cut off within a character";
  EXPECT_TRUE(is_known_charset("Latin9"));
  EXPECT_FALSE(is_known_charset("ISO-2022-CN-EXT"));
  EXPECT_EQ(charset_in_html("<META http-equiv=x content='text/html; charset=GBK'>"), "gbk");
  EXPECT_EQ(web_text(std::string_view("\xFF\xFE"
                                      "a\0b\0",
                                      6),
                     "utf-8"),
            "ab");
}

TEST(WebFetch, ALabelThatIsWrongIsNotBelieved) {
  // Unknown in the header: the page's own word counts. UTF-16 in bytes that could be read is none.
  EXPECT_EQ(Bench(answer_with(200, {{"Content-Type", "text/html; charset=x-unheard"}}, "<meta charset=koi8_r><p>\xCD"))
                .text("/"),
            "\xD0\xBC");
  EXPECT_EQ(Bench(answer_with(200, {{"Content-Type", "text/html"}}, "<meta charset=utf-16><p>\xC3\xA9")).text("/"),
            "\xC3\xA9");
  EXPECT_EQ(charset_in_html("<!-- <meta charset=gbk> --><meta charset='big5'>"), "big5");
  EXPECT_EQ(Bench(answer_with(200, {{"Content-Type", "text/plain; charset=utf-8"}}, "a\xFF\xC3(")).text("/"),
            "a\xEF\xBF\xBD\xEF\xBF\xBD(");
}

TEST(WebFetch, WhatNobodySeesInATextIsLeftOut) {
  using namespace std::string_literals;
  EXPECT_EQ(Bench(answer_with(200, {{"Content-Type", "text/plain; charset=utf-8"}},
                              "a\0b\x1B[2Jc\r\n\xE2\x80\xAE"s + "d\xF3\xA0\x81\x89\xC2\x9B"))
                .text("/"),
            "ab[2Jc\nd");
  EXPECT_EQ(Bench(answer_with(404, {{"Content-Type", "text/plain"}}, "\x1B]0;title\x07gone"))
                .text("/")
                .find_first_of("\x1B\x07"),
            std::string::npos);
}

TEST(WebFetch, ATextIsATextWhateverTypeItWasGiven) {
  EXPECT_EQ(Bench(answer_with(200, {{"Content-Type", "application/x-perl"}}, "print 1;")).text("/"), "print 1;");
  EXPECT_EQ(Bench(answer_with(200, {}, "<!DocType HTML><p>words")).text("/"), "words");
  EXPECT_EQ(Bench(answer_with(200, {{"Content-Type", "text/plain"}}, "<html><p>words")).text("/"), "<html><p>words");
}

TEST(WebFetch, APictureIsFetchedOnceToo) {
  const std::string picture =
      DiskFiles().read(DEFT_SOURCE_DIR "/tests/fixtures/pictures/palette.png", 1 << 20).value().bytes;
  Bench bench(answer_with(200, kHtml, picture));
  const SystemClock clock;
  WardenProcesses processes(clock);
  bench.bench.use(processes);
  for (int i = 0; i < 2; ++i) {
    const auto result = bench.fetch({{"url", bench.url("/p")}});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->blocks.size(), 1U);
  }
  EXPECT_EQ(bench.peer.requests().size(), 1U);
}

// Answers every request with a redirect to the same host, and remembers which addresses were dialled.
class Redirecting final : public HttpClient {
 public:
  std::unique_ptr<HttpTransfer> start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver) override {
    struct Ended final : HttpTransfer {
      void cancel() override {}
    };
    dialled.push_back(request.address.value_or("any"));
    receiver->began({.status = 302, .headers = {{"Location", "/next"}}});
    receiver->ended({});
    return std::make_unique<Ended>();
  }
  void connect_ahead(const std::string&) override {}

  std::vector<std::string> dialled;
};

TEST(WebFetch, ANameThatLeadsElsewhereAtTheNextHopIsCheckedAnew) {
  const auto http = std::make_shared<Redirecting>();
  int asked = 0;
  WebOptions options{.http = http};
  options.resolve = [&](const std::string&) -> Result<std::vector<std::string>> {
    if (++asked == 1) return std::vector<std::string>{"10.0.0.1", "93.184.216.34", "fe80::1"};
    return std::vector<std::string>{"169.254.169.254"};
  };
  const auto page = fetch_page(*page_url("https://rebinding.test/", options), options, {});
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, Errc::denied);
  EXPECT_EQ(http->dialled, std::vector<std::string>{"93.184.216.34"});
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

TEST(WebFetch, AQuestionAboutAPageThatIsTooLongSaysSo) {
  Bench bench(answer_with(200, {{"Content-Type", "text/plain"}}, std::string(kWebQuestionCharactersMax + 10, 'x')));
  bench.options.ask = [](const std::string&, const std::string& text, std::stop_token) -> Result<std::string> {
    return std::to_string(text.size());
  };
  EXPECT_EQ(bench.fetch({{"url", bench.url("/")}, {"prompt", "q"}})->text,
            "100000\n\n[The page is longer than what was asked about: give offset 100000 to ask about the rest.]");
  EXPECT_EQ(bench.fetch({{"url", bench.url("/")}, {"prompt", "q"}, {"offset", 100'000}})->text, "10");
}

TEST(WebFetch, HttpsIsMeantUnlessItIsSaidOtherwise) {
  const WebOptions options{.private_hosts = {"localhost:3000"}};
  EXPECT_EQ(page_url("docs.example/a b", options).has_value(), false);
  EXPECT_EQ(page_url("docs.example/a", options)->text(), "https://docs.example/a");
  EXPECT_EQ(page_url("http://docs.example", options)->text(), "https://docs.example/");
  EXPECT_EQ(page_url("http://docs.example:8080", options)->text(), "http://docs.example:8080/");
  EXPECT_EQ(page_url("http://localhost:3000/x", options)->text(), "http://localhost:3000/x");
  const WebOptions usual_port{.private_hosts = {"LocalHost:80"}};
  EXPECT_EQ(page_url("http://localhost/x", usual_port)->text(), "http://localhost/x");
  EXPECT_EQ(page_url("http://localhost:81/x", usual_port)->text(), "http://localhost:81/x");
  EXPECT_TRUE(may_be_private(*parse_web_url("http://localhost:80/"), usual_port));
  EXPECT_FALSE(may_be_private(*parse_web_url("http://localhost:81/"), usual_port));
  EXPECT_FALSE(may_be_private(*parse_web_url("https://localhost/"), usual_port));
  EXPECT_FALSE(page_url("https://u:p@h/", options));
  EXPECT_FALSE(page_url("file:///etc/passwd", options));
}

}  // namespace
}  // namespace deft
