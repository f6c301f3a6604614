#include "deft/config/front_matter.h"

#include <gtest/gtest.h>

#include <string>

namespace deft {
namespace {

using Words = std::vector<std::string>;

FrontMatter read(std::string_view text) {
  auto matter = read_front_matter(text);
  EXPECT_TRUE(matter.has_value()) << matter.error().message;
  return matter ? *std::move(matter) : FrontMatter{};
}

std::string error_of(std::string_view text) {
  const auto matter = read_front_matter(text);
  return matter ? "read: " + to_json(matter->values) : matter.error().message;
}

TEST(FrontMatter, StandsBetweenDashesAndTheBodyFollows) {
  const FrontMatter matter = read("---\nname: review\ndescription: Reviews code\n---\n# Review\n---\nmore\n");
  EXPECT_EQ(to_json(matter.values), R"({"name":"review","description":"Reviews code"})");
  EXPECT_EQ(matter.body, "# Review\n---\nmore\n");
  EXPECT_EQ(matter.body_line, 5U);
  EXPECT_TRUE(matter.taken_as_text.empty());
}

TEST(FrontMatter, AFileWithoutItIsAllBody) {
  EXPECT_EQ(read("# Title\n---\na: b\n---\n").body, "# Title\n---\na: b\n---\n");
  EXPECT_EQ(read("").body, "");
  EXPECT_EQ(read("----\na: b\n").body, "----\na: b\n");
  EXPECT_TRUE(read("# Title\n").values.empty());
}

TEST(FrontMatter, AByteOrderMarkAndWindowsLinesDoNotHideIt) {
  const FrontMatter matter = read("\xEF\xBB\xBF---\r\nname: a\r\n---\r\nbody\r\n");
  EXPECT_EQ(to_json(matter.values), R"({"name":"a"})");
  EXPECT_EQ(matter.body, "body\r\n");
}

TEST(FrontMatter, MayBeEmpty) {
  const FrontMatter matter = read("---\n---\nbody");
  EXPECT_TRUE(matter.values.empty());
  EXPECT_EQ(matter.body, "body");
}

TEST(FrontMatter, ThatNeverEndsIsAnError) {
  EXPECT_NE(error_of("---\nname: a\nbody\n").find("never ends"), std::string::npos);
  EXPECT_NE(error_of("---").find("never ends"), std::string::npos);
}

TEST(FrontMatter, ColonsInATextDoNotBreakIt) {
  const FrontMatter matter = read(
      "---\n"
      "name: helper\n"
      "description: Use this agent when: the user asks. Example: \"fix it\" # and more\n"
      "  Second line: also here\n"
      "tools: [Read, Grep]\n"
      "model: sonnet\n"
      "---\nbody\n");
  EXPECT_EQ(to_json(matter.values),
            R"({"name":"helper","description":"Use this agent when: the user asks. Example: \"fix it\" # and more )"
            R"(Second line: also here","tools":["Read","Grep"],"model":"sonnet"})");
  EXPECT_EQ(matter.taken_as_text, Words{"description"});
}

TEST(FrontMatter, BracketsAndStarsThatAreNoYamlAreText) {
  const FrontMatter matter = read("---\nargument-hint: [file] [lines]\ntools: *\nmore: @team\n---\n");
  EXPECT_EQ(to_json(matter.values), R"({"argument-hint":"[file] [lines]","tools":"*","more":"@team"})");
}

TEST(FrontMatter, WhatIsStructureAndBrokenStaysAnErrorWithItsLine) {
  EXPECT_EQ(error_of("---\nname: a\nhooks:\n  Stop: [\n---\n").substr(0, 7), "line 5,");
  EXPECT_EQ(error_of("---\nname: a\nwords without a key\n---\n").substr(0, 5), "line ");
  EXPECT_NE(error_of("---\njust a sentence\n---\n").find("\"key: value\""), std::string::npos);
}

TEST(FrontMatter, AKeyThatIsThereTwiceIsAnErrorAlsoWhereTheRestIsNoYaml) {
  EXPECT_NE(error_of("---\na: 1\na: 2\n---\n").find("\"a\" is there twice"), std::string::npos);
  EXPECT_EQ(error_of("---\na: 1\na: x: y\n---\n").substr(0, 5), "line ");
}

TEST(FrontMatter, IsBounded) {
  EXPECT_NE(error_of("---\na: " + std::string(70'000, 'x') + "\n---\n").find("longer than"), std::string::npos);
  EXPECT_NE(error_of("---\na: " + std::string(50, '[') + std::string(50, ']') + "\n---\n").find("deeper"),
            std::string::npos);
}

TEST(FrontMatterFields, BooleansAreReadAsPeopleWriteThem) {
  const JsonObject values = read("---\na: yes\nb: Off\nc: 1\nd: '0'\ne: True\nf:\ng: maybe\nh: [true]\n---\n").values;
  EXPECT_EQ(*bool_field(values, "a"), true);
  EXPECT_EQ(*bool_field(values, "b"), false);
  EXPECT_EQ(*bool_field(values, "c"), true);
  EXPECT_EQ(*bool_field(values, "d"), false);
  EXPECT_EQ(*bool_field(values, "e"), true);
  EXPECT_EQ(*bool_field(values, "f"), std::nullopt);
  EXPECT_EQ(*bool_field(values, "missing"), std::nullopt);
  EXPECT_EQ(bool_field(values, "g").error().message, "\"g\" must be true or false");
  EXPECT_FALSE(bool_field(values, "h").has_value());
}

TEST(FrontMatterFields, NumbersAndTruthValuesAreTextsToo) {
  const JsonObject values = read("---\na: 5\nb: true\nc: x\nd: [x]\n---\n").values;
  EXPECT_EQ(*text_field(values, "a"), "5");
  EXPECT_EQ(*text_field(values, "b"), "true");
  EXPECT_EQ(*text_field(values, "c"), "x");
  EXPECT_FALSE(text_field(values, "d").has_value());
}

TEST(FrontMatterFields, WordsComeFromAListOrFromOneText) {
  const JsonObject values = read(
                                "---\na: Read, Bash(git add *, -p) Grep\nb: [Read, 'Bash(npm run *)', '']\n"
                                "c: 'src/{a,b}/**, my docs/*'\nd: {x: 1}\ne: [[x]]\nf: ''\n---\n")
                                .values;
  EXPECT_EQ(*words_field(values, "a"), (Words{"Read", "Bash(git add *, -p)", "Grep"}));
  EXPECT_EQ(*words_field(values, "b"), (Words{"Read", "Bash(npm run *)"}));
  EXPECT_EQ(*words_field(values, "c", Separators::commas), (Words{"src/{a,b}/**", "my docs/*"}));
  EXPECT_FALSE(words_field(values, "d").has_value());
  EXPECT_FALSE(words_field(values, "e").has_value());
  EXPECT_EQ(*words_field(values, "f"), Words{});
  EXPECT_EQ(*words_field(values, "missing"), std::nullopt);
}

}  // namespace
}  // namespace deft
