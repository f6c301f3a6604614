#include "deft/core/inline_programs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace deft {
namespace {

bool shows(std::initializer_list<const char*> words, std::string_view command) {
  std::vector<shell::Argument> arguments;
  for (const char* word : words) arguments.push_back(shell::Argument::exactly(word));
  const auto texts = texts_in_programs(arguments);
  return std::ranges::find(texts, command) != texts.end();
}

TEST(InlinePrograms, CommandsInCodeAreFound) {
  EXPECT_TRUE(shows({"awk", "BEGIN{system(\"rm x\")}"}, "rm x"));
  EXPECT_TRUE(shows({"awk", "{print | \"rm x\"}", "f"}, "rm x"));
  EXPECT_TRUE(shows({"perl", "-e", "system('rm x')"}, "rm x"));
  EXPECT_TRUE(shows({"perl", "-lne", "print `rm x`"}, "rm x"));
  EXPECT_TRUE(shows({"python3", "-c", "import os;os.system(\"rm x\")"}, "rm x"));
  EXPECT_TRUE(shows({"python3", "-c", "import subprocess; subprocess.run(['rm', 'x'])"}, "rm x"));
  EXPECT_TRUE(shows({"node", "-e", "require('child_process').execSync(\"rm x\")"}, "rm x"));
}

TEST(InlinePrograms, CommandsInOptionsOfOtherProgramsAreFound) {
  EXPECT_TRUE(shows({"vim", "-c", "!rm x"}, "rm x"));
  EXPECT_TRUE(shows({"vim", "+!rm x"}, "rm x"));
  EXPECT_TRUE(shows({"tar", "--to-command=rm x", "-xf", "a"}, "rm x"));
  EXPECT_TRUE(shows({"tar", "--checkpoint-action=exec=rm x", "-cf", "a", "b"}, "rm x"));
  EXPECT_TRUE(shows({"rsync", "-e", "rm x", "a", "b"}, "rm x"));
  EXPECT_TRUE(shows({"make", "SHELL=rm x"}, "rm x"));
  EXPECT_TRUE(shows({"sed", "1e rm x", "f"}, "rm x"));
}

TEST(InlinePrograms, OrdinaryWordsAreNone) {
  EXPECT_TRUE(texts_in_programs({shell::Argument::exactly("grep"), shell::Argument::exactly("rm x")}).empty());
  EXPECT_TRUE(texts_in_programs({shell::Argument::exactly("git"), shell::Argument::exactly("commit"),
                                 shell::Argument::exactly("-m"), shell::Argument::exactly("rm x")})
                  .empty());
}

}  // namespace
}  // namespace deft
