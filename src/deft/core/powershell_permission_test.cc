#include "deft/core/powershell_permission.h"

#include <gtest/gtest.h>

#include "deft/base/path.h"
#include "deft/core/permission.h"

namespace deft {
namespace {

struct Lists {
  std::vector<std::string> allow = {};
  std::vector<std::string> deny = {};
  Mode mode = Mode::bypass;
};

std::string verdict(std::string_view command, const Lists& lists) {
  PermissionRules rules;
  for (const std::string& rule : lists.allow) rules.allow.push_back(read_rule(rule));
  for (const std::string& rule : lists.deny) rules.deny.push_back(read_rule(rule));
  PermissionSetup setup{.sources = {{.rules = rules}},
                        .mode = lists.mode,
                        .directory = "/home/u/project",
                        .home = "/home/u",
                        .directories = {"/home/u/project"}};
  setup.resolve = [](std::string_view path) -> std::optional<std::string> {
    if (path == "/home/u/project/link") return "/home/u/project/secret/key";
    return normal_path(path);
  };
  const Json input = JsonObject{{"command", command}};
  const Permissions permissions(std::move(setup));
  return std::string(to_string(permissions.decide({.tool = "PowerShell", .input = &input}).verdict));
}

TEST(PowerShellPermission, WhatMayNotBeReadIsNotReadByItsCmdlets) {
  const Lists lists{.deny = {"Read(secret/**)", "Read(.env)"}};
  for (const char* command :
       {"Get-Content secret/key", "gc ./secret/key", "cat secret\\key", "Get-Content -Path:secret/key",
        "Get-Content a,secret/key", "Get-Content \"secret/key\"", "Get-Content 'secret/key'", "type ../project/.env",
        "Get-Content ~/project/secret/key", "Get-Content /home/u/project/secret/key", "Get-Content link",
        "Copy-Item secret/key x", "$x = Get-Content secret/key", "Get-Content FileSystem::/home/u/project/.env",
        "git show secret/key", "[IO.File]::ReadAllText('.env')"}) {
    EXPECT_EQ(verdict(command, lists), "deny") << command;
  }
  for (const char* command : {"Get-Content s*/key", "Set-Location secret; Get-Content key", "gci -Recurse | gc",
                              "Get-Content $x", "Get-Content Temp:/x", "Copy-Item -Recurse . /tmp/x"}) {
    EXPECT_EQ(verdict(command, lists), "ask") << command;
  }
  for (const char* command : {"Get-Content src/a", "Get-ChildItem", "Get-ChildItem | Sort-Object Name", "git status"}) {
    EXPECT_EQ(verdict(command, lists), "allow") << command;
  }
}

TEST(PowerShellPermission, WhatMayNotBeChangedIsNotChangedByItsCmdlets) {
  const Lists lists{.deny = {"Edit(src/**)"}};
  for (const char* command : {"Set-Content src/a x", "echo x > src/a", "Remove-Item src/a", "Move-Item src/a b"}) {
    EXPECT_EQ(verdict(command, lists), "deny") << command;
  }
  EXPECT_EQ(verdict("Get-Content src/a", lists), "allow") << "it only reads";
  EXPECT_EQ(verdict("git checkout src/a", lists), "ask") << "what a program does, nobody can tell";
}

TEST(PowerShellPermission, RemovingWhatNobodyShouldLoseIsAskedForInEveryMode) {
  for (const char* command :
       {"Remove-Item -Recurse /", "rm -r ~", "ri .", "del /home/u", "Remove-Item *", "rd ..\\project", "rm /etc",
        "Remove-Item -Path:/usr", "gci / | Remove-Item", "cd /; rm usr", "Remove-Item $x", "& 'Remove-Item' x",
        "Rem`ove-Item x", "[IO.Directory]::Delete('/x', 1)", "rm a*/b", "Remove-Item C:\\"}) {
    EXPECT_EQ(verdict(command, {}), "ask") << command;
  }
  for (const char* command : {"Remove-Item build", "rm -r build/x", "Remove-Item *.tmp", "Get-Content /etc/hosts"}) {
    EXPECT_EQ(verdict(command, {}), "allow") << command;
  }
}

TEST(PowerShellPermission, ProtectedPlacesAreAskedForWhateverRulesAllow) {
  const Lists lists{.allow = {"PowerShell(Set-Content *)", "PowerShell(Get-Content *)"}, .mode = Mode::normal};
  EXPECT_EQ(verdict("Set-Content .git/hooks/pre-commit x", lists), "ask");
  EXPECT_EQ(verdict("Set-Content .git\\config x", lists), "ask");
  EXPECT_EQ(verdict("Set-Content a x", lists), "allow");
  EXPECT_EQ(verdict("Get-Content .git/config", lists), "allow");
}

TEST(PowerShellPermission, ARuleForANameDoesNotAllowAProgramOfThatNameElsewhere) {
  const Lists lists{.allow = {"PowerShell(git commit *)", "PowerShell(./build.ps1 *)", "PowerShell(Get-Date)"},
                    .mode = Mode::normal};
  for (const char* command : {"git commit x", "./build.ps1 x", ".\\build.ps1 x", "Get-Date"}) {
    EXPECT_EQ(verdict(command, lists), "allow") << command;
  }
  for (const char* command : {"./git commit x", "/tmp/git commit x", "evil\\git commit x", "/tmp/build.ps1 x",
                              "build.ps1 x", "./Get-Date", "Evil\\Get-Date", "sort -o x y"}) {
    EXPECT_EQ(verdict(command, lists), "ask") << command;
  }
  EXPECT_EQ(verdict("./git commit x", {.allow = {"PowerShell(*)"}, .mode = Mode::normal}), "allow");
}

}  // namespace
}  // namespace deft
