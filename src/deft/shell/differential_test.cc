#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "deft/shell/commands.h"
#include "deft/shell/parse.h"
#include "deft/testing/places.h"

// What bash really does, beside what we say it does. Generated snippets run under bash in an empty folder with an empty
// PATH; a handler writes down each command that bash would have started. Each must be among those that the reduction
// shows, with words that fit, or the reduction must have said that it cannot tell.

namespace deft::shell {
namespace {

using Argv = std::vector<std::string>;

// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = "/tmp/deft_shell_XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct RealRun {
  int status = 0;
  std::vector<Argv> commands;
};

// Runs bash with `arguments` and waits until it and all that it left behind has ended: they all hold the same pipe.
int run_bash(const std::vector<std::string>& arguments, const std::string& folder, const std::string& log) {
  std::vector<std::string> environment = {
      "PATH=/nonexistent",
      "HOME=/home/u",
      "LOG=" + log,
      "set=one",
      "two=a b",
      "dash=-x",
      "star=*",
      "BASH_FUNC_command_not_found_handle%%=() { printf '%s\\0' \"$@\" $'\\1' >> \"$LOG\"; return 0; }"};
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::vector<std::string> words = {"bash", "--norc", "--noprofile"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& entry : environment) envp.push_back(entry.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  int pipe_ends[2] = {-1, -1};
  EXPECT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 99);
  pid_t pid = 0;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);  // whatever it does, it does not do it to us
  const int error = posix_spawn(&pid, "/bin/bash", &actions, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  EXPECT_EQ(error, 0);
  int status = -1;
  if (error == 0) waitpid(pid, &status, 0);
  char byte = 0;
  while (read(pipe_ends[0], &byte, 1) > 0) {
  }
  close(pipe_ends[0]);
  return status;
}

RealRun run_for_real(const std::string& text, const std::string& folder) {
  const std::string log = folder + "/../" + std::filesystem::path(folder).filename().string() + ".log";
  std::filesystem::remove(log);
  RealRun run;
  run.status = run_bash({"-c", "ulimit -t 2 -f 1000\n" + text}, folder, log);
  std::ifstream file(log, std::ios::binary);
  Argv current;
  for (std::string word; std::getline(file, word, '\0');) {
    if (word == "\1") {
      run.commands.push_back(std::move(current));
      current.clear();
    } else {
      current.push_back(word);
    }
  }
  std::filesystem::remove(log);
  return run;
}

bool bash_accepts(const std::string& text, const std::string& folder) {
  return run_bash({"-n", "-c", "\n" + text}, folder, "/dev/null") == 0;  // a text that begins with "-" is no option
}

// Does `argv`, from `word` on, fit the arguments from `argument` on?
bool fits(const std::vector<Argument>& arguments, std::size_t argument, const Argv& argv, std::size_t word) {
  if (argument == arguments.size()) return word == argv.size();
  const Argument& expected = arguments[argument];
  const auto begins_well = [&](const std::string& text, bool is_first) {
    if (expected.extent == Extent::spread && !is_first) return true;
    if (expected.dashless && text.starts_with('-')) return false;
    if (expected.is_integer && text.find_first_not_of("-0123456789") != std::string::npos) return false;
    return text.starts_with(expected.text);
  };
  if (expected.is_one_word()) {
    if (word == argv.size()) return false;
    const bool is_same = expected.is_exact() ? argv[word] == expected.text : begins_well(argv[word], true);
    return is_same && fits(arguments, argument + 1, argv, word + 1);
  }
  for (std::size_t taken = 0; word + taken <= argv.size(); ++taken) {
    if (taken > 0 && !begins_well(argv[word + taken - 1], taken == 1)) return false;
    if (fits(arguments, argument + 1, argv, word + taken)) return true;
  }
  return false;
}

bool shows(const Commands& commands, const Argv& argv) {
  for (const CommandUse& use : commands.commands) {
    if (!use.words.empty() && fits(use.words, 0, argv, 0)) return true;
  }
  return false;
}

bool says_that_it_cannot_tell(const Commands& commands) {
  for (const Note& note : commands.notes) {
    if (note.kind == NoteKind::runs_text || note.kind == NoteKind::evaluates || note.kind == NoteKind::given_up)
      return true;
  }
  return false;
}

std::string shown(const Argv& argv) {
  std::string out;
  for (const std::string& word : argv) out += "[" + word + "] ";
  return out;
}

// Random scripts whose commands are markers m1, m2, … Each marker stands once, so that none can hide behind another.
class SnippetMaker {
 public:
  explicit SnippetMaker(std::uint32_t seed) : random_(seed) {}

  std::string make() {
    marker_ = 0;
    documents_.clear();
    std::string text = list(3);
    return text + end_of_line();
  }

 private:
  std::uint32_t pick(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }
  bool one_in(std::uint32_t count) { return pick(count) == 0; }
  std::string any_of(std::initializer_list<const char*> choices) {
    return *(choices.begin() + pick(static_cast<std::uint32_t>(choices.size())));
  }
  std::string marker() { return "m" + std::to_string(++marker_); }

  std::string end_of_line() {
    std::string text = "\n";
    for (const std::string& document : documents_) text += document;
    documents_.clear();
    return text;
  }

  std::string list(int depth) {
    std::string text = pipeline(depth);
    for (std::uint32_t i = pick(3); i > 0; --i) {
      const std::string separator =
          documents_.empty() ? any_of({"; ", " && ", " || ", "\n", " &\n", " ;\n# c\n"}) : end_of_line();
      text += separator;
      text += pipeline(depth);
    }
    return text;
  }

  // Inside a substitution nothing of a here-document may be open.
  std::string closed_list(int depth) {
    const auto outer = std::exchange(documents_, {});
    std::string text = list(depth);
    if (!documents_.empty()) text += end_of_line();
    documents_ = outer;
    return text;
  }

  // What the parser refuses on purpose inside substitutions is made seldom, so that enough is left to compare.
  std::string substituted_list(int depth) {
    ++substitutions_;
    std::string text = closed_list(depth);
    --substitutions_;
    return text;
  }

  std::string pipeline(int depth) {
    const bool is_timed = one_in(20) && (substitutions_ == 0 || one_in(10));
    std::string text = one_in(12) ? "! " : is_timed ? "time " : "";
    text += command(depth);
    if (one_in(5)) text += any_of({" | ", "|", " |& "}) + command(depth);
    return text;
  }

  std::string command(int depth) {
    if (depth <= 0 || pick(10) < 6) return simple(depth);
    --depth;
    switch (pick(9)) {
      case 0: return "( " + closed_list(depth) + " )" + redirection(depth);
      case 1: return "{ " + closed_list(depth) + "\n}" + redirection(depth);
      case 2:
        return "if " + closed_list(depth) + "\nthen " + closed_list(depth) + "\nelse " + closed_list(depth) + "\nfi";
      case 3: return "for v in " + words(depth) + "\ndo " + closed_list(depth) + "\ndone";
      case 4: return "while " + closed_list(depth) + "\ndo " + closed_list(depth) + "\nbreak\ndone";
      case 5:
        return "case " + word(depth) + " in a|" + word(0) + ") " + closed_list(depth) + "\n;; *) " +
               closed_list(depth) + "\nesac";
      case 6:
        return "[[ " + any_of({"-n ", "-f ", ""}) + word(depth) + " && " + word(depth) + " == " + word(depth) + " ]]";
      case 7: {
        const std::string name = "f" + std::to_string(++functions_);  // its own, or it would call itself for ever
        return name + "() { " + closed_list(depth) + "\n}\n" + name + " " + words(depth);
      }
      default: return "(( " + arithmetic(depth) + " ))";
    }
  }

  std::string simple(int depth) {
    std::string text;
    while (one_in(6)) text += any_of({"a=", "b=", "v=", "a+="}) + (one_in(4) ? std::string() : word(depth)) + " ";
    if (one_in(20)) return text + "x" + "=" + word(depth);
    text += one_in(8) ? word(depth) : marker();
    for (std::uint32_t i = pick(4); i > 0; --i) text += any_of({" ", "  ", " \\\n "}) + word(depth);
    if (one_in(6)) text += redirection(depth);
    return text;
  }

  std::string redirection(int depth) {
    switch (pick(9)) {
      case 0: return " > /dev/null";
      case 1: return " 2>&1";
      case 2: return " 2>/dev/null";
      case 3: return " <<< " + word(depth);
      case 4: return " < /dev/null";
      case 5: return " &>/dev/null";
      case 6: {
        if (!documents_.empty() || (substitutions_ > 0 && !one_in(20))) return "";
        const bool is_quoted = one_in(3);
        documents_.push_back("text " + document_text(depth) + "\nEND\n");
        return is_quoted ? " << 'END'" : any_of({" <<END", " << END"});
      }
      default: return "";
    }
  }

  std::string document_text(int depth) {
    switch (pick(6)) {
      case 0: return "$set \"quoted\" 'single'";
      case 1: return depth > 0 ? "$( " + substituted_list(depth - 1) + "\n)" : "x";
      case 2: return depth > 0 ? "`" + marker() + "`" : "x";
      case 3: return "\\$(" + marker() + ") \\\\ \\\nnext";
      case 4: return "${none:-" + (depth > 0 ? "$(" + marker() + ")" : std::string("x")) + "}";
      default: return "END x";
    }
  }

  std::string words(int depth) {
    std::string text = word(depth);
    for (std::uint32_t i = pick(3); i > 0; --i) text += " " + word(depth);
    return text;
  }

  std::string word(int depth) {
    std::string text = piece(depth);
    while (one_in(3)) text += piece(depth);
    return text;
  }

  std::string piece(int depth) {
    if (depth > 0 && one_in(4)) return substitution(depth - 1);
    switch (pick(24)) {
      case 0: return "'q $(no) `no`'";
      case 1: return "\"" + quoted_text(depth) + "\"";
      case 2: return any_of({"\\ ", "\\$", "\\\\", "\\'", "\\\"", "\\*", "\\{"});
      case 3: return any_of({"$set", "$two", "$dash", "$none", "$star", "$v", "$a", "$HOME", "$?", "$#"});
      case 4:
        return any_of({"${set}", "${two}", "${v}", "${#set}", "${set%e}", "${two#* }", "${set/o/$two}", "${set^^}"});
      case 5: return "${none:-" + plain(depth) + "}";
      case 6: return "${set:+" + plain(depth) + "}";
      case 7:
        return any_of(
            {"{a,b}", "{1..3}", "{a,b{c,d}}", "{,x}", "{a}", "{}", "{a,b", "x{1,2}y{3,4}", "{a}{b,c}", "{{a,b}"});
      case 8: return any_of({"*", "?", "[ab]*", "-*", "z*"});
      case 9: return any_of({"~", "~/x", "x=~"});
      case 10: return any_of({"$'a\\tb'", "$'\\x2dx'", "$'it\\'s'", "$'\\101'"});
      case 11: return "$((" + arithmetic(depth) + "))";
      case 12: return any_of({"-delete", "--", "-o", "=", "a=b", "#x", "!", "]", "}", "@", "%"});
      default: return any_of({"w", "foo", "a.b", "x/y", "1", "é"});
    }
  }

  std::string plain(int depth) {
    return depth > 0 && one_in(2) ? substitution(depth - 1) : any_of({"w", "a b", "$two", "\"q $set\""});
  }

  std::string quoted_text(int depth) {
    switch (pick(8)) {
      case 0: return "a  b";
      case 1: return "$two ${set}";
      case 2: return depth > 0 ? substitution(depth - 1, /*quoted=*/true) : "x";
      case 3: return "\\$(no) \\`no\\` \\\" \\\\";
      case 4: return "'single' {a,b} *";
      case 5: return "${none:-" + (depth > 0 ? "$(" + marker() + ")" : std::string("d")) + "}";
      case 6: return "$((1+2)) $ #";
      default: return "-x";
    }
  }

  std::string substitution(int depth, bool quoted = false) {
    switch (pick(quoted ? 2 : 4)) {
      case 0: return "$(" + substituted_list(depth) + "\n)";
      case 1: return "`" + marker() + " x`";
      case 2: return "<(" + substituted_list(depth) + "\n)";
      default: return "`" + marker() + " \\`" + marker() + "\\` \\$set`";
    }
  }

  std::string arithmetic(int depth) {
    switch (pick(7)) {
      case 0: return "1 + 2";
      case 1: return "(3*4) % 5";
      case 2: return "$#+1";
      case 3: return depth > 0 ? "$( " + marker() + " ) + 1" : "7";
      case 4: return "i=2, i++";
      case 5: return "two";  // its text is evaluated
      default: return "1 < 2 ? 3 : 4";
    }
  }

  std::mt19937 random_;
  int marker_ = 0;
  int functions_ = 0;
  int substitutions_ = 0;
  std::vector<std::string> documents_;
};

class Differential : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"-x", "a", "b c", "zed", "-delete"}) {
      std::ofstream(folder_.path() + "/" + name) << "x";
    }
  }

  // True if the text was understood and all that ran was shown.
  bool check(const std::string& text) {
    const auto parsed = parse(text);
    if (!parsed) return false;
    EXPECT_TRUE(bash_accepts(text, folder_.path())) << "bash refuses what the parser accepts:\n" << text;
    const Commands commands = commands_of(*parsed, {folder_.path(), "/home/u"});
    const RealRun run = run_for_real(text, folder_.path());
    if (says_that_it_cannot_tell(commands)) return true;
    for (const Argv& argv : run.commands) {
      std::string all;
      for (const CommandUse& use : commands.commands) all += "\n  " + describe(use);
      EXPECT_TRUE(shows(commands, argv)) << "bash ran " << shown(argv) << "\nof\n"
                                         << text << "\nbut these are shown:" << all;
    }
    ran_ += run.commands.size();
    return true;
  }

  TemporaryFolder folder_;
  std::size_t ran_ = 0;
};

std::uint32_t from_environment(const char* name, std::uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::atoi(text));
}

TEST_F(Differential, EveryCommandThatBashRunsIsAmongThoseThatAreShown) {
  constexpr std::uint32_t kSnippets = 100;
  const std::uint32_t first = from_environment("DEFT_DIFFERENTIAL_SEED", 1);
  const std::uint32_t count = from_environment("DEFT_DIFFERENTIAL_SNIPPETS", kSnippets);
  std::uint32_t understood = 0;
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string text = SnippetMaker(seed).make();
    if (check(text)) ++understood;
    if (HasFailure()) break;
  }
  EXPECT_GT(understood, count / 2) << "the generator makes too much that is not understood";
  EXPECT_GT(ran_, count) << "too little was really run";
}

// One character more, less or other than in a text that is right: near mistakes are where two readers differ.
std::string with_a_slip(std::string text, std::mt19937& random) {
  constexpr std::string_view kCharacters = " \t\n;&|()<>'\"\\$`*?[]{}~#!=:,-+/%^@aEm1";
  const char c = kCharacters[random() % kCharacters.size()];
  const std::size_t place = random() % text.size();
  switch (random() % 3) {
    case 0: text.insert(place, 1, c); break;
    case 1: text.erase(place, 1); break;
    default: text[place] = c;
  }
  return text;
}

TEST_F(Differential, WhatTheParserAcceptsBashAcceptsToo) {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(DEFT_SOURCE_DIR "/tests/fuzz/corpus/shell")) {
    std::ifstream file(entry.path(), std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  EXPECT_GT(texts.size(), 20U);
  constexpr std::uint32_t kSlips = 200;
  const std::uint32_t first = from_environment("DEFT_DIFFERENTIAL_SEED", 1);
  const std::uint32_t count = from_environment("DEFT_DIFFERENTIAL_SLIPS", kSlips);
  std::mt19937 random(first);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string text = SnippetMaker(first + i / 8).make();
    for (auto slips = 1 + random() % 3; slips > 0 && text.size() > 1; --slips) {
      text = with_a_slip(std::move(text), random);
    }
    texts.push_back(std::move(text));
  }
  std::size_t accepted = 0;
  for (const std::string& text : texts) {
    if (!parse(text)) continue;
    ++accepted;
    ASSERT_TRUE(bash_accepts(text, folder_.path())) << "bash refuses what the parser accepts:\n" << text;
  }
  EXPECT_GT(accepted, count / 10) << "too little was accepted";
}

// Commands in each place where bash can find one, written by hand: all must be shown or the text refused.
TEST_F(Differential, CommandsInOddPlacesAreShown) {
  for (const char* text : {"m1 \"${none:-`m2`}\"",
                           "m1 ${none=$(m2)}",
                           "m1 \"$(m2 \"$(m3)\")\"",
                           "m1 `m2 \\`m3\\``",
                           "m1 <<-E\n\t`m2`\n\tE\n",
                           "m1 <<E\n${none:-$(m2)}\nE\n",
                           "time m1",
                           "! m1 && m2 || m3",
                           "m1 | m2 |& m3",
                           "m1 & m2",
                           "{ m1; } 2>&1 | ( m2 )",
                           "case $(m1) in $(m2)) m3;; *) m4;; esac",
                           "for v in $(m1) `m2`; do m3 $v; done",
                           "if m1; then m2; else m3; fi",
                           "while m1; do m2; break; done",
                           "f() { m1; }; f; m2",
                           "function g { m1; }\ng",
                           "[[ $(m1) == $(m2) ]] || m3",
                           "(( $(m1) + 1 )); m2",
                           "for ((i=0;i<2;i++)); do m1 $i; done",
                           "x=$(m1) m2",
                           "x=(a $(m1)); m2 \"${x[@]}\"",
                           "m1 $(m2)$(m3)x",
                           "m1 {a,$(m2)}",
                           "m1 $'a\\'b' c",
                           "m1 a\\\n b",
                           "m1 #c\nm2",
                           "m1 a#b",
                           "m1;m2&&m3",
                           "m1 >/dev/null<<<$(m2)",
                           "m1 <(m2) >(m3)",
                           "p''1 x",
                           "'m1' \"m2\"",
                           "$'m1'",
                           "v=m1; $v a; \"$v\" b",
                           "v='m1 a'; $v",
                           "m1 ${set/o/$(m2)}",
                           "m1 \"a\nb\"; m2",
                           "m1 'a\nb'\nm2",
                           "( m1; ( m2 ) )",
                           "{ m1\n}",
                           "m1 $((1 + $(m2)))",
                           "m1 $(m2 <<E\nx\nE\n)",
                           "set -- a; m1 \"$@\"",
                           "v=1; (v=2; m1 $v); m2 $v",
                           "v=1 | m1; m2 $v",
                           "v=a; for v in b c; do m1 $v; done; m2 $v",
                           "cd /tmp && m1; m2",
                           "! ! m1",
                           "m1 || { m2; m3; }",
                           "until m1; do m2; done",
                           "m1 \\; m2",
                           "m1 \"$set\"'$set'$set",
                           "m1 ~ ~/x a=~",
                           "m1 [a]* {1..3}"}) {
    SCOPED_TRACE(text);
    check(text);
  }
  EXPECT_GT(ran_, 60U) << "too little was really run";
}

}  // namespace
}  // namespace deft::shell
