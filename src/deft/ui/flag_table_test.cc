#include "deft/ui/flag_table.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

constexpr Flag kTable[] = {
    {.names = "-p, --print", .help = "Prints.", .group = "First"},
    {.names = "--model", .takes = Flag::Takes::value, .value = "NAME", .help = "Which model."},
    {.names = "-r, --resume",
     .takes = Flag::Takes::optional_value,
     .value = "ID",
     .help = "Goes on.",
     .group = "Second"},
    {.names = "--allowedTools, --allowed-tools", .takes = Flag::Takes::list, .value = "RULES", .help = "Allowed."},
    {.names = "-q, --quiet", .takes = Flag::Takes::nothing},
};

Result<FlagValues> parse(std::vector<const char*> arguments) { return parse_flags(kTable, arguments); }

TEST(FlagTable, ValuesFollowOrStandBehindAnEqualsSign) {
  const auto both = parse({"--model", "a", "say it", "-p"});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->value("--model"), "a");
  EXPECT_TRUE(both->has("--print"));
  EXPECT_EQ(both->words(), std::vector<std::string>{"say it"});
  EXPECT_EQ(parse({"--model="})->value("--model"), "");
  EXPECT_EQ(parse({"--model=a=b"})->value("--model"), "a=b");
  EXPECT_EQ(parse({"--model", ""})->value("--model"), "");
}

TEST(FlagTable, TheLastOfSeveralCounts) { EXPECT_EQ(parse({"--model", "a", "--model", "b"})->value("--model"), "b"); }

TEST(FlagTable, AValueMayBeginWithADash) { EXPECT_EQ(parse({"--model", "-x"})->value("--model"), "-x"); }

TEST(FlagTable, AnOptionalValueIsTakenUnlessAFlagFollows) {
  EXPECT_EQ(parse({"-r", "abc", "words"})->value("--resume"), "abc");
  const auto alone = parse({"--resume", "-p"});
  EXPECT_TRUE(alone->has("--resume"));
  EXPECT_EQ(alone->value("--resume"), std::nullopt);
}

TEST(FlagTable, AListGoesOnUntilTheNextFlag) {
  const auto list = parse({"--allowed-tools", "Read", "Bash(git log *)", "-p", "go"});
  EXPECT_EQ(list->all("--allowedTools"), (std::vector<std::string>{"Read", "Bash(git log *)"}));
  EXPECT_EQ(list->words(), std::vector<std::string>{"go"});
}

TEST(FlagTable, TwoDashesEndTheFlags) {
  EXPECT_EQ(parse({"-p", "--", "--model", "x"})->words(), (std::vector<std::string>{"--model", "x"}));
}

TEST(FlagTable, ShortFlagsMayShareAWordAndTheLastHasItsValueAtOnceOrBehindIt) {
  const auto both = parse({"-pq", "go"});
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->has("--print"));
  EXPECT_TRUE(both->has("--quiet"));
  EXPECT_EQ(both->words(), std::vector<std::string>{"go"});
  EXPECT_EQ(parse({"-pr", "abc"})->value("--resume"), "abc");
  EXPECT_EQ(parse({"-prabc"})->value("--resume"), "abc");
  EXPECT_EQ(parse({"-px"}).error().message, R"(there is no option "-px")");
}

TEST(FlagTable, WhatIsWrongIsNamed) {
  EXPECT_EQ(parse({"--Model", "x"}).error().message, R"(there is no option "--Model"; is --model meant?)");
  EXPECT_NE(parse({"--faster"}).error().message.find("--faster"), std::string::npos);
  EXPECT_NE(parse({"--model"}).error().message.find("--model needs a value"), std::string::npos);
  EXPECT_NE(parse({"--print=yes"}).error().message.find("takes no value"), std::string::npos);
  EXPECT_NE(parse({"--allowedTools", "-p"}).error().message.find("needs a value"), std::string::npos);
}

TEST(FlagTable, TheHelpHasAHeadingForEachGroupAndLeavesOutWhatHasNone) {
  const std::string help = flags_help(kTable);
  EXPECT_NE(help.find("\nFirst:\n  -p, --print"), std::string::npos);
  EXPECT_NE(help.find("\nSecond:\n  -r, --resume [ID]"), std::string::npos);
  EXPECT_EQ(help.find("--quiet"), std::string::npos);
}

TEST(FlagTable, RulesAreSplitOutsideOfParentheses) {
  EXPECT_EQ(split_rules("Read,Bash(git log:*, -x) Edit,, "),
            (std::vector<std::string>{"Read", "Bash(git log:*, -x)", "Edit"}));
  EXPECT_TRUE(split_rules("").empty());
}

}  // namespace
}  // namespace deft
