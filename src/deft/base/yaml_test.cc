#include "deft/base/yaml.h"

#include <gtest/gtest.h>

#include <string>

namespace deft {
namespace {

std::string json_of(std::string_view text) {
  const auto value = parse_yaml(text);
  return value ? to_json(*value) : "error: " + value.error().message;
}

TEST(Yaml, MappingsListsAndTextsAreReadAsJson) {
  EXPECT_EQ(json_of("name: review\ntools:\n  - Read\n  - Grep\n"), R"({"name":"review","tools":["Read","Grep"]})");
  EXPECT_EQ(json_of("a: {b: [1, 'two', \"th\\u0072ee\"]}"), R"({"a":{"b":[1,"two","three"]}})");
  EXPECT_EQ(json_of("a: >\n  folded\n  text\nb: |\n  line 1\n  line 2\n"),
            R"({"a":"folded text\n","b":"line 1\nline 2\n"})");
}

TEST(Yaml, PlainScalarsAreWhatJsonWouldReadAndElseTheTextAsWritten) {
  EXPECT_EQ(json_of("[true, False, null, ~, 12, -3, 1.5, \"12\", 'true']"),
            R"([true,false,null,null,12,-3,1.5,"12","true"])");
  EXPECT_EQ(json_of("[yes, on, 1.2.3, 0x10, 012, 2026-01-02, .5, 1_000]"),
            R"(["yes","on","1.2.3","0x10","012","2026-01-02",".5","1_000"])");
}

TEST(Yaml, AnEmptyDocumentIsNullAndAnEmptyValueToo) {
  EXPECT_EQ(json_of(""), "null");
  EXPECT_EQ(json_of("# only a comment\n"), "null");
  EXPECT_EQ(json_of("a:\nb: ''\n"), R"({"a":null,"b":""})");
}

TEST(Yaml, TagsAreIgnored) {
  EXPECT_EQ(json_of("a: !!str 5\nb: !python/object:os.system [x]\n"), R"({"a":5,"b":["x"]})");
}

TEST(Yaml, AKeyThatIsThereTwiceIsAnErrorWithItsPlace) {
  EXPECT_EQ(json_of("a: 1\nb: 2\na: 3\n"), "error: line 3, column 1: \"a\" is there twice");
}

TEST(Yaml, AnchorsAndAliasesAreRefusedSoThatNoFewLinesStandForGigabytes) {
  EXPECT_NE(json_of("a: &x [1]\nb: *x\n").find("line 1, column 4: anchors"), std::string::npos);
  EXPECT_NE(json_of("a: *\n").find("error: line 1"), std::string::npos);
  EXPECT_NE(json_of("&a x: 1\n").find("a key must be a plain word"), std::string::npos);
}

TEST(Yaml, KeysThatAreListsOrMappingsAreRefused) {
  EXPECT_NE(json_of("? [a, b]\n: 1\n").find("a key must be a plain word"), std::string::npos);
}

TEST(Yaml, EveryLimitIsNamedWhenItIsReached) {
  EXPECT_NE(json_of(std::string(100, '[') + std::string(100, ']')).find("deeper than 16 levels"), std::string::npos);
  EXPECT_NE(json_of("[" + std::string(20'001, ',') + "]").find("error: "), std::string::npos);
  std::string many = "[";
  for (int i = 0; i < 10'001; ++i) many += "1, ";
  EXPECT_NE(json_of(many + "]").find("more than 10000 values"), std::string::npos);
  EXPECT_NE(json_of(std::string(70'000, 'a')).find("longer than"), std::string::npos);
}

TEST(Yaml, BrokenTextIsAnErrorWithItsPlace) {
  EXPECT_NE(json_of("a: b: c\n").find("error: line 1, column 5: "), std::string::npos);
  EXPECT_NE(json_of("a: 'never closed\n").find("error: line "), std::string::npos);
  EXPECT_NE(json_of("a: \x01\n").find("error: line "), std::string::npos);
  EXPECT_NE(json_of("a: \xff\n").find("not UTF-8"), std::string::npos);
  EXPECT_NE(json_of("a: 1\n--- \nb: 2\n").find("a second document"), std::string::npos);
}

}  // namespace
}  // namespace deft
