#include <gtest/gtest.h>

#include "deft/testing/places.h"
#include "deft/testing/temp_folder.h"
#include "deft_exec.h"

namespace deft::testing {
namespace {

std::string output_of(std::vector<std::string> argv, std::vector<std::string> environment, int& exit_code,
                      const std::string& directory = "/") {
  argv.insert(argv.begin(), DEFT_PROGRAM);
  Program program({.argv = std::move(argv), .environment = std::move(environment), .directory = directory});
  program.close_input();
  std::string output;
  while (const auto line = program.read_line()) output += *line + "\n";
  exit_code = program.wait();
  return output;
}

TEST(Doctor, SaysWhatIsInForceAndWhichSecretsAreNotHandedOn) {
  int exit_code = -1;
  const std::string text = output_of({"doctor"}, {"PATH=/usr/bin:/bin", "OPENAI_API_KEY=secret-value"}, exit_code);
  EXPECT_EQ(exit_code, 0) << text;
  for (const char* expected : {"landlock", "ending commands", "read-only commands", "OPENAI_API_KEY", "systemd-run"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\n" << text;
  }
  EXPECT_EQ(text.find("secret-value"), std::string::npos);
  EXPECT_EQ(text.find('\x1B'), std::string::npos);
}

TEST(Doctor, SaysWhatMustBeRepaired) {
  int exit_code = -1;
  const std::string text = output_of({"doctor", "--json"}, {"PATH=/usr/bin:/bin", "TMPDIR=/no/such/folder"}, exit_code);
  EXPECT_EQ(exit_code, 1);
  const auto json = parse_json(text);
  ASSERT_TRUE(json) << text;
  EXPECT_EQ(find_bool(*json, "healthy"), false);
  EXPECT_GE(find_array(*json, "findings")->size(), 8U);
}

TEST(Doctor, NamesSettingsThatCannotBeUsedOrSeemMistyped) {
  const TempFolder home;
  home.put(".config/deft/settings.json", R"({"permission":{"deny":["Bash"]}})");
  home.put("p/.deft/settings.json", "{broken");
  int exit_code = -1;
  const std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "HOME=" + home.path()};
  const std::string text = output_of({"doctor"}, environment, exit_code, home / "p");
  EXPECT_NE(text.find("/p/.deft/settings.json"), std::string::npos) << text;
  EXPECT_NE(text.find("is \"permissions\" meant?"), std::string::npos) << text;
  home.put(".config/deft/settings.json", R"({"scheduling":"chaos"})");
  const std::string wrong = output_of({"doctor"}, environment, exit_code, home / "p");
  EXPECT_EQ(exit_code, 1) << wrong;
  EXPECT_NE(wrong.find("scheduling"), std::string::npos) << wrong;
}

TEST(Doctor, SaysThatSessionsCannotBeKeptAsTheRunItselfDoes) {
  const TempFolder home;
  home.put(".local", "a file where a folder should be");
  home.put("script.jsonl", "{\"answer\": \"words\"}\n");
  int exit_code = -1;
  const std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "HOME=" + home.path()};
  const std::string text = output_of({"doctor"}, environment, exit_code);
  EXPECT_EQ(exit_code, 1) << text;
  EXPECT_NE(text.find("set XDG_STATE_HOME"), std::string::npos) << text;
  Program run({.argv = {DEFT_PROGRAM, "-p", "hi", "--script", "script.jsonl"},
               .environment = environment,
               .directory = home.path()});
  run.close_input();
  EXPECT_EQ(run.wait(), 1);
  EXPECT_NE(run.errors().find("set XDG_STATE_HOME"), std::string::npos) << run.errors();
}

TEST(Doctor, SaysHowToGetASearchOfTheWebAndWhatIsMissingForIt) {
  const TempFolder home;
  const auto said = [&](std::string_view settings, std::vector<std::string> more = {}) {
    home.put(".config/deft/settings.json", settings);
    std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "HOME=" + home.path()};
    environment.insert(environment.end(), more.begin(), more.end());
    int exit_code = -1;
    const std::string text = output_of({"doctor"}, environment, exit_code);
    const std::size_t at = text.find("web search");
    return at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_NE(said("{}").find("none, so there is no tool WebSearch"), std::string::npos) << said("{}");
  const std::string brave = R"({"webSearch":{"provider":"brave"}})";
  EXPECT_NE(said(brave).find("BRAVE_API_KEY is not set"), std::string::npos) << said(brave);
  EXPECT_EQ(said(brave, {"BRAVE_API_KEY=k"}).find("BRAVE_API_KEY"), std::string::npos);
  const std::string model = R"({"webSearch":{"provider":"model"}})";
  EXPECT_NE(said(model, {"OPENAI_API_KEY=k"}).find("only Anthropic's API"), std::string::npos);
  EXPECT_EQ(said(model, {"ANTHROPIC_API_KEY=k"}).find("only Anthropic's API"), std::string::npos);
}

TEST(Doctor, AndItsSistersShowNoEscapesOfAStrangersFiles) {
  const TempFolder home;
  home.put("p/.claude/agents/a\x1B[31m.md", "---\nname: a\n---\n");
  home.put(
      "p/.claude/settings.json",
      "{\"permissions\":{\"deny\":[\"Bash(ls \\u001b]0;t\\u0007 \xC2\x9B *)\", \"No\\u007f\"]},\"x\\u001b[2J\":1}");
  const std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "HOME=" + home.path()};
  int exit_code = -1;
  const std::vector<std::vector<std::string>> commands = {
      {"doctor"}, {"trust"}, {"config"}, {"permissions", "check", "Bash", "ls \x1B]0;t\x07 \xC2\x9B x"}};
  for (const auto& command : commands) {
    const std::string text = output_of(command, environment, exit_code, home / "p");
    for (const char* hidden : {"\x1B", "\x07", "\x7F", "\xC2\x9B"}) {
      EXPECT_EQ(text.find(hidden), std::string::npos) << command[0] << "\n" << text;
    }
  }
}

TEST(Doctor, UnknownOptionsAreRefused) {
  int exit_code = -1;
  output_of({"doctor", "--fix"}, {"PATH=/usr/bin:/bin"}, exit_code);
  EXPECT_EQ(exit_code, 2);
}

}  // namespace
}  // namespace deft::testing
