#include "deft/core/rule.h"

#include <gtest/gtest.h>

#include "deft/core/rule_meaning.h"

namespace deft {
namespace {

const PatternPlace kPlace{.directory = "/p", .home = "/home/me", .source_root = "/p"};

RuleMeaning meaning(std::string_view text, RuleList list) { return meaning_of(read_rule(text), list, kPlace); }

TEST(Rule, HasAToolAndPerhapsASpecifier) {
  EXPECT_EQ(parse_rule("Bash")->tool, "Bash");
  EXPECT_FALSE(parse_rule("Bash")->specifier);
  EXPECT_EQ(parse_rule("Bash(echo (x))")->specifier, "echo (x)");
  EXPECT_EQ(parse_rule("Task(Explore)")->tool, "Agent");
  EXPECT_EQ(parse_rule("mcp__my.server__x")->tool, "mcp__my_server__x");
}

TEST(Rule, ThatIsBrokenIsNamedWithItsReason) {
  for (const char* broken : {"", "Bash(rm", "(x)", "a b", "Bash()", "Bash( )", "Bash)x"}) {
    const auto rule = parse_rule(broken);
    ASSERT_FALSE(rule) << broken;
    EXPECT_NE(rule.error().message.find(json_quote(broken)), std::string::npos) << rule.error().message;
  }
  const auto rules = parse_permission_rules(*parse_json(R"json({"deny":["Bash(rm",1],"allow":["Read"]})json"));
  ASSERT_TRUE(rules);
  EXPECT_TRUE(rules->deny[0].problem);
  EXPECT_EQ(rules->deny[0].tool, "Bash") << "so that only Bash is asked for";
  EXPECT_TRUE(rules->deny[1].problem);
  EXPECT_FALSE(parse_permission_rules(*parse_json(R"({"deny":"Bash"})")));
}

TEST(Rule, OfToolsWithPathsOtherThanReadAndEditMatchesNothingAndSaysSo) {
  for (const char* text : {"Write(a)", "NotebookEdit(a)", "Glob(a)", "Grep(a)", "MultiEdit(a)", "Bash(command:ls)"}) {
    const RuleMeaning found = meaning(text, RuleList::deny);
    EXPECT_TRUE(std::holds_alternative<Inert>(found.what)) << text;
    EXPECT_FALSE(found.warning.empty()) << text;
  }
}

TEST(Rule, WithAStarInItsNameAllowsOnlyBehindAServer) {
  EXPECT_TRUE(std::holds_alternative<Inert>(meaning("*", RuleList::allow).what));
  EXPECT_TRUE(std::holds_alternative<Inert>(meaning("mcp__*", RuleList::allow).what));
  EXPECT_TRUE(std::holds_alternative<WholeTool>(meaning("mcp__a__get_*", RuleList::allow).what));
  EXPECT_TRUE(std::holds_alternative<WholeTool>(meaning("*", RuleList::deny).what));
}

TEST(Rule, ThatNobodyUnderstandsIsBrokenWhateverItsList) {
  for (const char* text : {"TodoWrite(x)", "WebFetch(example.com)", "WebFetch(domain:)", "Read(~other/x)", "Read(!x)",
                           "Read(a/../b)", "Bash(:*)"}) {
    EXPECT_TRUE(std::holds_alternative<Broken>(meaning(text, RuleList::deny).what)) << text;
    EXPECT_TRUE(std::holds_alternative<Broken>(meaning(text, RuleList::allow).what)) << text;
  }
}

TEST(CommandPattern, EndsAtAWordWhereItSaysSo) {
  const auto matches = [](std::string_view pattern, std::string_view command) {
    return CommandPattern::compile(pattern)->matches(command);
  };
  EXPECT_TRUE(matches("ls *", "ls"));
  EXPECT_TRUE(matches("ls *", "ls -la"));
  EXPECT_FALSE(matches("ls *", "lsof"));
  EXPECT_TRUE(matches("ls*", "lsof"));
  EXPECT_TRUE(matches("npm run test:*", "npm run test"));
  EXPECT_TRUE(matches("npm run test:*", "npm run test -- x"));
  EXPECT_FALSE(matches("npm run test:*", "npm run test:unit"));
  EXPECT_TRUE(matches("npm run test:unit", "npm run test:unit")) << "elsewhere a colon is a colon";
  EXPECT_TRUE(matches("git * main", "git push origin main"));
  EXPECT_FALSE(matches("git * main", "git push origin main2"));
  EXPECT_FALSE(matches("a*a", "a")) << "what stands before a star and what stands behind it do not overlap";
  EXPECT_TRUE(matches("* --version", "node --version"));
}

TEST(CommandPattern, KnowsWhetherABeginningMayStillMatch) {
  const auto pattern = *CommandPattern::compile("git push *");
  EXPECT_TRUE(pattern.may_match_beginning(""));
  EXPECT_TRUE(pattern.may_match_beginning("git "));
  EXPECT_TRUE(pattern.may_match_beginning("git push -f"));
  EXPECT_FALSE(pattern.may_match_beginning("git pull"));
  EXPECT_FALSE(CommandPattern::compile("git push")->may_match_beginning("git push -f"));
}

TEST(PathPattern, HasFourAnchors) {
  const auto matches = [](std::string_view pattern, std::string_view path, RuleList list = RuleList::deny) {
    const PatternPlace place{.directory = "/p", .home = "/home/me", .source_root = "/settings"};
    return PathPattern::compile(pattern, list, place)->matches(path);
  };
  EXPECT_TRUE(matches("//etc/x", "/etc/x"));
  EXPECT_FALSE(matches("//etc/x", "/p/etc/x"));
  EXPECT_TRUE(matches("~/a/b", "/home/me/a/b"));
  EXPECT_TRUE(matches("/a", "/settings/a"));
  EXPECT_FALSE(matches("/a", "/p/a"));
  EXPECT_FALSE(matches("/a", "/settings/b/a"));
  EXPECT_TRUE(matches("a/b", "/p/a/b"));
  EXPECT_TRUE(matches("./a/b", "/p/a/b"));
  EXPECT_FALSE(matches("a/b", "/p/c/a/b"));
  EXPECT_TRUE(matches("../q/*", "/q/x"));
}

TEST(PathPattern, MeansABareNameAtAnyDepthAndWhatAFolderHolds) {
  const auto matches = [](std::string_view pattern, std::string_view path, RuleList list) {
    return PathPattern::compile(pattern, list, kPlace)->matches(path);
  };
  for (const RuleList list : {RuleList::allow, RuleList::deny}) {
    EXPECT_TRUE(matches(".env", "/p/.env", list));
    EXPECT_TRUE(matches(".env", "/p/a/b/.env", list));
    EXPECT_FALSE(matches(".env", "/q/.env", list));
    EXPECT_TRUE(matches("*.pem", "/p/a/x.pem", list));
    EXPECT_TRUE(matches("src", "/p/src/a/b", list));
    EXPECT_TRUE(matches("src/", "/p/src/a", list));
    EXPECT_TRUE(matches("src/*.c", "/p/src/a.c", list));
    EXPECT_FALSE(matches("src/*.c", "/p/src/b/a.c", list));
    EXPECT_TRUE(matches("src/**/a.c", "/p/src/b/c/a.c", list));
    EXPECT_TRUE(matches("dir/**", "/p/dir/x", list));
    EXPECT_FALSE(matches("dir/**", "/p/dir", list));
    EXPECT_FALSE(matches("/dir/**", "/p/a/dir/x", list));
  }
  EXPECT_TRUE(matches("dir/**", "/p/a/dir/x", RuleList::deny)) << "one segment: denied at any depth";
  EXPECT_FALSE(matches("dir/**", "/p/a/dir/x", RuleList::allow)) << "but allowed only at the anchor";
  EXPECT_FALSE(matches("a/dir/**", "/p/b/a/dir/x", RuleList::deny));
}

}  // namespace
}  // namespace deft
