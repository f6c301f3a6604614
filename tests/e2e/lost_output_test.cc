#include <gtest/gtest.h>

#include "deft/testing/places.h"
#include "deft_exec.h"

// What holds for every command: output that is lost, and files that are none. Whoever writes our output to a file on a
// full disk learns of it: the file is not what we said.

namespace deft::testing {
namespace {

struct Lost {
  int exit_code = -1;
  std::string errors;
};

Lost run_with_output(const std::string& output, const std::string& command, const TempFolder& folder,
                     std::string_view input = "") {
  Program program({.argv = {"/bin/bash", "-c", "exec \"$0\" " + command + " >" + output, DEFT_PROGRAM},
                   .environment = {"PATH=/usr/bin:/bin", "HOME=" + folder.path()},
                   .directory = folder.path()});
  program.write(input);
  program.close_input();
  const int exit_code = program.wait();
  return {exit_code, program.errors()};
}

TEST(LostOutput, OfEveryCommandIsAnErrorThatSaysSo) {
  const TempFolder folder;
  folder.put("script.jsonl", "{\"answer\": \"words\"}\n");
  const std::string call = R"({"type":"tool_use","id":"a","name":"Glob","input":{"pattern":"*"}})";
  for (const char* command : {"--version", "--help", "tools", "doctor --json", "classify ls", "config", "exec",
                              "-p hi --script script.jsonl", "-p hi --script script.jsonl --output-format json",
                              "-p hi --script script.jsonl --output-format stream-json"}) {
    const Lost lost = run_with_output("/dev/full", command, folder, call + "\n");
    EXPECT_EQ(lost.exit_code, 1) << command << "\n" << lost.errors;
    EXPECT_NE(lost.errors.find("standard output cannot be written"), std::string::npos) << command << lost.errors;
  }
}

TEST(LostOutput, IsNoneWhereNobodyWantsIt) {
  const TempFolder folder;
  folder.put("script.jsonl", "{\"answer\": \"words\"}\n");
  for (const char* command : {"--version", "tools", "-p hi --script script.jsonl"}) {
    EXPECT_EQ(run_with_output("/dev/null", command, folder).exit_code, 0) << command;
    EXPECT_EQ(run_with_output("&-", command, folder).exit_code, 0) << command;
  }
}

TEST(WrongFiles, AFolderInThePlaceOfAFileIsAnErrorThatNamesIt) {
  const TempFolder folder;
  folder.put("folder/file", "x");
  folder.put("script.jsonl", "{\"answer\": \"words\"}\n");
  for (const char* command : {"-p hi --script folder", "permissions test folder",
                              "-p hi --script script.jsonl --append-system-prompt-file folder"}) {
    const Lost run = run_with_output("/dev/null", command, folder);
    EXPECT_GT(run.exit_code, 0) << command;
    EXPECT_LT(run.exit_code, 3) << command << run.errors;
    EXPECT_NE(run.errors.find("folder is a folder, not a file"), std::string::npos) << command << run.errors;
  }
}

TEST(WrongFiles, FoldersInThePlaceOfWhatDeftKeepsStopNoRun) {
  const TempFolder folder;
  folder.put("script.jsonl", "{\"answer\": \"words\"}\n");
  for (const char* name : {"trusted.json", "mcp-approvals.json", "mcp-servers.json", "mcp-logins.json"}) {
    folder.put(std::string(".local/state/deft/") + name + "/file", "x");
  }
  folder.put(".mcp.json", R"({"mcpServers":{"a":{"type":"http","url":"http://127.0.0.1:1/"}}})");
  const Lost run = run_with_output("/dev/null", "-p hi --script script.jsonl", folder);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_LT(run_with_output("/dev/null", "mcp list --offline", folder).exit_code, 3);
  const Lost trust = run_with_output("/dev/null", "trust", folder);
  EXPECT_GT(trust.exit_code, 0);
  EXPECT_NE(trust.errors.find("trusted.json"), std::string::npos) << trust.errors;
}

}  // namespace
}  // namespace deft::testing
