#include "deft/base/http_guard.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

int status(const HttpGuard& guard, HttpFields fields) {
  ReadRequest request;
  request.fields = std::move(fields);
  const auto refusal = guard.refusal(request);
  return refusal ? refusal->status : 200;
}

TEST(HttpGuard, LetsInWhoUsesANameOfOurs) {
  const HttpGuard guard({"box.example"}, 7000, "");
  for (const char* host : {"localhost:7000", "LocalHost", "127.0.0.1:7000", "[::1]:7000", "box.example:7000"}) {
    EXPECT_EQ(status(guard, {{"host", host}}), 200) << host;
  }
  for (const char* host : {"evil.example", "evil.example:7000", "localhost:7001", "localhost.evil.example:7000",
                           "127.0.0.1.evil.example", "", "localhost:7000:7000"}) {
    EXPECT_EQ(status(guard, {{"host", host}}), 403) << host;
  }
  EXPECT_EQ(status(guard, {}), 403);
}

TEST(HttpGuard, PagesOfOtherSitesAreKeptOut) {
  const HttpGuard guard({}, 7000, "");
  const auto from = [&](const char* origin) { return status(guard, {{"host", "localhost"}, {"origin", origin}}); };
  EXPECT_EQ(from("http://localhost:7000"), 200);
  EXPECT_EQ(from("http://127.0.0.1"), 200);
  for (const char* origin : {"http://evil.example", "null", "", "https://localhost.evil.example", "file://localhost",
                             "http://localhost@evil.example"}) {
    EXPECT_EQ(from(origin), 403) << origin;
  }
}

TEST(HttpGuard, OnlyWhoHasTheTokenIsLetIn) {
  const std::string token(64, 'a');
  const HttpGuard guard({}, 7000, token);
  const auto with = [&](std::string given) {
    return status(guard, {{"host", "localhost"}, {"authorization", std::move(given)}});
  };
  EXPECT_EQ(with("Bearer " + token), 200);
  EXPECT_EQ(with("bearer " + token), 200);
  for (const std::string& given : {std::string(), token, "Bearer " + token + "a", "Bearer " + token.substr(1),
                                   "Basic " + token, std::string("Bearer "), "Bearer  " + token}) {
    EXPECT_EQ(with(given), 401) << given;
  }
  EXPECT_EQ(status(guard, {{"host", "localhost"}}), 401);
  EXPECT_EQ(status(guard, {{"host", "evil.example"}, {"authorization", "Bearer " + token}}), 403);
}

TEST(EqualInConstantTime, IsEqualOnlyIfEqual) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abcabc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abcabc"));
  EXPECT_FALSE(equal_in_constant_time("a", ""));
  EXPECT_FALSE(equal_in_constant_time("", "a"));
}

TEST(LoopbackHost, IsOnlyThisMachine) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"}) EXPECT_TRUE(is_loopback_host(host));
  for (const char* host : {"0.0.0.0", "::", "127.0.0.1.evil.example", "10.0.0.1"}) EXPECT_FALSE(is_loopback_host(host));
}

}  // namespace
}  // namespace deft
