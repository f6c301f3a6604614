#include "deft/shell/classify.h"

#include <gtest/gtest.h>

#include "deft/base/json.h"

namespace deft::shell {
namespace {

const ClassifyOptions kHere{.cwd = "/p", .home = "/home/me", .files = {}};

TEST(Classify, EverydayLooksAreReadOnly) {
  for (const char* command : {"ls",
                              "ls -la src | head -20",
                              "pwd",
                              "cat README.md",
                              "head -n 50 a.txt",
                              "tail -20 log.txt",
                              "wc -l *.py",
                              "grep -rn 'TODO' src --include='*.cc'",
                              "rg -n foo src",
                              "find . -name '*.h' -type f",
                              "git status",
                              "git log --oneline -10",
                              "git diff HEAD~1 -- src/a.cc",
                              "git show --stat HEAD",
                              "git branch -a",
                              "sort a.txt | uniq -c | sort -rn | head",
                              "echo hello",
                              "du -sh .",
                              "stat a.txt",
                              "file a.bin",
                              "which python3",
                              "sed -n '1,20p' a.txt",
                              "diff a b",
                              "tree -L 2",
                              "env | grep PATH",
                              "date +%Y",
                              "uname -a",
                              "ps aux | grep node",
                              "python3 --version",
                              "node -v",
                              "cd src && ls",
                              "ls 2>/dev/null || true",
                              "test -f a && echo yes",
                              "for f in a b; do wc -l \"$f\"; done",
                              "cut -d: -f1 /etc/passwd",
                              "jq '.name' package.json"}) {
    const Verdict verdict = classify(command, kHere);
    EXPECT_TRUE(verdict.read_only) << command << ": " << verdict.reason;
  }
}

TEST(Classify, WhatMayChangeOrRunAnythingIsNot) {
  for (const char* command : {"rm a",
                              "ls > out.txt",
                              "cat a | tee b",
                              "find . -delete",
                              "find . -exec rm {} +",
                              "find . -fprint x",
                              "sort -o a a",
                              "sort --outp=x a",
                              "sed -i s/a/b/ f",
                              "sed 'w x' f",
                              "sed -n '1e id' f",
                              "awk 'BEGIN{system(\"id\")}'",
                              "awk '{print > \"x\"}' f",
                              "git -c core.pager=x log",
                              "git checkout .",
                              "git log --output=x",
                              "git diff --ext-diff",
                              "git branch new",
                              "git config user.name x",
                              "rg --pre cat foo",
                              "grep foo $(rm a)",
                              "echo `id > x`",
                              "eval ls",
                              ". ./x",
                              "source x",
                              "bash -c ls",
                              "sh x",
                              "xargs rm < list",
                              "env FOO=1 make",
                              "PATH=. ls",
                              "LD_PRELOAD=x ls",
                              "GIT_PAGER=x git log",
                              "curl example.com",
                              "wget x",
                              "npm run test",
                              "cargo test",
                              "make -n",
                              "python3 -c 'print(1)'",
                              "node x.js",
                              "cat < /dev/tcp/h/80",
                              "echo x >&/tmp/y",
                              "tar xf a.tar",
                              "date -s now",
                              "hostname x",
                              "kill 1",
                              "chmod +x a",
                              "printf -v 'a[$(id)]' x",
                              "test -v 'a[$(id)]'",
                              "echo $((a[$(id)]))",
                              "[[ 'a[$(id)]' -eq 1 ]]",
                              "ls; rm x",
                              "ls & rm x",
                              "ls\nrm x",
                              "(rm x)",
                              "{ rm x; }",
                              "if true; then rm x; fi",
                              "f() { rm x; }; f",
                              "echo ${x@P}",
                              "p''wn",
                              "$cmd",
                              "\\rm x",
                              "command rm x",
                              "nohup rm x",
                              "timeout 5 rm x",
                              "time rm x",
                              "exec rm x",
                              "trap 'rm x' EXIT",
                              "docker ps",
                              "ssh host ls",
                              "sudo ls",
                              "less +!id a",
                              "man ls",
                              "vim a",
                              "ls \xE2\x80\xAE",
                              "ls \x01",
                              ""}) {
    EXPECT_FALSE(classify(command, kHere).read_only) << command;
  }
}

TEST(Classify, TheVerdictIsTheSameHoweverACommandIsQuotedAndSpaced) {
  const std::pair<const char*, const char*> pairs[] = {
      {"ls -la src", "  ls   '-la'  \"src\" "}, {"cat a.txt", "c'a't a\\.txt"},      {"rm a", "r'm' a"},
      {"find . -delete", "find . '-del'ete"},   {"grep -n x a", "grep \"-n\" x  a"}, {"sort -o a a", "sort -o'a' a"}};
  for (const auto& [plain, odd] : pairs) {
    EXPECT_EQ(classify(plain, kHere).read_only, classify(odd, kHere).read_only) << odd;
  }
}

TEST(Classify, TextAfterACommandThatMayChangeThingsNeverMakesItReadOnly) {
  for (const char* command : {"rm a", "find . -delete", "touch x", "git checkout .", "curl x"}) {
    for (const char* after : {"", " ", " | cat", "; ls", " && true", " || true", " > /dev/null", " 2>&1", " --help",
                              " --version", "\nls"}) {
      EXPECT_FALSE(classify(std::string(command) + after, kHere).read_only) << command << after;
    }
  }
}

TEST(Classify, LinesOfJsonAreAnsweredAlsoWhenTheyAreBroken) {
  const auto answer = [](std::string_view line) { return *parse_json(classify_json_line(line, kHere)); };
  EXPECT_EQ(find_string(answer(R"({"id":"a","cmd":"ls","cwd":"/p"})"), "verdict"), "readonly");
  EXPECT_EQ(find_int(answer(R"({"id":7,"cmd":"rm x"})"), "id"), 7);
  for (const char* broken : {"", "nope", "[]", R"({"id":1})", R"({"id":1,"cmd":5})", R"({"id":1,"cmd":"ls \u0000"})"}) {
    EXPECT_EQ(find_string(answer(broken), "verdict"), "not_readonly") << broken;
  }
  EXPECT_EQ(find_string(answer(R"({"id":"s","cmd":"ls \ud800"})"), "id"), "s");
  using namespace std::string_literals;
  EXPECT_EQ(find_string(answer("{\"id\":\"n\",\"cmd\":\"ls \0\"}"s), "id"), "n");
  EXPECT_EQ(find_string(answer("{\"id\":\"b\",\"cmd\":\"ls \xFF\"}"), "id"), "b");
  EXPECT_EQ(find_string(answer("{\"id\":\"b\",\"cmd\":\"ls \xFF\"}"), "verdict"), "not_readonly");
  EXPECT_TRUE(find(answer(std::string(kJsonLineBytesMax + 1, ' ')), "error"));
  EXPECT_EQ(find_string(answer("{\"id\":1,\"cmd\":\"" + std::string(200'000, 'a') + "\"}"), "verdict"), "not_readonly");
}

}  // namespace
}  // namespace deft::shell
