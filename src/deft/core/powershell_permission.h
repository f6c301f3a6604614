#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "deft/core/powershell_line.h"
#include "deft/core/removal.h"
#include "deft/core/rule_book.h"
#include "deft/core/shell_permission.h"

namespace deft {

// One PowerShell line against the rules. It is read by its words only, so that a word which may be a path counts as
// one, and what is not understood as whatever it may be.
class PowerShellPermission {
 public:
  struct Where {
    std::string directory;
    std::string home;
  };
  PowerShellPermission(const RuleBook& rules, std::string_view tool, std::string_view text, const PathView& paths,
                       Where where);

  // Deny or ask: by its commands, and by the paths that it names (rules for Read and Edit).
  RuleMatch match(RuleList list) const;
  // The rule that allows it; of several commands each is allowed by one.
  const PlacedRule* allow_rule() const;
  // A write to a protected or suspicious place, in words.
  std::optional<std::string> protected_write() const;
  // See removal.h.
  std::optional<std::string> removes_critical(const CriticalPlaces& places) const;
  // A path that it names and that `is_blocked` says no to.
  template <class IsBlocked>
  std::optional<std::string> blocked_path(const IsBlocked& is_blocked) const {
    for (const std::string& word : line_.words) {
      const bool is_path = word.starts_with('/') || word.starts_with('~') || word.find("..") != std::string::npos;
      if (is_path && is_blocked(path_of(word), !only_reads_)) return word;
    }
    return std::nullopt;
  }

 private:
  RuleMatch match_paths(RuleList list) const;
  const PlacedRule* rule_for_path(RuleList list, std::string_view tool, const TouchedPath& path) const;
  TouchedPath path_of(const std::string& word) const;
  bool are_paths_unclear() const;
  bool writes_by_cmdlet() const;
  bool takes_trees() const;

  const RuleBook& rules_;
  const std::string tool_;
  const std::string text_;
  const PathView& paths_;
  const Where where_;
  const PowerShellLine line_;
  const bool only_reads_;
};

}  // namespace deft
