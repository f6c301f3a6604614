#include "deft/base/host_name.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(AsciiHost, OtherAlphabetsAreWrittenAsNameServersKnowThem) {
  EXPECT_EQ(ascii_host("münchen.de"), "xn--mnchen-3ya.de");
  EXPECT_EQ(ascii_host("MÜNCHEN.de"), "xn--mnchen-3ya.de");
  EXPECT_EQ(ascii_host("bücher.example.com"), "xn--bcher-kva.example.com");
  EXPECT_EQ(ascii_host("例え.テスト"), "xn--r8jz45g.xn--zckzah");
  EXPECT_EQ(ascii_host("例え。テスト"), "xn--r8jz45g.xn--zckzah");
  EXPECT_EQ(ascii_host("пример.испытание"), "xn--e1afmkfd.xn--80akhbyknj4f");
  EXPECT_EQ(ascii_host("ПРИМЕР.ИСПЫТАНИЕ"), "xn--e1afmkfd.xn--80akhbyknj4f");
  EXPECT_EQ(ascii_host("παράδειγμα.δοκιμή"), "xn--hxajbheg2az3al.xn--jxalpdlp");
  EXPECT_EQ(ascii_host("faß.de"), "xn--fa-hia.de");
  EXPECT_EQ(ascii_host("한국.kr"), "xn--3e0b707e.kr");
}

TEST(AsciiHost, WhatIsPlainStaysButForItsCase) {
  EXPECT_EQ(ascii_host("Example.COM"), "example.com");
  EXPECT_EQ(ascii_host("xn--mnchen-3ya.de"), "xn--mnchen-3ya.de");
  EXPECT_EQ(ascii_host(""), "");
}

TEST(AsciiHost, WhatCouldMeanAnotherHostIsNone) {
  for (const char* host : {"１２７.0.0.1", "ｅxample.com", "ⓔxample.com", "exam­ple.com", "mu\u0308nchen.de",
                           "a\u200Db.com", "ℂ.com", "ﬁ.com", "x\xFF.com", "ſ.com", "𝐞.com", "a\u2024com", "-ü.de"}) {
    EXPECT_EQ(ascii_host(host), std::nullopt) << host;
  }
}

}  // namespace
}  // namespace deft
