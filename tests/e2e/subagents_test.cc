#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "deft/testing/places.h"
#include "deft_exec.h"

// Subagents, teams and long conversations in `deft -p`, with a scripted model.

namespace deft::testing {
namespace {

class PrintedAgents : public ::testing::Test {
 protected:
  std::vector<Json> run(const std::string& script, std::vector<std::string> more = {}) {
    home.put("script.jsonl", script);
    std::vector<std::string> argv{DEFT_PROGRAM,      "-p",          "go",       "--script", home / "script.jsonl",
                                  "--output-format", "stream-json", "--verbose"};
    argv.insert(argv.end(), more.begin(), more.end());
    Program program({.argv = std::move(argv),
                     .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home.path(), "LANG=C.UTF-8",
                                     "TMPDIR=" + home.path(), "XDG_STATE_HOME=" + home.path() + "/state",
                                     "DEFT_ALLOW_ROOT_BYPASS=1"},
                     .directory = project.path()});
    program.close_input();
    std::vector<Json> lines;
    while (const auto line = program.read_line()) lines.push_back(parse_json(*line).value_or(Json()));
    exit_code = program.wait();
    errors = program.errors();
    return lines;
  }
  static std::string text_at(const std::vector<Json>& lines, std::string_view type, std::string_view key) {
    for (const Json& line : lines) {
      if (text_of(line, "type") == type && !text_of(line, key).empty()) return text_of(line, key);
    }
    return "";
  }
  static std::size_t count(const std::vector<Json>& lines, std::string_view key, std::string_view value) {
    std::size_t found = 0;
    for (const Json& line : lines) found += text_of(line, key) == value ? 1 : 0;
    return found;
  }

  const TempFolder project;
  const TempFolder home;
  int exit_code = -1;
  std::string errors;
};

TEST_F(PrintedAgents, ASubagentsLinesNameTheCallThatStartedIt) {
  project.put("a.txt", "forty-two\n");
  const std::string script =
      R"({"when": "go", "answer": [{"call": "Agent", "id": "toolu_1", "input": {"description": "look", "prompt": "look into a.txt", "subagent_type": "Explore"}}]})"
      "\n"
      R"({"when": "look into a.txt", "answer": [{"call": "Read", "input": {"file_path": "a.txt"}}]})"
      "\n"
      R"({"when": "forty-two", "answer": "It says forty-two."})"
      "\n"
      R"({"when": "It says forty-two", "answer": "The answer is 42."})"
      "\n";
  const auto lines = run(script);
  EXPECT_EQ(exit_code, 0) << errors;
  EXPECT_EQ(text_at(lines, "result", "result"), "The answer is 42.");
  EXPECT_EQ(count(lines, "parent_tool_use_id", "toolu_1"), 2U);  // its call, its result
  const auto with_words = run(script, {"--forward-subagent-text"});
  EXPECT_EQ(count(with_words, "parent_tool_use_id", "toolu_1"), 3U);  // and its report
}

TEST_F(PrintedAgents, TypesComeFromFilesAndFromTheCommandLine) {
  home.put(".claude/agents/reviewer.md", "---\nname: reviewer\ndescription: reviews\n---\nYou review.\n");
  home.put(".claude/agents/broken.md", "---\nname: broken\n---\n");
  const auto lines = run(R"({"answer": "hello"})"
                         "\n",
                         {"--agents", R"({"tester":{"description":"tests","prompt":"You test."}})"});
  EXPECT_EQ(exit_code, 0) << errors;
  std::string agents;
  for (const Json& line : lines) {
    if (const Json* names = find(line, "agents")) agents = to_json(*names);
  }
  EXPECT_EQ(agents, R"(["general-purpose","Explore","Plan","Bash","tester","reviewer"])");
  std::string told;
  for (const Json& line : lines) told += text_of(line, "content");
  EXPECT_NE(told.find("broken.md: description is missing"), std::string::npos) << told << errors;
}

// Whatever stands in the folder: what can be used is used, the rest is named, and nothing is waited for.
TEST_F(PrintedAgents, OddAndHostileFilesStopNobody) {
  const auto file = [&](const std::string& name, const std::string& text) { home.put(".claude/agents/" + name, text); };
  file("good.md", "\xEF\xBB\xBF---\r\nname: good\r\ndescription: is good\r\n---\r\nYou are good.\r\n");
  file("deep/er/nested.md", "---\nname: nested\ndescription: is nested\n---\nYou are nested.\n");
  file("empty.md", "");
  file("no-name.md", "---\ndescription: x\n---\n");
  file("notes.txt", "---\nname: text\ndescription: no Markdown\n---\n");
  file("binary.md", std::string("---\nname: bin\0ary\n\xff\xfe", 22));
  file("huge.md", "---\nname: huge\ndescription: x\n---\n" + std::string(1 << 20, 'x'));
  file("bomb.md",
       "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n"
       "d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\nname: [*d,*d,*d,*d,*d,*d,*d,*d]\ndescription: x\n---\n");
  file("list.md", "---\n- name: list\n---\n");
  file("path.md", "---\nname: ../../etc/passwd\ndescription: climbs\nmemory: user\n---\nYou climb.\n");
  file("escape.md", "---\nname: \"e\\e[2J\"\ndescription: x\n---\n");
  file("bypass.md", "---\nname: bypass\ndescription: x\npermissionMode: bypassPermissions\ntools: Read\n---\nYou.\n");
  std::filesystem::create_directory_symlink(home / ".claude/agents", home / ".claude/agents/loop");
  std::filesystem::create_symlink("/dev/zero", home / ".claude/agents/zero.md");
  std::filesystem::create_symlink(home / "nowhere", home / ".claude/agents/dangling.md");
  ASSERT_EQ(::mkfifo((home / ".claude/agents/fifo.md").c_str(), 0600), 0);
  const auto lines = run(R"({"answer": "hello"})"
                         "\n");
  EXPECT_EQ(exit_code, 0) << errors;
  EXPECT_EQ(text_at(lines, "result", "result"), "hello");
  std::string agents, told;
  for (const Json& line : lines) {
    if (const Json* names = find(line, "agents")) agents = to_json(*names);
    told += text_of(line, "content") + "\n";
  }
  for (const char* name : {"\"good\"", "\"nested\"", "\"bypass\""}) {
    EXPECT_NE(agents.find(name), std::string::npos) << name << agents;
  }
  for (const char* name : {"text", "huge", "list", "bomb", "[2J"}) {
    EXPECT_EQ(agents.find(name), std::string::npos) << name << agents;
  }
  for (const char* name : {"huge.md", "escape.md", "fifo.md", "zero.md", "list.md", "bypass.md"}) {
    EXPECT_NE(told.find(name), std::string::npos) << name << told;
  }
  EXPECT_FALSE(std::filesystem::exists(home / ".claude/agent-memory/../../etc"));
}

TEST_F(PrintedAgents, SeveralWorkAtOnceWithNoMoreThanTheirTools) {
  project.put("a.txt", "alpha\n");
  home.put(".claude/agents/reader.md", "---\nname: reader\ndescription: reads\ntools: Read\n---\nYou read.\n");
  const auto lines = run(
      R"({"when": "go", "answer": [{"call": "Agent", "id": "c1", "input": {"description": "one", "prompt": "first task", "subagent_type": "reader"}}, {"call": "Agent", "id": "c2", "input": {"description": "two", "prompt": "second task", "subagent_type": "reader"}}]})"
      "\n"
      R"({"when": "first task", "answer": [{"call": "Read", "input": {"file_path": "a.txt"}}]})"
      "\n"
      R"({"when": "second task", "answer": [{"call": "Bash", "input": {"command": "touch made"}}]})"
      "\n"
      R"({"when": "alpha", "answer": "It says so."})"
      "\n"
      R"({"when": "No such tool", "answer": "I cannot."})"
      "\n"
      R"({"when": "I cannot", "answer": "Both are back."})"
      "\n",
      {"--permission-mode", "bypassPermissions"});
  EXPECT_EQ(exit_code, 0) << errors;
  EXPECT_EQ(text_at(lines, "result", "result"), "Both are back.");
  EXPECT_FALSE(std::filesystem::exists(project / "made"));
  std::vector<std::string> answered;
  for (const Json& line : lines) {
    if (text_of(line, "type") != "user" || !text_of(line, "parent_tool_use_id").empty()) continue;
    for (const Json& block : *find_array(*find(line, "message"), "content")) {
      if (text_of(block, "type") == "tool_result") answered.push_back(text_of(block, "tool_use_id"));
    }
  }
  EXPECT_EQ(answered, (std::vector<std::string>{"c1", "c2"}));
}

TEST_F(PrintedAgents, TheRunDoesNotEndBeforeThoseInTheBackground) {
  const auto lines = run(
      R"({"when": "go", "answer": [{"call": "Agent", "input": {"description": "wait", "prompt": "take your time", "run_in_background": true}}]})"
      "\n"
      R"({"when": "take your time", "answer": ["slowly", {"delay_ms": 200}, " done"]})"
      "\n"
      R"({"when": "works in the background", "answer": "I wait."})"
      "\n"
      R"({"when": "slowly done", "answer": "It is done."})"
      "\n");
  EXPECT_EQ(exit_code, 0) << errors;
  EXPECT_EQ(text_at(lines, "result", "result"), "It is done.");
  EXPECT_EQ(count(lines, "subtype", "task_started"), 1U);
  EXPECT_EQ(count(lines, "subtype", "task_notification"), 1U);
}

TEST_F(PrintedAgents, ALongConversationIsCompacted) {
  project.put("a.txt", std::string(2'000, 'x'));
  const auto lines = run(
      R"({"when": "go", "answer": [{"call": "Read", "input": {"file_path": "a.txt"}}], "usage": {"input_tokens": 9000, "output_tokens": 10}})"
      "\n"
      R"({"when": "Write that summary now", "answer": "They asked to go; a.txt is full of x."})"
      "\n"
      R"({"when": "full of x", "answer": "Done."})"
      "\n",
      {"--settings", R"({"autoCompactWindow": 10000})"});
  EXPECT_EQ(exit_code, 0) << errors;
  EXPECT_EQ(text_at(lines, "result", "result"), "Done.");
  EXPECT_EQ(count(lines, "subtype", "compact_boundary"), 1U);
}

}  // namespace
}  // namespace deft::testing
