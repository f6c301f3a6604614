#include "deft/core/schema_uri.h"

#include <gtest/gtest.h>

namespace deft::schema {
namespace {

TEST(SchemaUri, AReferenceIsResolvedAgainstItsBase) {
  struct Case {
    const char* base;
    const char* reference;
    const char* result;
  };
  // The first ones are the examples of RFC 3986, section 5.4.
  constexpr const char* kBase = "http://a/b/c/d;p?q";
  for (const auto& [base, reference, result] : {
           Case{kBase, "g:h", "g:h"},
           Case{kBase, "g", "http://a/b/c/g"},
           Case{kBase, "./g", "http://a/b/c/g"},
           Case{kBase, "g/", "http://a/b/c/g/"},
           Case{kBase, "/g", "http://a/g"},
           Case{kBase, "//g", "http://g"},
           Case{kBase, "?y", "http://a/b/c/d;p?y"},
           Case{kBase, "g?y", "http://a/b/c/g?y"},
           Case{kBase, "", "http://a/b/c/d;p?q"},
           Case{kBase, ".", "http://a/b/c/"},
           Case{kBase, "..", "http://a/b/"},
           Case{kBase, "../g", "http://a/b/g"},
           Case{kBase, "../..", "http://a/"},
           Case{kBase, "../../../g", "http://a/g"},
           Case{kBase, "/../g", "http://a/g"},
           Case{kBase, "g.", "http://a/b/c/g."},
           Case{kBase, "./g/.", "http://a/b/c/g/"},
           Case{kBase, "g/../h", "http://a/b/c/h"},
           Case{"", "item.json", "item.json"},
           Case{"", "a/../b", "/b"},
           Case{"http://host", "x", "http://host/x"},
           Case{"urn:uuid:1", "", "urn:uuid:1"},
           Case{"urn:uuid:1", "urn:uuid:2", "urn:uuid:2"},
       }) {
    EXPECT_EQ(resolve_uri(base, reference), result) << base << " + " << reference;
  }
}

TEST(SchemaUri, FragmentsAreSplitOffAndDecoded) {
  EXPECT_EQ(split_fragment("a#b#c").uri, "a");
  EXPECT_EQ(split_fragment("a#b#c").fragment, "b#c");
  EXPECT_EQ(split_fragment("a").fragment, "");
  EXPECT_EQ(percent_decode("/a%25b%C3%A9"), "/a%b\u00e9");
  EXPECT_EQ(percent_decode("%4"), std::nullopt);
  EXPECT_EQ(percent_decode("%zz"), std::nullopt);
}

}  // namespace
}  // namespace deft::schema
