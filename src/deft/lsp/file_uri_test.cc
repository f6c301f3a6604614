#include "deft/lsp/file_uri.h"

#include <gtest/gtest.h>

namespace deft::lsp {
namespace {

TEST(FileUri, EveryPathComesBack) {
  for (const std::string path : {"/p/a.cc", "/p/a b#c?d%20.h", "/p/ä/中.py", "/p/C++/\xff\x01", "/"}) {
    EXPECT_EQ(path_of_uri(file_uri(path)), path);
  }
  EXPECT_EQ(file_uri("/p/a b+ä"), "file:///p/a%20b%2B%C3%A4");
}

TEST(FileUri, OfServersMeansTheSameHoweverItIsSpelled) {
  EXPECT_EQ(path_of_uri("file:///p/a%2bb"), "/p/a+b");
  EXPECT_EQ(path_of_uri("file:///p/a+b"), "/p/a+b");
  EXPECT_EQ(path_of_uri("FILE://localhost/p/./x/../a"), "/p/a");
  EXPECT_EQ(path_of_uri("file:///p/a#L3"), "/p/a");
}

TEST(FileUri, WhatIsNoFileOfThisMachineIsNone) {
  for (const char* uri : {"", "file:", "file://", "file://p/a", "file://host/p/a", "http:///p/a", "untitled:1",
                          "jdt://contents/x.class", "file:///p/%0", "file:///p/%zz", "file:///p/%00a", "/p/a"}) {
    EXPECT_EQ(path_of_uri(uri), std::nullopt) << uri;
  }
}

}  // namespace
}  // namespace deft::lsp
