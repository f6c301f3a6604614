#include "deft/mcp/oauth_metadata.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using Texts = std::vector<std::string>;

JsonObject server_document() {
  return {{"issuer", "https://as.example"},
          {"authorization_endpoint", "https://as.example/authorize"},
          {"token_endpoint", "https://as.example/token"},
          {"code_challenge_methods_supported", JsonArray{"S256"}}};
}

TEST(OauthMetadata, AChallengeIsRead) {
  const auto challenge =
      read_challenge({{"WWW-Authenticate", R"(Bearer realm="x", scope="a b", error="insufficient_scope",
resource_metadata="https://a.example/m?q=\"1\"")"}});
  EXPECT_EQ(challenge.scope, "a b");
  EXPECT_EQ(challenge.error, "insufficient_scope");
  EXPECT_EQ(read_challenge({{"www-authenticate", "Basic realm=x, bearer scope=a"}}).scope, "a");
  EXPECT_EQ(read_challenge({{"www-authenticate", "Bearer"}}).scope, "");
  EXPECT_EQ(read_challenge({}).scope, "");
}

TEST(OauthMetadata, TheServersDescriptionIsLookedForBelowItsPathAndThenAtItsRoot) {
  EXPECT_EQ(protected_resource_urls("https://a.example/mcp", {}),
            (Texts{"https://a.example/.well-known/oauth-protected-resource/mcp",
                   "https://a.example/.well-known/oauth-protected-resource"}));
  EXPECT_EQ(protected_resource_urls("https://a.example/", {}),
            (Texts{"https://a.example/.well-known/oauth-protected-resource"}));
  EXPECT_EQ(protected_resource_urls("https://a.example/mcp", {.resource_metadata = "https://a.example/here"}),
            (Texts{"https://a.example/here"}));
}

TEST(OauthMetadata, ADescriptionOnAnOpenLineElsewhereIsNotFetched) {
  EXPECT_EQ(protected_resource_urls("https://a.example/mcp", {.resource_metadata = "http://10.0.0.1/secret"}).front(),
            "https://a.example/.well-known/oauth-protected-resource/mcp");
}

TEST(OauthMetadata, AServerThatSaysToBeAnotherIsRefused) {
  const auto read = [](std::string_view resource) {
    return read_protected_resource(JsonObject{{"resource", resource}}, "https://a.example/mcp/x").has_value();
  };
  EXPECT_TRUE(read("https://a.example/mcp/x"));
  EXPECT_TRUE(read("https://a.example/mcp"));
  EXPECT_TRUE(read("https://a.example"));
  EXPECT_FALSE(read("https://a.example/mc"));
  EXPECT_FALSE(read("https://evil.example/mcp"));
  EXPECT_FALSE(read("http://a.example/mcp"));
  EXPECT_FALSE(read(""));
}

TEST(OauthMetadata, TheAuthorizationServerIsLookedForInItsPlaces) {
  EXPECT_EQ(authorization_server_urls("https://as.example"),
            (Texts{"https://as.example/.well-known/oauth-authorization-server",
                   "https://as.example/.well-known/openid-configuration"}));
  EXPECT_EQ(authorization_server_urls("https://as.example/tenant"),
            (Texts{"https://as.example/.well-known/oauth-authorization-server/tenant",
                   "https://as.example/.well-known/openid-configuration/tenant",
                   "https://as.example/tenant/.well-known/openid-configuration"}));
}

TEST(OauthMetadata, AnAuthorizationServerMustBeWhoWasAskedForAndSafe) {
  EXPECT_TRUE(read_authorization_server(server_document(), "https://as.example"));
  EXPECT_FALSE(read_authorization_server(server_document(), "https://as.example/"));
  JsonObject open = server_document();
  open["token_endpoint"] = "http://as.example/token";
  EXPECT_FALSE(read_authorization_server(open, "https://as.example"));
  JsonObject plain = server_document();
  plain["code_challenge_methods_supported"] = JsonArray{"plain"};
  EXPECT_FALSE(read_authorization_server(plain, "https://as.example"));
  plain.erase("code_challenge_methods_supported");
  EXPECT_FALSE(read_authorization_server(plain, "https://as.example"));
}

TEST(OauthMetadata, OnlyThisMachineMayDoWithoutTls) {
  EXPECT_TRUE(is_safe_oauth_url("https://a.example"));
  EXPECT_TRUE(is_safe_oauth_url("http://localhost:1/x"));
  EXPECT_TRUE(is_safe_oauth_url("http://127.0.0.1/x"));
  EXPECT_FALSE(is_safe_oauth_url("http://a.example"));
  EXPECT_FALSE(is_safe_oauth_url("http://localhost.evil.example"));
  EXPECT_FALSE(is_safe_oauth_url("http://127.evil.example"));
  EXPECT_FALSE(is_safe_oauth_url("ftp://a.example"));
}

TEST(OauthMetadata, FormsAreWrittenAndReadBack) {
  const FormFields fields{{"a b", "c&d=e"}, {"f", "\u00e9+%"}, {"g", ""}};
  EXPECT_EQ(form_encode(fields), "a%20b=c%26d%3De&f=%C3%A9%2B%25&g=");
  EXPECT_EQ(form_decode(form_encode(fields)), fields);
  EXPECT_EQ(form_decode("a=1+2&b&=c&%zz=%4"), (FormFields{{"a", "1 2"}, {"b", ""}, {"", "c"}, {"%zz", "%4"}}));
}

TEST(OauthMetadata, ScopesAreJoinedEachOnce) {
  EXPECT_EQ(join_scopes(all_scopes(split_scopes("a  b"), split_scopes("b c"))), "a b c");
}

}  // namespace
}  // namespace deft
