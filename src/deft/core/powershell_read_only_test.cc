#include "deft/core/powershell_read_only.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(PowerShellReadOnly, KnowsAFewCommandsThatOnlyLook) {
  for (const char* line :
       {"Get-ChildItem", "gci src -Recurse", "ls", "cat a.txt | select-string error", "Get-Content a.txt; Get-Location",
        "Get-Process | Sort-Object CPU | Select-Object -First 5", "Test-Path a && Get-Item a", "dir *.cc | measure"}) {
    EXPECT_TRUE(is_read_only_powershell(line)) << line;
  }
}

TEST(PowerShellReadOnly, WhateverElseIsNot) {
  for (const char* line : {"",
                           "Remove-Item a",
                           "rm a",
                           "Get-Content a > b",
                           "Get-Content a | Set-Content b",
                           "gci | % { rm $_ }",
                           "Get-Date; rm x",
                           "$x = 1",
                           "Get-Content (rm a)",
                           "& Get-Date",
                           "Get-Date &",
                           "./Get-Date",
                           "Evil\\Get-Date",
                           "get-date.exe",
                           "Get-ChildItem | tee out.txt",
                           "Invoke-WebRequest x",
                           "Get-Content -Wait a",
                           "Get-Content -w a",
                           "Get-Process -ComputerName x",
                           "Get-Content \\\\server\\share\\x",
                           "Get-Content //server/share/x",
                           "Get-Item Microsoft.PowerShell.Core\\FileSystem::/x",
                           "Get-Content 'a'",
                           "Get-Content `$x",
                           "git status",
                           "Get-ChildItem\nRemove-Item a",
                           "Out-File x",
                           "Get-Command x",
                           "Select-Object @{n=1}"}) {
    EXPECT_FALSE(is_read_only_powershell(line)) << line;
  }
}

}  // namespace
}  // namespace deft
