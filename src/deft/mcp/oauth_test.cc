#include "deft/mcp/oauth.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>
#include <map>

#include "deft/base/url.h"
#include "deft/mcp/login.h"
#include "deft/os/curl_http_client.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

using testing::HttpPeer;
using testing::PeerAnswer;
using testing::PeerRequest;

const HttpHeaders kJson{{"Content-Type", "application/json"}};

// Agrees to everything; what it brings back is the test's.
class WillingBrowser final : public OauthBrowser {
 public:
  Result<std::string> redirect_uri() override { return "http://127.0.0.1:1/callback"; }
  Result<std::string> visit(const std::string& url, std::stop_token) override {
    ++visits;
    const auto parsed = parse_web_url(url);
    asked = form_decode(parsed->query.substr(1));
    return form_encode({{"code", "the-code"}, {"state", *find_field(asked, "state")}}) + more;
  }
  int visits = 0;
  FormFields asked;
  std::string more;
};

// A server and its authorization server in one.
class OauthLogin : public ::testing::Test {
 protected:
  OauthLogin() {
    peer_ = std::make_unique<HttpPeer>([this](const PeerRequest& request, PeerAnswer& answer) {
      const std::string origin = peer_->url("");
      const std::string base = origin.ends_with('/') ? origin.substr(0, origin.size() - 1) : origin;
      if (request.path == "/.well-known/oauth-protected-resource/mcp" && describes_itself) {
        return answer.send(
            200, kJson,
            to_json(JsonObject{{"resource", base + "/mcp"}, {"authorization_servers", JsonArray{Json(base)}}}));
      }
      if (request.path == "/.well-known/oauth-authorization-server") {
        JsonObject document{{"issuer", base + issuer_path},
                            {"authorization_endpoint", base + "/authorize"},
                            {"token_endpoint", base + "/token"},
                            {"registration_endpoint", base + "/register"},
                            {"code_challenge_methods_supported", JsonArray{"S256"}}};
        if (names_itself) document["authorization_response_iss_parameter_supported"] = true;
        return answer.send(200, kJson, to_json(document));
      }
      if (request.path == "/register") return answer.send(201, kJson, R"({"client_id":"registered"})");
      if (request.path == "/token") {
        tokens.push_back(form_decode(request.body));
        if (refuses_refresh && *find_field(tokens.back(), "grant_type") == "refresh_token") {
          return answer.send(400, kJson, R"({"error":"invalid_grant"})");
        }
        return answer.send(200, kJson,
                           to_json(JsonObject{{"access_token", "token-" + std::to_string(tokens.size())},
                                              {"refresh_token", "again"},
                                              {"expires_in", expires_in}}));
      }
      answer.send(404, {}, "");
    });
    login_ = std::make_unique<OauthAuthorizer>(
        http_, clock_, store_, OauthOptions{.server = "srv", .url = peer_->url("/mcp"), .browser = &browser_});
  }

  Result<void> refused(int status = 401, std::string challenge = "Bearer") {
    return login_->refused({.status = status, .headers = {{"WWW-Authenticate", std::move(challenge)}}},
                           *login_->headers({}), {});
  }
  std::string authorization() {
    const auto headers = login_->headers({});
    if (!headers || headers->empty()) return "";
    return headers->front().second;
  }

  SystemClock clock_;
  CurlHttpClient http_{HttpNetwork()};
  OauthMemory store_;
  WillingBrowser browser_;
  bool names_itself = false;
  bool describes_itself = true;  // which authorization server it has
  std::string issuer_path;
  bool refuses_refresh = false;
  int expires_in = 3600;
  std::vector<FormFields> tokens;
  std::unique_ptr<HttpPeer> peer_;
  std::unique_ptr<OauthAuthorizer> login_;
};

TEST_F(OauthLogin, ARefusalLeadsToALoginWithAProofAndAResource) {
  EXPECT_EQ(authorization(), "");
  ASSERT_TRUE(refused());
  EXPECT_EQ(authorization(), "Bearer token-1");
  EXPECT_EQ(*find_field(browser_.asked, "code_challenge_method"), "S256");
  EXPECT_EQ(*find_field(browser_.asked, "client_id"), "registered");
  EXPECT_EQ(*find_field(browser_.asked, "resource"), peer_->url("/mcp"));
  ASSERT_EQ(tokens.size(), 1U);
  EXPECT_EQ(*find_field(tokens[0], "code"), "the-code");
  EXPECT_GE(find_field(tokens[0], "code_verifier")->size(), 43U);
  EXPECT_EQ(*find_field(tokens[0], "resource"), peer_->url("/mcp"));
}

TEST_F(OauthLogin, AnAnswerOfSomebodyElseIsRefused) {
  browser_.more = "&iss=https%3A%2F%2Fevil.example";
  EXPECT_FALSE(refused());
  browser_.more = "";
  names_itself = true;
  EXPECT_FALSE(refused()) << "it names itself always, and did not";
  EXPECT_TRUE(tokens.empty()) << "the code was shown to nobody";
}

TEST_F(OauthLogin, AnAuthorizationServerThatWasNamedMustBeTheOneThatAnswers) {
  issuer_path = "/oauth";
  EXPECT_FALSE(refused());
  // A server of 2025-03-26 names none: it is its own, whatever it calls itself there.
  describes_itself = false;
  EXPECT_TRUE(refused());
  EXPECT_EQ(authorization(), "Bearer token-1");
}

TEST_F(OauthLogin, ATokenThatEndsIsRenewedWithoutTheUser) {
  expires_in = 1;
  ASSERT_TRUE(refused());
  expires_in = 3600;
  EXPECT_EQ(authorization(), "Bearer token-2");
  EXPECT_EQ(*find_field(tokens[1], "grant_type"), "refresh_token");
  EXPECT_EQ(authorization(), "Bearer token-2");
  EXPECT_EQ(browser_.visits, 1);
}

TEST_F(OauthLogin, ARefusedTokenIsRenewedAndIfThatFailsTheUserIsAsked) {
  ASSERT_TRUE(refused());
  ASSERT_TRUE(refused());
  EXPECT_EQ(browser_.visits, 1);
  refuses_refresh = true;
  ASSERT_TRUE(refused());
  EXPECT_EQ(browser_.visits, 2);
}

TEST_F(OauthLogin, MoreRightsAreAskedForBesideThoseThatThereAre) {
  ASSERT_TRUE(refused(401, R"(Bearer scope="read")"));
  ASSERT_TRUE(refused(403, R"(Bearer error="insufficient_scope", scope="write")"));
  EXPECT_EQ(*find_field(browser_.asked, "scope"), "read write");
  ASSERT_TRUE(refused(403, R"(Bearer error="insufficient_scope", scope="write")"));
  EXPECT_FALSE(refused(403, R"(Bearer error="insufficient_scope", scope="write")")) << "not for ever";
  EXPECT_FALSE(refused(403, "Bearer"));
}

TEST_F(OauthLogin, WhatAnotherProcessHasRenewedIsUsedAndNotRenewedAgain) {
  ASSERT_TRUE(refused());
  OauthAuthorizer other(http_, clock_, store_, {.server = "srv", .url = peer_->url("/mcp")});
  const auto first = other.headers({});
  ASSERT_TRUE(refused()) << "renewed here";
  ASSERT_EQ(tokens.size(), 2U);
  ASSERT_TRUE(other.refused({.status = 401}, *first, {}));
  EXPECT_EQ(tokens.size(), 2U) << "the old one would not be taken a second time";
  EXPECT_EQ(find_header(*other.headers({}), "authorization"), "Bearer token-2");
}

TEST_F(OauthLogin, ALoginElsewhereIsSeenHere) {
  OauthAuthorizer waiting(http_, clock_, store_, {.server = "srv", .url = peer_->url("/mcp")});
  EXPECT_FALSE(waiting.refused({.status = 401}, *waiting.headers({}), {}));
  ASSERT_TRUE(refused());
  EXPECT_TRUE(waiting.refused({.status = 401}, *waiting.headers({}), {}));
  EXPECT_EQ(find_header(*waiting.headers({}), "authorization"), "Bearer token-1");
}

TEST_F(OauthLogin, ALoginIsKeptForTheNextSessionUntilItIsTakenBack) {
  ASSERT_TRUE(refused());
  OauthAuthorizer next(http_, clock_, store_, {.server = "srv", .url = peer_->url("/mcp")});
  EXPECT_EQ(next.headers({})->size(), 1U);
  next.log_out();
  EXPECT_EQ(next.headers({})->size(), 0U);
}

TEST_F(OauthLogin, WithoutABrowserItSaysWhatToDo) {
  OauthAuthorizer alone(http_, clock_, store_, {.server = "srv", .url = peer_->url("/mcp")});
  const auto result = alone.refused({.status = 401}, {}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "the server srv wants a login: run `deft mcp login srv`");
}

TEST(OauthFile, IsReadableForItsUserAlone) {
  const TempFolder folder;
  const std::string path = folder.put("logins.json", "{}", 0644);
  OauthFile file(path);
  file.save("token a", JsonObject{{"access_token", "x"}});
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(OauthFile(path).load("token a"), Json(JsonObject{{"access_token", "x"}}));
  file.forget("token a");
  EXPECT_FALSE(OauthFile(path).load("token a"));
}

TEST(OauthFile, OneRenewsAtATime) {
  const TempFolder folder;
  const SystemClock clock;
  OauthFile one(folder.path() + "/logins.json");
  OauthFile other(folder.path() + "/logins.json");
  auto mine = one.alone(clock, {});
  ASSERT_TRUE(mine);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(other.alone(clock, stop.get_token())) << "it would have to wait";
  mine.reset();
  EXPECT_TRUE(other.alone(clock, {}));
}

TEST(LoopbackBrowser, BringsBackWhatTheBrowserBrought) {
  const SystemClock clock;
  CurlHttpClient http((HttpNetwork()));
  std::string shown;
  std::unique_ptr<LoopbackBrowser> browser;
  std::jthread user;
  browser = std::make_unique<LoopbackBrowser>(clock, 0, [&](const std::string& url) {
    shown = url;
    const std::string back = *browser->redirect_uri();
    user = std::jthread([&http, back] {
      // Somebody else looks around first.
      (void)fetch(http, {.url = back.substr(0, back.rfind('/')) + "/other?code=no", .body_bytes_max = 1000}, {});
      // A page of somebody else's sends the browser here, too.
      const auto stranger = fetch(http, {.url = back + "?code=no&state=other", .body_bytes_max = 1000}, {});
      EXPECT_EQ(stranger->status, 400);
      (void)fetch(http, {.url = back + "?code=yes&state=s", .body_bytes_max = 1000}, {});
    });
  });
  ASSERT_TRUE(browser->redirect_uri());
  const auto query = browser->visit("https://as.example/authorize?a=1&state=s", {});
  ASSERT_TRUE(query);
  EXPECT_EQ(*query, "code=yes&state=s");
  EXPECT_EQ(shown, "https://as.example/authorize?a=1&state=s");
}

TEST(LoopbackBrowser, ALoginCanBeCancelled) {
  const SystemClock clock;
  std::stop_source stop;
  LoopbackBrowser browser(clock, 0, [&](const std::string&) { stop.request_stop(); });
  ASSERT_TRUE(browser.redirect_uri());
  const auto query = browser.visit("https://as.example/authorize", stop.get_token());
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().code, Errc::cancelled);
}

// Answers from a table, and keeps who was asked: no byte leaves the machine.
class TableHttp final : public HttpClient {
 public:
  std::unique_ptr<HttpTransfer> start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver) override {
    asked.push_back(request.url);
    dialled.push_back(request.address.value_or(""));
    const auto found = answers.find(request.url);
    receiver->began({.status = found == answers.end() ? 404 : 200});
    if (found != answers.end()) receiver->received(found->second);
    receiver->ended({});
    class Done final : public HttpTransfer {
      void cancel() override {}
    };
    return std::make_unique<Done>();
  }
  void connect_ahead(const std::string&) override {}

  std::map<std::string, std::string> answers;
  std::vector<std::string> asked;
  std::vector<std::string> dialled;
};

class OauthOnTheWeb : public ::testing::Test {
 protected:
  static constexpr const char* kServer = "https://mcp.example/mcp";
  static constexpr const char* kResource = "https://mcp.example/.well-known/oauth-protected-resource/mcp";
  static constexpr const char* kIssuer = "https://login.example";
  static constexpr const char* kMetadata = "https://login.example/.well-known/oauth-authorization-server";

  OauthOnTheWeb() {
    describe(kIssuer);
    http_.answers[kMetadata] = metadata({});
    http_.answers["https://login.example/register"] = R"({"client_id":"c"})";
    http_.answers["https://login.example/token"] = R"({"access_token":"t"})";
    options_ = {.server = "srv", .url = kServer, .resolve = resolve, .browser = &browser_};
  }
  static Result<std::vector<std::string>> resolve(const std::string& host) {
    if (host == "127.0.0.1" || host == "[::1]" || host == "10.0.0.5") return std::vector<std::string>{host};
    if (host == "localhost") return std::vector<std::string>{"127.0.0.1"};
    if (host == "inside.example") return std::vector<std::string>{"8.8.8.8", "169.254.169.254"};
    return std::vector<std::string>{"8.8.4.4"};
  }
  void describe(std::string_view issuer) {
    http_.answers[kResource] =
        to_json(JsonObject{{"resource", kServer}, {"authorization_servers", JsonArray{Json(issuer)}}});
  }
  static std::string metadata(JsonObject other, std::string_view issuer = kIssuer) {
    JsonObject document{{"issuer", issuer},
                        {"authorization_endpoint", "https://login.example/authorize"},
                        {"token_endpoint", "https://login.example/token"},
                        {"registration_endpoint", "https://login.example/register"},
                        {"code_challenge_methods_supported", JsonArray{"S256"}}};
    for (const auto& [key, value] : other) document[key] = value;
    return to_json(document);
  }
  Result<void> log_in(std::string challenge = "Bearer") {
    http_.asked.clear();
    store_.forget("token " + options_.url);
    OauthAuthorizer login(http_, clock_, store_, options_);
    return login.refused({.status = 401, .headers = {{"WWW-Authenticate", std::move(challenge)}}}, {}, {});
  }
  // Refused, and nobody was asked there.
  void expect_refused(std::string_view place, const std::string& challenge = "Bearer") {
    const auto done = log_in(challenge);
    ASSERT_FALSE(done) << place;
    EXPECT_EQ(done.error().code, Errc::denied) << done.error().message;
    for (const std::string& url : http_.asked) EXPECT_EQ(url.find(place), std::string::npos) << url;
  }

  SystemClock clock_;
  TableHttp http_;
  OauthMemory store_;
  WillingBrowser browser_;
  OauthOptions options_;
};

TEST_F(OauthOnTheWeb, TheAddressThatWasCheckedIsTheOneThatIsDialled) {
  const auto done = log_in();
  ASSERT_TRUE(done) << done.error().message;
  for (std::size_t i = 0; i < http_.asked.size(); ++i) {
    EXPECT_EQ(http_.dialled[i], http_.asked[i].starts_with(kIssuer) ? "8.8.4.4" : "") << http_.asked[i];
  }
  http_.dialled.clear();
  options_.uses_proxy = true;
  ASSERT_TRUE(log_in());
  EXPECT_EQ(http_.dialled, std::vector<std::string>(http_.asked.size(), ""))
      << "what names mean is the proxy's business";
}

TEST_F(OauthOnTheWeb, NobodyIsSentToThisMachineOrAPrivateNetwork) {
  for (const char* place : {"http://127.0.0.1:8080", "http://localhost:9", "http://[::1]:9", "https://10.0.0.5",
                            "https://inside.example"}) {
    expect_refused(place, "Bearer resource_metadata=\"" + std::string(place) + "/x\"");
    describe(place);
    expect_refused(place);
    describe(kIssuer);
    for (const char* endpoint : {"token_endpoint", "registration_endpoint", "authorization_endpoint"}) {
      http_.answers[kMetadata] = metadata({{endpoint, std::string(place) + "/x"}});
      expect_refused(place);
    }
    http_.answers[kMetadata] = metadata({});
  }
  EXPECT_EQ(browser_.visits, 0);
  ASSERT_TRUE(log_in());
}

TEST_F(OauthOnTheWeb, ADocumentThatTakesAnothersNameIsRefused) {
  options_.authorization_server_url = "https://evil.example/as.json";
  http_.answers["https://evil.example/as.json"] = metadata({{"token_endpoint", "https://evil.example/token"}});
  expect_refused("https://evil.example/token");
  EXPECT_EQ(browser_.visits, 0);
  options_.authorization_server_url = kMetadata;
  EXPECT_TRUE(log_in());
  options_.authorization_server_url = "http://login.example/as.json";
  expect_refused("http://login.example");
}

TEST_F(OauthOnTheWeb, NobodyLogsInOverAnOpenLine) {
  options_.url = "http://mcp.example/mcp";
  expect_refused("mcp.example");
  store_.save("token http://mcp.example/mcp", JsonObject{{"access_token", "secret"}});
  OauthAuthorizer login(http_, clock_, store_, options_);
  EXPECT_TRUE(login.headers({})->empty());
}

TEST(OauthOptions, TheUsersSecretsAreNotForARepositorysServer) {
  TempFolder folder;
  std::ofstream(folder / "key.pem") << "key";
  const VariableLookup environment = [](const std::string& name) {
    return name.starts_with("MCP_") ? std::optional<std::string>("secret") : std::nullopt;
  };
  McpServerSettings settings{.name = "srv", .kind = McpKind::http, .url = "https://a.example"};
  settings.oauth = {.client_id = "c",
                    .private_key_file = folder / "key.pem",
                    .enterprise_token_endpoint = "https://idp.example/token"};
  const OauthOptions own = oauth_options(settings, environment, nullptr);
  EXPECT_EQ(own.client_secret, "secret");
  EXPECT_EQ(own.private_key, "key");
  EXPECT_TRUE(own.enterprise);
  settings.scope = McpScope::project;
  const OauthOptions projects = oauth_options(settings, environment, nullptr);
  EXPECT_EQ(projects.client_secret, "");
  EXPECT_EQ(projects.private_key, "");
  EXPECT_FALSE(projects.enterprise);
}

}  // namespace
}  // namespace deft
