#include "deft/core/powershell_line.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using Names = std::vector<std::string>;

TEST(PowerShellLine, AliasesAndCaseAreSpelledAsTheCmdlet) {
  for (const char* text :
       {"gci x", "ls x", "DIR x", "Get-ChildItem x", "Microsoft.PowerShell.Management\\Get-ChildItem x"}) {
    EXPECT_EQ(powershell_spelling(text), "get-childitem x") << text;
  }
  EXPECT_EQ(powershell_spelling("git.exe push"), "git push");
  EXPECT_EQ(powershell_spelling("rm:*"), "remove-item *") << "a rule's text";
}

TEST(PowerShellLine, PlainCommandsAreToldApart) {
  const PowerShellLine line = read_powershell_line("ls x | git add . && git commit -m x || rd y; cd z");
  EXPECT_FALSE(line.not_understood);
  EXPECT_EQ(line.commands,
            (Names{"get-childitem x", "git add .", "git commit -m x", "remove-item y", "set-location z"}));
}

TEST(PowerShellLine, WhateverElseItHoldsIsNotUnderstoodButStillSearched) {
  for (const char* text :
       {"ls $(rm x)", "ls; & 'rm' x", "iex 'rm x'", "ls { rm x }", "ls & rm x", "ls `\nrm x", "% { rm x }"}) {
    const PowerShellLine line = read_powershell_line(text);
    EXPECT_TRUE(line.not_understood) << text;
    bool found = false;
    for (const std::string& command : line.commands) found = found || command.starts_with("remove-item");
    EXPECT_TRUE(found) << text;
  }
}

}  // namespace
}  // namespace deft
