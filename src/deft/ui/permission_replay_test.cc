#include "deft/ui/permission_replay.h"

#include <gtest/gtest.h>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

TEST(PermissionReplay, ACallIsWrittenAsPeopleWriteIt) {
  const auto bash = parse_call("Bash(echo (a) && ls)");
  ASSERT_TRUE(bash);
  EXPECT_EQ(find_string(bash->input, "command"), "echo (a) && ls");
  const auto read = parse_call("Read(src/a.cc)");
  ASSERT_TRUE(read);
  EXPECT_EQ(find_string(read->input, "file_path"), "src/a.cc");
  const auto whole = parse_call(R"(Agent({"subagent_type":"Explore"}))");
  ASSERT_TRUE(whole);
  EXPECT_EQ(find_string(whole->input, "subagent_type"), "Explore");
  EXPECT_TRUE(parse_call("Glob"));
  for (const char* broken : {"", "(x)", "Bash(x", "TodoWrite(x)"}) EXPECT_FALSE(parse_call(broken)) << broken;
}

TEST(PermissionReplay, ASessionsCallsAreThoseThatAskedOrBeganEachOnce) {
  const TempFolder folder;
  folder.put("journal.jsonl",
             R"({"type":"journal","version":1}
{"type":"asked","call":"1","tool":"Bash","input":{"command":"make"},"directory":"/p","reason":"r"}
{"type":"intent","call":"1","tool":"Bash","input":{"command":"make"}}
{"type":"result","call":"1","tool":"Bash","is_error":false,"content":""}
{"type":"intent","call":"2","tool":"Write","input":{"file_path":"/p/a"}}
{"type":"intent","call":"3","tool":"Wri)");
  const auto calls = calls_of_session(folder.path());
  ASSERT_TRUE(calls) << calls.error().message;
  ASSERT_EQ(calls->size(), 2U);
  EXPECT_EQ((*calls)[0].directory, "/p");
  EXPECT_EQ((*calls)[1].tool, "Write");
  EXPECT_FALSE(calls_of_session(folder / "nothing"));
}

}  // namespace
}  // namespace deft
