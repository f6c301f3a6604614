#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "deft/base/glob.h"

namespace deft {

inline constexpr std::size_t kIgnoreRulesMax = 100'000;

enum class IgnoreVerdict : std::uint8_t { no_rule, ignored, kept };

// The rules of one .gitignore file (or of a file with the same syntax), as git understands them. Immutable, for any
// number of threads. What is in an ignored folder is ignored without being asked for: no rule brings it back.
class IgnoreFile {
 public:
  // Never fails: a line that makes no sense matches nothing, as in git.
  static IgnoreFile parse(std::string_view text);

  bool is_empty() const { return rules_.empty(); }
  // `path` as seen from the folder that the file is in, without a slash at its ends. The last rule that matches
  // decides.
  IgnoreVerdict match(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    bool keeps = false;  // began with '!'
    bool folders_only = false;
    bool whole_path = false;  // held a slash: matches the path and not just the name
    std::optional<Glob> glob;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using RulesByText = std::unordered_map<std::string, std::vector<std::uint32_t>, Hash, std::equal_to<>>;

  void add_line(std::string_view line);
  void find_last(const RulesByText& rules, std::string_view text, bool is_folder, std::int64_t& last) const;

  std::vector<Rule> rules_;
  // Most rules are plain names or "*.extension": those are looked up, not tried one by one.
  RulesByText by_name_;
  RulesByText by_path_;
  RulesByText by_extension_;
  std::vector<std::uint32_t> by_glob_;
};

}  // namespace deft
