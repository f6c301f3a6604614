#include "deft/tools/powershell.h"

#include <gtest/gtest.h>

#include "deft/os/disk_files.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/any_session.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"

namespace deft {
namespace {

// There is no PowerShell on most machines: a program in its place that writes down how it was called.
class PowerShellToolTest : public testing::Test {
 protected:
  PowerShellToolTest() {
    folder.put("bin/pwsh",
               "#!/bin/sh\nfor word in \"$@\"; do printf '<%s>' \"$word\"; done\nprintf ' in %s' \"$(pwd)\"\n", 0755);
    bench.use(processes);
  }
  std::string run(std::string_view command) {
    const auto result = bench.call(*tool, JsonObject{{"command", command}});
    return result ? result->text : result.error().message;
  }

  TempFolder folder;
  TempFolder project;
  SystemClock clock;
  WardenProcesses processes{clock};
  DiskFiles files{Survives::killed, folder.path()};
  ToolBench bench{files, project.path()};
  BashOptions options{.profile = UseProfile::never};
  std::shared_ptr<Tool> tool = make_powershell_tool(folder / "bin/pwsh", options, std::make_shared<BackgroundTasks>());
};

TEST_F(PowerShellToolTest, GivesTheCommandAsOneWordAndNothingToBeAskedFor) {
  EXPECT_EQ(run("Get-Date; $x = \"a b\" | % { $_ }"),
            "<-NoLogo><-NoProfile><-NonInteractive><-Command><Get-Date; $x = \"a b\" | % { $_ }> in " + project.path());
}

TEST_F(PowerShellToolTest, AFailureIsOne) {
  folder.put("bin/pwsh", "#!/bin/sh\necho it broke; exit 3\n", 0755);
  const auto result = bench.call(*tool, JsonObject{{"command", "grep x"}});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->error, Errc::failed);
  EXPECT_EQ(result->text, "Exit code 3\nit broke");
  folder.put("bin/pwsh", "#!/bin/sh\nexit 1\n", 0755);
  EXPECT_TRUE(bench.call(*tool, JsonObject{{"command", "grep x"}})->is_error())
      << "what bash's programs mean by 1 is not meant here";
}

TEST_F(PowerShellToolTest, GoesToTheBackgroundIfItIsAskedTo) {
  const auto result = bench.call(*tool, JsonObject{{"command", "x"}, {"run_in_background", true}});
  ASSERT_TRUE(result.has_value());
  EXPECT_NE(find_string(result->details, "backgroundTaskId"), std::nullopt);
}

TEST_F(PowerShellToolTest, OnlyWithTheSandboxAnythingCountsAsReadOnly) {
  EXPECT_TRUE(tool->is_read_only(JsonObject{{"command", "Get-ChildItem"}}, any_session()));
  EXPECT_FALSE(tool->is_read_only(JsonObject{{"command", "Remove-Item x"}}, any_session()));
  EXPECT_TRUE(tool->footprint(JsonObject{{"command", "Remove-Item x"}}, any_session())->is_everything());
  const auto open = make_powershell_tool(folder / "bin/pwsh", {.sandbox = false}, std::make_shared<BackgroundTasks>());
  EXPECT_FALSE(open->is_read_only(JsonObject{{"command", "Get-ChildItem"}}, any_session()));
}

TEST_F(PowerShellToolTest, IsToldToKeepToItself) {
  folder.put("bin/pwsh", "#!/bin/sh\nenv | grep ^POWERSHELL | sort\n", 0755);
  EXPECT_EQ(run("x"), "POWERSHELL_TELEMETRY_OPTOUT=1\nPOWERSHELL_UPDATECHECK=Off");
}

TEST_F(PowerShellToolTest, LeavingTheSandboxIsForAPersonToDecide) {
  for (const char* name : {"dangerouslyDisableSandbox", "dangerously_disable_sandbox"}) {
    const auto verdict = tool->check_permission(JsonObject{{"command", "x"}, {name, true}}, any_session());
    ASSERT_TRUE(verdict.has_value());
    EXPECT_EQ(verdict->verdict, Verdict::ask);
    EXPECT_TRUE(verdict->even_in_bypass);
  }
  EXPECT_FALSE(tool->check_permission(JsonObject{{"command", "x"}}, any_session()));
}

TEST_F(PowerShellToolTest, SaysWhenTheProgramIsGone) {
  EXPECT_EQ(tool->disabled(), std::nullopt);
  const auto gone = make_powershell_tool("/no/pwsh", {}, std::make_shared<BackgroundTasks>());
  EXPECT_EQ(gone->disabled(), "/no/pwsh is not there any more");
}

TEST_F(PowerShellToolTest, IsFoundByThePathButNotBesideUs) {
  EXPECT_EQ(find_powershell("/nowhere:" + (folder / "bin") + ":/x"), folder / "bin/pwsh");
  EXPECT_EQ(find_powershell(""), std::nullopt);
  EXPECT_EQ(find_powershell(".:bin::"), std::nullopt);
  folder.put("data/pwsh", "no program", 0644);
  EXPECT_EQ(find_powershell(folder / "data"), std::nullopt);
}

}  // namespace
}  // namespace deft
