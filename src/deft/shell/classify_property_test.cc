#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "deft/shell/classify.h"

// What must hold of every command line, tried on generated ones. A seed that fails is printed.

namespace deft::shell {
namespace {

const ClassifyOptions kHere{.cwd = "/p", .home = "/home/me", .files = {}};

constexpr std::uint32_t kSeeds = 1000;

using Words = std::vector<std::string>;

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed) {}

  std::size_t pick(std::size_t count) { return random_() % count; }
  bool one_in(std::size_t count) { return pick(count) == 0; }
  template <std::size_t size>
  std::string_view any_of(const std::array<std::string_view, size>& choices) {
    return choices[pick(size)];
  }

  // A command whose words mean the same however they are quoted: no keywords, assignments, patterns or tildes.
  Words command() {
    constexpr std::array<std::string_view, 28> kNames = {
        "ls",   "cat",  "head", "tail", "sort", "uniq", "grep", "rg",   "find", "sed",  "awk", "git", "xargs", "tar",
        "date", "file", "tree", "xxd",  "rm",   "cp",   "node", "echo", "env",  "test", "tee", "wc",  "jq",    "fd"};
    constexpr std::array<std::string_view, 46> kArguments = {
        "-n",  "-o",     "-i",     "-la",  "-e",     "--version", "--output=x", "-delete",   "-name",   "a.txt",
        "src", "/etc/x", "-",      "--",   "1,5p",   "w x",       "s/a/b/",     "s/a/b/w x", "{print}", "{print>$1}",
        "log", "status", "branch", "-D",   "--list", "stash",     "list",       "-c",        "-exec",   "rm",
        "ls",  "{}",     ";",      "+",    "-r",     "--pre=x",   "-tf",        "xf",        "+%F",     "-s",
        "=",   "!",      "a b",    "it's", "q\"q",   "x;rm y"};
    Words words = {std::string(any_of(kNames))};
    for (std::size_t i = pick(5); i > 0; --i) words.emplace_back(any_of(kArguments));
    return words;
  }

  std::string blanks() {
    constexpr std::array<std::string_view, 6> kBlanks = {" ", "  ", "\t", " \\\n ", " \\\n", "   "};
    return std::string(any_of(kBlanks));
  }

  // The same word in other clothes.
  std::string quoted(std::string_view word) {
    switch (pick(5)) {
      case 0: return in_single_quotes(word);
      case 1: return in_double_quotes(word);
      case 2: return in_ansi_quotes(word);
      case 3: {
        std::string out;
        for (const char c : word) out += std::string("\\") + c;
        return out;
      }
      default: {
        const std::size_t cut = pick(word.size() + 1);
        const std::string first = cut == 0 ? "" : in_single_quotes(word.substr(0, cut));
        return first + in_double_quotes(word.substr(cut));
      }
    }
  }

  static std::string in_single_quotes(std::string_view word) {
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
  }

 private:
  static std::string in_double_quotes(std::string_view word) {
    std::string out = "\"";
    for (const char c : word)
      out += std::string_view("\"\\$`").find(c) != std::string_view::npos ? std::string("\\") + c : std::string(1, c);
    return out + "\"";
  }
  static std::string in_ansi_quotes(std::string_view word) {
    std::string out = "$'";
    for (const char c : word) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "'";
  }

  std::mt19937 random_;
};

std::string plainly(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + Maker::in_single_quotes(word);
  return text;
}

TEST(ClassifyProperty, QuotingAndSpacingChangeNoVerdict) {
  std::uint32_t read_only = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    Maker maker(seed);
    const Words words = maker.command();
    const bool expected = classify(plainly(words), kHere).read_only;
    read_only += expected ? 1 : 0;
    std::string text = maker.one_in(3) ? maker.blanks() : "";
    for (const std::string& word : words) text += maker.quoted(word) + maker.blanks();
    ASSERT_EQ(classify(text, kHere).read_only, expected) << "seed " << seed << ": " << text;
  }
  EXPECT_GT(read_only, kSeeds / 10) << "the generator makes too little that is read-only";
  EXPECT_LT(read_only, kSeeds * 9 / 10);
}

TEST(ClassifyProperty, HarmlessSurroundingsChangeNoVerdict) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const std::string command = plainly(Maker(seed).command());
    const bool expected = classify(command, kHere).read_only;
    for (const auto& [before, after] : {std::pair("", " # note"),
                                        {"", ";"},
                                        {"", "\n"},
                                        {"\n\n", "\n"},
                                        {"( ", " )"},
                                        {"{ ", "; }"},
                                        {"! ", ""},
                                        {"true && ", ""},
                                        {"", " || true"},
                                        {"", " | cat"},
                                        {"", " 2>&1"},
                                        {"", " 2>/dev/null"},
                                        {"if ", "; then :; fi"},
                                        {"for i in 1 2; do ", "; done"},
                                        {"echo \"$(", ")\""},
                                        {"cat <(", ")"}}) {
      const std::string text = before + command + after;
      ASSERT_EQ(classify(text, kHere).read_only, expected) << "seed " << seed << ": " << text;
    }
  }
}

TEST(ClassifyProperty, WhatIsAddedAfterALineNeverMakesItReadOnly) {
  constexpr std::array<std::string_view, 16> kAfter = {
      "; ls",        " && ls", " || true", " | cat", " | tee /dev/null", "\nls",         ";",        " ",
      " >/dev/null", " 2>&1",  " # ls",    "\n",     " </dev/null",      " 2>/dev/null", "; exit 0", " |& wc"};
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    Maker maker(seed);
    std::string text = plainly(maker.command());
    if (classify(text, kHere).read_only) continue;
    for (int i = 0; i < 4; ++i) {
      text += maker.any_of(kAfter);
      ASSERT_FALSE(classify(text, kHere).read_only) << "seed " << seed << ": " << text;
    }
  }
}

TEST(ClassifyProperty, NoArgumentMakesGoodWhatOneBeforeItDid) {
  constexpr std::array<std::string_view, 22> kHarmful = {"rm x",
                                                         "sort -o x f",
                                                         "find . -delete",
                                                         "sed -i p f",
                                                         "sed 'w x' f",
                                                         "awk '{print>1}' f",
                                                         "git checkout x",
                                                         "git log --output=x",
                                                         "git branch -D x",
                                                         "git -c a=b log",
                                                         "rg --pre x y",
                                                         "fd -x rm",
                                                         "tar xf a",
                                                         "date -s x",
                                                         "xxd a b",
                                                         "tee x",
                                                         "env rm x",
                                                         "xargs rm",
                                                         "timeout 5 rm x",
                                                         "ls > x",
                                                         "./ls",
                                                         "curl x"};
  constexpr std::array<std::string_view, 18> kAfter = {
      " --help", " --version", " -n", " --dry-run", " --list", " -l",    " --",      " -t", " -h",
      " list",   " show",      " x",  " '1p'",      " -p",     " --get", " --check", " -v", " \\;"};
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    Maker maker(seed);
    std::string text(maker.any_of(kHarmful));
    for (int i = 0; i < 4; ++i) {
      ASSERT_FALSE(classify(text, kHere).read_only) << "seed " << seed << ": " << text;
      text += maker.any_of(kAfter);
    }
  }
}

}  // namespace
}  // namespace deft::shell
