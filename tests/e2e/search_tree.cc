#include "search_tree.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "deft/base/check.h"
#include "deft/testing/run_command.h"
#include "deft/testing/sim_random.h"

namespace deft::testing {
namespace {

using namespace std::string_view_literals;

constexpr int kFolders = 150;
constexpr int kFilesPerFolder = 20;

constexpr auto kFolderNames = std::to_array<std::string_view>(
    {"src", "lib", "test", "docs", "build", "node_modules", "gen", "deep", ".config", "a b", "vendor", "old"});
constexpr auto kStems = std::to_array<std::string_view>(
    {"main", "util", "readme", "index", "keep", "skip", "tmp", "parser", "x", "data", "Makefile", "\xC3\xA9t\xC3\xA9"});
constexpr auto kEndings = std::to_array<std::string_view>(
    {".c", ".h", ".cc", ".py", ".js", ".min.js", ".ts", ".md", ".log", ".o", ".txt", "", ".json", "~"});
constexpr auto kWords = std::to_array<std::string_view>({"foo",
                                                         "bar",
                                                         "foobar",
                                                         "Foo",
                                                         "FOO",
                                                         "return",
                                                         "int",
                                                         "std::unique_ptr<const int>",
                                                         "TODO",
                                                         "FIXME",
                                                         "0x1F",
                                                         "na\xC3\xAFve",
                                                         "\xCE\xB1\xCE\xB2\xCE\xB3",
                                                         "stra\xC3\x9F"
                                                         "e",
                                                         "{",
                                                         "}",
                                                         "x = 1;",
                                                         "2024-01-31",
                                                         "#define X",
                                                         "\"use strict\"",
                                                         "a_iterator<Tree>",
                                                         "\xF0\x9F\x8C\xB3",
                                                         "\xE2\x84\xAA"
                                                         "elvin",
                                                         "\xC5\xBF"
                                                         "ee"});
// Nothing with braces: to git they are letters, and to us, while ripgrep takes them for a choice (its issue 1221).
constexpr auto kRules = std::to_array<std::string_view>(
    {"*.o\n*.log\n!keep.log\n", "/build/\n*.min.js\n", "tmp*\n!tmp.c\n", "**/gen/**\n!**/gen/keep.c\n",
     "node_modules\n", "docs/*.txt\n", "skip.[ch]\n\\!x\n", "/x.*\n!/x.md\n", "*\n!*/\n!*.c\n!*.py\n",
     "deep/**/data.json\n", "*~\n# end\n", "a\\ b/\n", "?til.*\r\n", "[mx]*.js\n"});

std::string random_text(sim::Random& random) {
  const std::string_view line_end = random.chance(15) ? "\r\n" : "\n";
  std::string text;
  for (std::size_t lines = random.below(30); lines > 0; --lines) {
    for (std::size_t words = random.below(8); words > 0; --words) {
      text += random.chance(20) ? "  " : "";
      text += kWords[random.below(kWords.size())];
      text += words > 1 ? " " : "";
    }
    if (lines > 1 || !random.chance(20)) text += line_end;
  }
  return text;
}

std::string in_utf16(std::string_view ascii, bool big_endian) {
  std::string out = big_endian ? "\xFE\xFF" : "\xFF\xFE";
  for (const char c : ascii) {
    if (big_endian) out += '\0';
    out += c;
    if (!big_endian) out += '\0';
  }
  return out;
}

std::string filler(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += "plain words in a line of ordinary length, again and again\n";
  return text;
}

// Folders with files of a few lines each, here and there an ignore file.
void plant_many(const TempFolder& folder, const std::string& at) {
  sim::Random random(7);
  std::vector<std::string> folders = {at};
  for (int i = 0; i < kFolders; ++i) {
    const std::string parent = folders[random.below(folders.size())];
    const std::string_view name = kFolderNames[random.below(kFolderNames.size())];
    folders.push_back(parent + "/" + std::string(name));
  }
  for (const std::string& path : folders) {
    for (int i = 0; i < kFilesPerFolder; ++i) {
      const std::string dot = random.chance(5) ? "." : "";
      const std::string number = random.chance(60) ? std::to_string(i) : "";
      // One after the other, each with a name: compilers evaluate the parts of an expression in different orders.
      const std::string_view stem = kStems[random.below(kStems.size())];
      const std::string_view ending = kEndings[random.below(kEndings.size())];
      const std::string text = random_text(random);
      folder.put(path + "/" + dot + std::string(stem) + number + std::string(ending), text);
    }
    for (const std::string_view name : {".gitignore"sv, ".gitignore"sv, ".ignore"sv, ".rgignore"sv}) {
      if (random.chance(12)) folder.put(path + "/" + std::string(name), kRules[random.below(kRules.size())]);
    }
  }
}

void plant_oddities(const TempFolder& folder, const std::string& at) {
  folder.put(at + "/empty", "");
  folder.put(at + "/newline", "\n");
  folder.put(at + "/newlines", "\n\n\n");
  folder.put(at + "/no newline", "foo");
  folder.put(at + "/returns", "foo\r\nbar\r\n\r\nfoo bar\r");
  folder.put(at + "/utf16-le", in_utf16("one foo\r\ntwo\nfoo bar\n", false));
  folder.put(at + "/utf16-be", in_utf16("one foo\r\ntwo\nfoo bar\n", true));
  folder.put(at + "/utf8-bom",
             "\xEF\xBB\xBF"
             "foo\nbar\n");
  folder.put(at + "/not utf8", "foo \xE9t\xE9\nb\xFF\xFEr foo\n\xC3\n\xE2\x82 foo \xF0\x9F\n");
  folder.put(at + "/long", "foo" + std::string(2'000, 'x') + " bar\nfoo\n" + std::string(200'000, 'y') + " foo\nbar\n");
  folder.put(at + "/binary at once", "foo\0bar\nfoo\n"sv);
  folder.put(at + "/binary later", "foo\n" + filler(20'000) + std::string("\0", 1) + "\nfoo\n");
  folder.put(at + "/binary far on", "foo\n" + filler(200'000) + "foo\n" + std::string("\0", 1) + "\nfoo\n");
  folder.put(at + "/large", "foo\n" + filler(300'000) + "foo\nbar\n" + filler(70'000) + "foo");
  folder.put(at + "/name \xE9 not utf8", "foo\n");
  folder.put(at + "/.hidden folder/.hidden file", "foo\n");
  folder.put(at + "/-dash", "foo\n");
  folder.put(at + "/[brackets] {braces}", "foo\n");
  folder.put(at + "/a.b/c", "foo\n");  // "a.b/" stands behind "a/" and before "a.b.c"
  folder.put(at + "/a/c", "foo\n");
  folder.put(at + "/a.b.c", "foo\n");
}

void plant_links(const TempFolder& folder, const std::string& at) {
  std::filesystem::create_symlink("large", folder / (at + "/link to a file"));
  std::filesystem::create_symlink(".", folder / (at + "/link to itself"));
  std::filesystem::create_symlink("missing", folder / (at + "/link to nothing"));
  std::filesystem::create_symlink("../..", folder / (at + "/a/link upwards"));
  DEFT_CHECK(::mkfifo((folder / (at + "/pipe")).c_str(), 0600) == 0);
}

void plant_repositories(const TempFolder& folder, const std::string& at) {
  DEFT_CHECK(run_command({"git", "init", "-q", "."}, folder / at, "git").exit_code == 0);
  folder.put(at + "/.git/info/exclude", "excluded*\n/only here\n");
  folder.put(at + "/.gitignore", "*.o\n!/src/\n*.bak\n!important.bak\n");
  for (const char* name :
       {"excluded.txt", "only here", "a/only here", "x.bak", "important.bak", "global.x", "a/global.x"}) {
    folder.put(at + "/" + name, "foo\n");
  }
  // One inside the other knows only its own rules.
  folder.put(at + "/inner/x.bak", "foo\n");
  folder.put(at + "/inner/y.own", "foo\n");
  folder.put(at + "/inner/excluded.txt", "foo\n");
  folder.put(at + "/inner/.gitignore", "*.own\n");
  DEFT_CHECK(run_command({"git", "init", "-q", "."}, folder / (at + "/inner"), "git").exit_code == 0);
}

}  // namespace

SearchTree::SearchTree() : checkout(folder / "checkout"), home(folder / "home") {
  folder.put("home/.config/git/ignore", "global.*\n");
  plant_many(folder, "checkout");
  plant_oddities(folder, "checkout/odd");
  plant_links(folder, "checkout/odd");
  plant_repositories(folder, "checkout");
}

const SearchTree& shared_search_tree() {
  static const SearchTree tree;
  return tree;
}

}  // namespace deft::testing
