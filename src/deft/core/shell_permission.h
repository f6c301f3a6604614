#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deft/core/rule_book.h"
#include "deft/core/shell_line.h"
#include "deft/shell/classify.h"
#include "deft/shell/named_paths.h"

namespace deft {

// What a rule has to do with a call.
struct RuleMatch {
  const PlacedRule* rule = nullptr;
  bool is_certain = true;  // false: it may match, but that cannot be told
  std::string command;     // of a shell: the simple command that it is about
  std::string why_uncertain;

  explicit operator bool() const { return rule != nullptr; }
};
// The more certain of two.
RuleMatch stronger(RuleMatch a, RuleMatch b);

// A path that a call touches, in both spellings.
struct TouchedPath {
  std::string written;   // absolute, normal
  std::string resolved;  // without links; equal to `written` if it cannot be resolved
  bool is_resolved = true;

  // Both, or the one that there is.
  std::vector<std::string> spellings() const {
    return resolved == written ? std::vector{written} : std::vector{written, resolved};
  }
};

// What the chain knows, as far as the parts of a command line need it.
class PathView {
 public:
  virtual ~PathView() = default;
  virtual TouchedPath touch(const std::string& path) const = 0;
  virtual bool may_read(const TouchedPath& path) const = 0;   // inside, public, or allowed by a rule
  virtual bool is_inside(const TouchedPath& path) const = 0;  // of the working directories, in both spellings
  virtual const PlacedRule* rule_for_writing(const TouchedPath& path) const = 0;  // that allows it
  // Whatever matches this pattern, links included, may be read. An empty one stands for anything.
  virtual bool may_read_matches(const std::string& glob) const = 0;
};

// What is allowed beside rules.
enum class Acceptance : std::uint8_t {
  nothing,
  edits,       // file commands inside the directories
  local_work,  // and building, testing and committing there
};

// One command line against the rules.
class ShellPermission {
 public:
  ShellPermission(const RuleBook& rules, std::string_view tool, const ShellLine& line, const PathView& paths,
                  const shell::ClassifyOptions& classify)
      : rules_(rules), tool_(tool), line_(line), paths_(paths), classify_(classify) {}

  // Deny or ask: whether any part of it matches, behind wrappers, too.
  RuleMatch match(RuleList list) const;

  struct Allowance {
    bool is_allowed = false;
    const PlacedRule* rule = nullptr;  // one that allowed a part; nothing: no rule was needed
    bool by_edits = false;             // a part was allowed as an edit inside the directories
    bool by_work = false;              // or as work on the project
    std::string missing;               // the part that nothing allows
  };
  // Each part by a rule, or because it only reads, or because it is accepted.
  Allowance allowance(Acceptance acceptance) const;
  // Every path that it names is one that may be read.
  bool reads_only_what_may_be_read() const;
  // A write to a protected or suspicious place, in words.
  std::optional<std::string> protected_write() const;

 private:
  RuleMatch match_use(RuleList list, const shell::CommandUse& use) const;
  RuleMatch match_command(RuleList list, const shell::CommandUse& use) const;
  RuleMatch match_other_name(RuleList list, const shell::CommandUse& use) const;
  RuleMatch match_unknown(RuleList list, const shell::CommandUse& use) const;
  RuleMatch match_paths(RuleList list, const shell::CommandUse& use) const;
  RuleMatch match_path(RuleList list, const shell::NamedPath& path) const;
  RuleMatch any_rule(RuleList list, const std::string& why) const;
  const PlacedRule* allow_rule(const shell::CommandUse& use) const;
  bool only_reads(const shell::CommandUse& use) const;
  bool edits_inside(const shell::CommandUse& use) const;
  bool works_inside(const shell::CommandUse& use) const;
  bool may_be_read(const shell::NamedPath& path) const;
  bool paths_may_be_read(const shell::CommandUse& use) const;
  bool input_may_be_read(const shell::CommandUse& use) const;
  bool runs_git_elsewhere() const;
  bool writes_are_allowed(const shell::CommandUse& use, bool accept_inside, Allowance& out) const;

  const RuleBook& rules_;
  const std::string tool_;
  const ShellLine& line_;
  const PathView& paths_;
  const shell::ClassifyOptions& classify_;
};

}  // namespace deft
