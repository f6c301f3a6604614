#include "deft/tools/environment_use.h"

#include <gtest/gtest.h>

#include "deft/shell/parse.h"

namespace deft {
namespace {

bool depends(std::string_view command) {
  const auto script = shell::parse(command);
  EXPECT_TRUE(script) << command;
  const auto commands = shell::commands_of(*script, {.cwd = "/p", .home = "/h"});
  return uses_withheld_variable(command, commands, [](std::string_view name) { return name == "TOKEN"; });
}

TEST(EnvironmentUse, ACommandThatShowsAVariableItWouldMissDependsOnIt) {
  for (const char* command : {"echo $TOKEN", "echo \"a${TOKEN}b\"", "echo ${#TOKEN}", "echo ${TOKEN:-none}", "env",
                              "printenv PATH", "/usr/bin/env | sort", "ls; export -p", "x=TOKEN; echo ${!x}"}) {
    EXPECT_TRUE(depends(command)) << command;
  }
}

TEST(EnvironmentUse, OthersDoNot) {
  for (const char* command : {"ls", "echo $HOME", "for f in a b; do echo $f; done", "awk '{print $1, $NF}' file",
                              "grep -rn env .", "echo TOKEN", "echo $TOKENS", "echo $", "echo ${x#y}"}) {
    EXPECT_FALSE(depends(command)) << command;
  }
}

TEST(EnvironmentUse, WhatACommandSetsItselfIsItsOwn) {
  EXPECT_TRUE(sets_variable("x=1; echo $x", "x"));
  EXPECT_TRUE(sets_variable("for file in a b; do echo $file; done", "file"));
  EXPECT_TRUE(sets_variable("while read -r line; do echo $line; done", "line"));
  EXPECT_FALSE(sets_variable("echo $x ${x} ${#x} xx", "x"));
}

}  // namespace
}  // namespace deft
