#include "deft/core/powershell_read_only.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(PowerShellReadOnly, KnowsAFewCommandsThatOnlyLook) {
  for (const char* line : {"Get-ChildItem", "get-childitem src -Recurse", "Get-Content a.txt | select-string error",
                           "Get-Content a.txt; Get-Location", "Get-Process | Sort-Object CPU | Select-Object -First:5",
                           "Test-Path a && Get-Item a", "Get-ChildItem *.cc | Measure-Object"}) {
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
                           "gci",
                           "ls",
                           "cat a",
                           "Get-Content a | sort -o b",
                           "compare a b c",
                           "diff a b",
                           "Get-Process -cn x",
                           "Get-ChildItem env:",
                           "Get-ChildItem -Path:wsman:x",
                           "Get-Content a,//server/x",
                           "Get-Content @x",
                           "Get-Content ${x}",
                           "[IO.File]::Delete('x')",
                           "pwsh -EncodedCommand ZQB4AGkAdAA=",
                           "Get-Content a 2>&1",
                           "Get-Content a # b",
                           "Get-Content \xE2\x80\x93Wait a",
                           "Get-Con`tent a",
                           ". Get-Date",
                           "Get-Date | & x",
                           "Get-Item x -OutVariable:(rm y)",
                           "Get-Date || rm x",
                           "foreach ($i in 1) { rm x }",
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
