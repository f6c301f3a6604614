#include "deft/base/secret_mask.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

std::string masked(std::string_view text) { return SecretMask().masked(text); }

TEST(SecretMask, LeavesOrdinaryTextAlone) {
  for (const char* text :
       {"", "make test", "git log --oneline | head -5", "the token count is 5", "max_tokens: 4096", "a:b@c", "sk-short",
        "https://example.com/a:b@c", "password: $PASSWORD", "token=none", "\xFF\xFE\x01", "secret", "tokenizer: fast",
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", "user@host:path"}) {
    EXPECT_EQ(masked(text), text);
  }
}

TEST(SecretMask, KnowsTheKeysOfServicesByTheirBeginnings) {
  EXPECT_EQ(masked("key sk-" + std::string(30, 'a') + " end"), "key sk-aaaa**** end");
  EXPECT_EQ(masked("ghp_0123456789abcdef0123456789abcdef0123"), "ghp_0123****");
  EXPECT_EQ(masked("(AKIAIOSFODNN7EXAMPLE)"), "(AKIA****)");
  EXPECT_EQ(masked("x=AIzaSyA-1234567890abcdefghijklmnopqrstu"), "x=AIzaSyA-****");
}

TEST(SecretMask, KnowsValuesByTheirNames) {
  EXPECT_EQ(masked(R"({"api_key":"hunter2hunter2","n":1})"), R"({"api_key":"****","n":1})");
  EXPECT_EQ(masked("DB_PASSWORD=correct-horse make"), "DB_PASSWORD=**** make");
  EXPECT_EQ(masked("curl -H 'Authorization: Bearer abcdef123456' x"), "curl -H 'Authorization: Bearer ****' x");
  EXPECT_EQ(masked(R"(\"client-secret\": \"0123456789\")"), R"(\"client-secret\": \"****\")");
  EXPECT_EQ(masked("--access-token=abcdefgh&x=1"), "--access-token=****&x=1");
}

TEST(SecretMask, TakesPasswordsOutOfAddresses) {
  EXPECT_EQ(masked("git clone https://me:s3cret@host/x"), "git clone https://****@host/x");
  EXPECT_EQ(masked("postgres://u:p%40ss@db:5432/x"), "postgres://****@db:5432/x");
}

TEST(SecretMask, LeavesNothingOfAPrivateKey) {
  const std::string text = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAA\n-----END RSA PRIVATE KEY-----\nmore";
  EXPECT_EQ(masked(text), "-----BEGIN ****-----END RSA PRIVATE KEY-----\nmore");
  EXPECT_EQ(masked("-----BEGIN PRIVATE KEY-----\nMIIEow"), "-----BEGIN ****");
}

TEST(SecretMask, TakesOutWhatItWasToldWhereverItStands) {
  const SecretMask mask({"open-sesame-1", "open-sesame-12345", "short"});
  EXPECT_EQ(mask.masked("xopen-sesame-12345y"), "xopen****y");
  EXPECT_EQ(mask.masked("open-sesame-1 short"), "**** short") << "a short value is an ordinary word";
}

TEST(SecretMask, TakesOutWhatIsLeftOfAValueWhereATextWasCutOff) {
  const SecretMask mask({"open-sesame-1", "another-value"});
  EXPECT_EQ(mask.masked("Bash(login open-sesa…)"), "Bash(login ****…)");
  EXPECT_EQ(mask.masked("login open-sesame-"), "login ****");
  EXPECT_EQ(mask.masked("open-sesame or another day… open"), "open-sesame or another day… open");
  EXPECT_EQ(masked("curl sk-abcdefgh…"), "curl sk-****…");
}

TEST(SecretMask, LooksIntoJson) {
  const Json value = *parse_json(R"({"a":["AKIAIOSFODNN7EXAMPLE",1],"password":"x","max_tokens":5,"n":{"Token":"y"}})");
  EXPECT_EQ(to_json(SecretMask().masked_json(value)),
            R"({"a":["AKIA****",1],"password":"****","max_tokens":5,"n":{"Token":"****"}})");
}

TEST(SecretMask, OfTextsThatPeopleReadOnlyValuesAreMasked) {
  const SecretMask mask({"hunter2hunter2"});
  EXPECT_EQ(mask.masked_values("token = parser.next_token(); // hunter2hunter2"),
            "token = parser.next_token(); // ****");
  EXPECT_EQ(mask.masked_values("use sk-ant-api03-abcdefghijklmnop, password: swordfish"),
            "use sk-ant-****, password: swordfish");
  EXPECT_EQ(to_json(mask.masked_json_values(Json(JsonObject{{"password", "x hunter2hunter2"}}))),
            R"({"password":"x ****"})");
}

}  // namespace
}  // namespace deft
