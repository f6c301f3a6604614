#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/os/disk_files.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/tool.h"

// Grep and Glob beside the programs that they stand for: ripgrep, bash's own globs, git.

namespace deft::testing {

// One line of ripgrep's answer. Grep cuts long lines around the match and words its notices in its own way, so of those
// only the beginning is compared.
struct ExpectedLine {
  std::string text;
  bool is_beginning = false;

  bool is_shown_by(std::string_view line) const { return is_beginning ? line.starts_with(text) : line == text; }
};

// A search in a tree by both of them. `home` is the user's, for git's global excludes.
class SearchOracle {
 public:
  explicit SearchOracle(std::string tree, std::string home = "/nonexistent");
  ~SearchOracle();
  SearchOracle(const SearchOracle&) = delete;

  // "" if Grep and ripgrep give the same answer to this input of Grep, else where they differ.
  std::string grep_difference(const JsonObject& input);
  // "" if Glob finds what bash does with this pattern (which may differ in how it is written), else what is different.
  std::string glob_difference(std::string_view pattern, std::string_view in_bash);
  // All files that Glob finds when it respects ignore files: their count, and the newest of them.
  ToolResult glob(const JsonObject& input, bool respect_ignore = false);

  const std::string& tree() const { return tree_; }

 private:
  struct Answer {
    std::vector<std::string> lines;  // as many as were asked for
    std::size_t lines_in_all = 0;
    std::size_t files = 0;
    std::size_t matches = 0;
    bool is_complete = true;
  };
  Answer ask_grep(JsonObject input);
  std::vector<ExpectedLine> ask_ripgrep(const JsonObject& input) const;

  const std::string tree_;
  const std::string home_;
  std::map<std::string, std::string> old_environment_;
  DiskFiles files_;
  ToolBench bench_;
  std::shared_ptr<Tool> grep_;
};

}  // namespace deft::testing
