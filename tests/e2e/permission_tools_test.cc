#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "deft/testing/places.h"
#include "deft_exec.h"

// deft permissions test and deft permissions simulate: rules tried out before anybody depends on them.

namespace deft::testing {
namespace {

class PermissionTools : public ::testing::Test {
 protected:
  // The output; what it ended with is in `exit_code`.
  std::string permissions(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {DEFT_PROGRAM, "permissions"});
    Program program({.argv = std::move(arguments),
                     .environment = {"PATH=/usr/bin:/bin", "HOME=" + home.path()},
                     .directory = folder.path()});
    program.close_input();
    std::string output;
    while (const auto line = program.read_line()) output += *line + "\n";
    exit_code = program.wait();
    return output;
  }

  const TempFolder folder;
  const TempFolder home;
  int exit_code = -1;
};

TEST_F(PermissionTools, ExamplesThatComeOutOtherwiseAreNamed) {
  const auto rules = [](std::string_view expected) {
    return R"json({"permissions":{"allow":["Bash(npm run test:*)"],"deny":["Read(.env)"]},
      "permissionExamples":{")json" +
           std::string(expected) + R"json(":["Bash(npm run test -- x)"],"deny":["Bash(cat .env)"]}})json";
  };
  const std::string right = folder.put("right.json", rules("allow"));
  EXPECT_EQ(permissions({"test", right}), "2 of 2 examples come out as they say\n");
  EXPECT_EQ(exit_code, 0);
  const std::string wrong = folder.put("wrong.json", rules("ask"));
  const std::string told = permissions({"test", wrong});
  EXPECT_EQ(exit_code, 1);
  EXPECT_TRUE(told.starts_with("\"Bash(npm run test -- x)\": allow, not ask")) << told;
  permissions({"test", folder.put("none.json", "{}")});
  EXPECT_EQ(exit_code, 2);
}

TEST_F(PermissionTools, ARuleIsTriedOnThePromptsOfAPastSession) {
  {
    DeftExec deft(folder, {"--session", "session"});
    deft.bash("1", "make test");
    deft.bash("2", "make test; touch more");
    deft.bash("3", "ls");  // nobody was asked
    EXPECT_EQ(deft.finish(), 0);
  }
  const std::string text = permissions({"simulate", "--rule", "Bash(make test)", "session"});
  EXPECT_EQ(exit_code, 0);
  EXPECT_TRUE(text.starts_with("2 calls, 2 questions without the rule, 1 with it\n  ask -> allow  1 x")) << text;
  const auto json = parse_json(permissions({"simulate", "--rule", "Bash", "--list", "deny", "--json", "session"}));
  ASSERT_TRUE(json);
  EXPECT_EQ(number_of(*json, "asked_after"), 0);
  EXPECT_EQ(find_array(*json, "changes")->size(), 2U);
  permissions({"simulate", "--rule", "Bash(", "session"});
  EXPECT_EQ(exit_code, 2);
}

TEST_F(PermissionTools, ACallIsCheckedByTheSettingsInForce) {
  folder.put("x", "");
  EXPECT_TRUE(permissions({"check", "Bash", "make"}).starts_with("ask\n"));
  home.put(".config/deft/settings.json", R"json({"permissions":{"allow":["Bash(make)"]}})json");
  EXPECT_TRUE(permissions({"check", "Bash", "make"}).starts_with("allow\n"));
  EXPECT_EQ(exit_code, 0);
}

}  // namespace
}  // namespace deft::testing
