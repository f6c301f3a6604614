#include "deft/core/web_host.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(WebHost, IsInLowerCaseWithoutPortAndDot) {
  EXPECT_EQ(web_host("https://Example.COM:8443/a?b#c"), "example.com");
  EXPECT_EQ(web_host("http://example.com./"), "example.com");
}

TEST(WebHost, AnAddressInNumbersHasOneSpelling) {
  for (const char* url :
       {"http://127.0.0.1/", "http://2130706433", "http://0x7f000001/", "http://0x7F.1/", "http://0177.0.0.1/",
        "http://127.1/", "http://127.0.1:80/", "http://127.0.0.1./", "http://017700000001/"}) {
    EXPECT_EQ(web_host(url), "127.0.0.1") << url;
  }
  EXPECT_EQ(web_host("http://0/"), "0.0.0.0");
  EXPECT_EQ(web_host("http://1.example.org/"), "1.example.org");
  for (const char* url : {"http://256.1.1.1/", "http://1.2.3.4.5/", "http://4294967296/", "http://1.2.3.08/",
                          "http://a.1/", "http://1.16777216/"}) {
    EXPECT_EQ(web_host(url), std::nullopt) << url;
  }
}

// It may look like another one: no rule speaks of it unless it is written as name servers know it.
TEST(WebHost, OfOtherAlphabetsIsNotUnderstood) {
  EXPECT_EQ(web_host("https://bücher.example/"), std::nullopt);
  EXPECT_EQ(web_host("https://example\u3002com/"), std::nullopt);
  EXPECT_EQ(web_host("wss://xn--bcher-kva.example:81/"), "xn--bcher-kva.example");
  EXPECT_EQ(web_host("https://１２７.0.0.1/"), std::nullopt);
}

TEST(WebHost, WhatCouldBeReadInTwoWaysHasNone) {
  for (const char* url : {"http://user@example.com/", "http://a\\@b/", "http://a b/", "http://%31/", "http://[::1]/",
                          "ftp://a/", "http:///x", "http://a..b/", "javascript:1"}) {
    EXPECT_EQ(web_host(url), std::nullopt) << url;
  }
}

}  // namespace
}  // namespace deft
