#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "deft/base/utf8.h"
#include "deft_exec.h"

// What the model is given of large, repeated and stale results, and how it looks further into them.

namespace deft::testing {
namespace {

constexpr const char* kEnd = R"({"type":"end"})";

class ExecResults : public ::testing::Test {
 protected:
  // Outside of the working directory.
  const TempFolder folder, elsewhere;
  const std::string session = elsewhere / "session";
  Arguments with_session(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--session", session});
    return arguments;
  }
  std::string stored(const std::string& name) const {
    return elsewhere.bytes("session/tool-results/" + name).value_or("(missing)");
  }
};

TEST_F(ExecResults, ALongOutputIsStoredAndBothItsEndsAreShown) {
  DeftExec deft(folder, with_session(kBypass));
  deft.bash("toolu_1", "seq 1 20000");
  const Json result = deft.result("toolu_1");
  const std::string text = content(result);
  const std::string path = session + "/tool-results/toolu_1.txt";
  EXPECT_TRUE(text.starts_with("<persisted-output>\nOutput too large (106.3 KB). Full output saved to: " + path +
                               "\n\nPreview (both ends, 2.0 KB):\n1\n2\n3\n"))
      << text;
  EXPECT_TRUE(text.ends_with("\n19999\n20000\n</persisted-output>")) << text;
  EXPECT_NE(text.find(" characters left out ...\n"), std::string::npos);
  EXPECT_LT(text.size(), 2'500U);
  EXPECT_EQ(stored("toolu_1.txt").size(), 108'894U);
  EXPECT_EQ(text_of(*find(result, "stored"), "path"), path);
  deft.finish();
}

TEST_F(ExecResults, AFailedCommandShowsMoreOfItsEnds) {
  DeftExec deft(folder, kBypass);
  deft.bash("1", "seq 1 20000; exit 3");
  const std::string text = content(deft.result("1"));
  EXPECT_TRUE(text.starts_with("Exit code 3\n<persisted-output>\n")) << text;
  EXPECT_NE(text.find("Preview (both ends, 10.0 KB)"), std::string::npos);
  deft.finish();
}

TEST_F(ExecResults, TheModelLooksFurtherIntoAStoredResultWithoutBeingAskedAnything) {
  folder.put("big.txt", [] {
    std::string text;
    for (int i = 1; i <= 20'000; ++i) text += "row " + std::to_string(i) + (i == 12'345 ? " needle" : "") + "\n";
    return text;
  }());
  DeftExec deft(folder, with_session({}));  // default mode, and nobody to ask
  deft.bash("1", "cat big.txt");
  const std::string path = text_of(*find(deft.result("1"), "stored"), "path");
  deft.call("2", "Read", {{"file_path", path}, {"offset", 12'344}, {"limit", 3}});
  EXPECT_NE(content(deft.result("2")).find("row 12345 needle"), std::string::npos) << content(deft.result("2"));
  deft.call("3", "Grep", {{"pattern", "needle"}, {"path", path}, {"output_mode", "content"}});
  EXPECT_NE(content(deft.result("3")).find("12345:row 12345 needle"), std::string::npos) << content(deft.result("3"));
  deft.bash("4", "tail -n 1 " + path);
  EXPECT_EQ(content(deft.result("4")), "row 20000");
  // Looked into, not worked in; and nothing else of the session.
  deft.call("5", "Write", {{"file_path", session + "/tool-results/new.txt"}, {"content", "x"}});
  EXPECT_EQ(text_of(deft.result("5"), "code"), "denied");
  deft.read("6", session + "/journal.jsonl");
  EXPECT_EQ(text_of(deft.result("6"), "code"), "denied");
  deft.finish();
}

TEST_F(ExecResults, AcceptingEditsDoesNotCoverTheSessionsOwnFiles) {
  DeftExec deft(folder, with_session({"--permission-mode", "acceptEdits"}));
  deft.call("1", "Write", {{"file_path", session + "/tool-results/new.txt"}, {"content", "x"}});
  EXPECT_EQ(text_of(deft.result("1"), "code"), "denied");
  deft.finish();
}

TEST_F(ExecResults, ResultsOfOneMessageShareABudget) {
  const std::string settings = R"({"results":{"messageMaxChars":50000}})";
  DeftExec deft(folder, with_session({"--permission-mode", "bypassPermissions", "--settings", settings}));
  for (const char* id : {"a", "b", "c"}) deft.bash(id, std::string("head -c 20000 /dev/zero | tr '\\0' ") + id);
  deft.send_line(kEnd);
  deft.bash("d", "head -c 20000 /dev/zero | tr '\\0' d");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("a")).size(), 20'000U);
  EXPECT_EQ(content(deft.result("b")).size(), 20'000U);
  EXPECT_TRUE(content(deft.result("c")).starts_with("<persisted-output>\nOutput too large (19.5 KB). Full output "));
  EXPECT_EQ(stored("c.txt"), std::string(20'000, 'c'));
  EXPECT_EQ(content(deft.result("d")).size(), 20'000U) << "of the next message";
}

TEST_F(ExecResults, ReadsThatExceedTheBudgetAreCutAndCountAsNotRead) {
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += "line " + std::to_string(i) + " of a file\n";
  folder.put("a.txt", lines);
  folder.put("b.txt", lines + "!");
  const std::string settings = R"({"results":{"messageMaxChars":20000}})";
  DeftExec deft(folder, {"--permission-mode", "bypassPermissions", "--settings", settings});
  deft.read("a", folder / "a.txt");
  deft.read("b", folder / "b.txt");
  deft.send_line(kEnd);
  EXPECT_NE(content(deft.result("b")).find("with offset and limit"), std::string::npos);
  EXPECT_LE(count_characters(content(deft.result("a"))) + count_characters(content(deft.result("b"))), 20'000U);
  deft.edit("edit a", folder / "a.txt", "line 499 of", "line 499 in");
  deft.edit("edit b", folder / "b.txt", "line 499 of", "line 499 in");
  EXPECT_FALSE(is_error(deft.result("edit a")));
  EXPECT_EQ(text_of(deft.result("edit b"), "code"), "not_read");
  deft.call("b again", "Read", {{"file_path", folder / "b.txt"}, {"offset", 490}});
  EXPECT_NE(content(deft.result("b again")).find("line 499 of a file"), std::string::npos);
  deft.finish();
}

TEST_F(ExecResults, ARepeatedResultIsReferredToUntilTheContextIsForgotten) {
  folder.put("notes.txt", std::string(2'000, 'n'));
  DeftExec deft(folder);
  deft.bash("first", "cat notes.txt");
  deft.send_line(kEnd);
  deft.bash("second", "cat ./notes.txt");
  deft.send_line(kEnd);
  deft.send_line(R"({"type":"forget"})");
  deft.bash("third", "cat notes.txt");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("first")), std::string(2'000, 'n'));
  EXPECT_EQ(content(deft.result("second")),
            "(The same result as that of the earlier call Bash(cat notes.txt), id first: it is not repeated here.)");
  EXPECT_EQ(content(deft.result("third")), std::string(2'000, 'n'));
}

TEST_F(ExecResults, ALargeRepeatedResultIsReferredToAsWell) {
  DeftExec deft(folder, with_session(kBypass));
  deft.bash("first", "seq 1 30000");
  deft.send_line(kEnd);
  deft.bash("second", "seq 30000");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(content(deft.result("first")).starts_with("<persisted-output>"));
  EXPECT_TRUE(content(deft.result("second")).starts_with("(The same result as that of the earlier call Bash(seq 1 30"));
  struct stat one{}, two{};
  ASSERT_EQ(::stat((session + "/tool-results/first.txt").c_str(), &one), 0);
  ASSERT_EQ(::stat((session + "/tool-results/second.txt").c_str(), &two), 0);
  EXPECT_EQ(one.st_ino, two.st_ino) << "kept once";
}

TEST_F(ExecResults, TheSameCallWithTheSameResultOverAndOverIsPointedOut) {
  folder.put("a.txt", "alpha");
  DeftExec deft(folder);
  for (const char* id : {"1", "2", "3"}) {
    deft.bash(id, "cat a.txt");
    deft.send_line(kEnd);
  }
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("2")), "alpha");
  EXPECT_NE(content(deft.result("3")).find("this call was made 3 times with the same result"), std::string::npos);
}

TEST_F(ExecResults, ACallThatChangesFilesReadBeforeNamesThem) {
  folder.put("a.txt", "alpha\n");
  folder.put("b.txt", "beta\n");
  folder.put("c.txt", "gamma\n");
  DeftExec deft(folder, kBypass);
  for (const char* name : {"a", "b", "c"}) deft.read(name, folder / (std::string(name) + ".txt"));
  deft.send_line(kEnd);
  deft.bash("sed", "sed -i s/a/A/ a.txt; rm c.txt; touch b.txt");
  deft.send_line(kEnd);
  deft.bash("again", "true; echo; : > unrelated");
  deft.send_line(kEnd);
  const Json result = deft.result("sed");
  const std::string hint = "Changed since you read them: " + (folder / "a.txt") + ", " + (folder / "c.txt") +
                           ". Read them again before you rely on what you saw or edit them.";
  EXPECT_EQ(content(result), "(Bash completed with no output)\n\n" + hint);
  EXPECT_EQ(text_of(*find(result, "tool_use_result"), "staleReadFileStateHint"), hint);
  EXPECT_EQ(content(deft.result("again")), "(Bash completed with no output)") << "told once";
  deft.finish();
}

TEST_F(ExecResults, AHostileIdWritesOnlyInsideTheSession) {
  const std::string ids[] = {"../../x", std::string(4'096, 'i'), R"(nul\u0000nul)", "\xF0\x9F\x98\x80/../\xD0\xB6"};
  DeftExec deft(folder, with_session(kBypass));
  int number = 0;
  for (const std::string& id : ids) {
    deft.send_line(R"({"type":"tool_use","id":")" + id + R"(","name":"Bash","input":{"command":"seq )" +
                   std::to_string(++number) + R"( 20000"}})");
  }
  EXPECT_EQ(deft.finish(), 0);
  for (const Json& result : deft.lines("tool_result")) {
    EXPECT_TRUE(text_of(*find(result, "stored"), "path").starts_with(session + "/tool-results/"));
  }
  EXPECT_EQ(elsewhere.names(), std::vector<std::string>{"session"});
  EXPECT_EQ(elsewhere.names("session/tool-results").size(), std::size(ids));
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(ExecResults, WhatCannotBeKeptIsAnsweredAllTheSameAndSaid) {
  elsewhere.put("session/tool-results", "a file in the way", 0600);
  DeftExec deft(folder, with_session(kBypass));
  deft.bash("shell", "seq 1 20000");
  EXPECT_EQ(deft.finish(), 0);
  const std::string text = content(deft.result("shell"));
  EXPECT_NE(text.find("The full output could not be saved: cannot open " + session + "/tool-results"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("\n20000\n</persisted-output>"));
}

TEST_F(ExecResults, AnInputThatIsNoJsonDoesNotFloodTheContext) {
  DeftExec deft(folder);
  deft.send_line(R"({"type":"tool_use","id":"1","name":"Read","input":")" + std::string(300'000, 'x') + R"("})");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_LT(content(deft.result("1")).size(), 5'000U);
}

TEST_F(ExecResults, AToolOfTheHostsOwnMayAskForMoreRoom) {
  const auto offer = [](const char* name, const char* meta) {
    return std::string(R"({"type":"tools","tools":[{"name":")") + name +
           R"(","input_schema":{"type":"object"},"annotations":{"readOnlyHint":true})" + meta + "}]}";
  };
  DeftExec deft(folder, with_session(kBypass));
  deft.send_line(offer("Plain", ""));
  deft.send_line(offer("Wide", R"(,"_meta":{"anthropic/maxResultSizeChars":100000})"));
  deft.call("1", "Plain", {});
  deft.call("2", "Wide", {});
  for (const char* id : {"1", "2"}) {
    deft.line_of_call("call", id);
    deft.send_line(R"({"type":"call_result","tool_use_id":")" + std::string(id) + R"(","content":"[\")" +
                   std::string(60'000, *id) + R"(\"]"})");
  }
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(content(deft.result("1")).starts_with("<persisted-output>"));
  EXPECT_TRUE(stored("1.json") == "[\"" + std::string(60'000, '1') + "\"]");
  EXPECT_EQ(content(deft.result("2")).size(), 60'004U);
}

}  // namespace
}  // namespace deft::testing
