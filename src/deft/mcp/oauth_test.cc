#include "deft/mcp/oauth.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

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
      if (request.path == "/.well-known/oauth-protected-resource/mcp") {
        return answer.send(
            200, kJson,
            to_json(JsonObject{{"resource", base + "/mcp"}, {"authorization_servers", JsonArray{Json(base)}}}));
      }
      if (request.path == "/.well-known/oauth-authorization-server") {
        JsonObject document{{"issuer", base},
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
      (void)fetch(http, {.url = back + "?code=yes&state=s", .body_bytes_max = 1000}, {});
    });
  });
  ASSERT_TRUE(browser->redirect_uri());
  const auto query = browser->visit("https://as.example/authorize", {});
  ASSERT_TRUE(query);
  EXPECT_EQ(*query, "code=yes&state=s");
  EXPECT_EQ(shown, "https://as.example/authorize");
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

}  // namespace
}  // namespace deft
