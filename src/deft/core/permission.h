#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/meaning_grant.h"
#include "deft/core/mode.h"
#include "deft/core/rule_book.h"
#include "deft/core/shell_permission.h"

// Whether a call may run: rules, mode and directories at one moment, and the order in which they decide.

namespace deft {

enum class Verdict : std::uint8_t { allow, ask, deny };

std::string_view to_string(Verdict verdict);

// Which step of the chain decided. Stable words: `to_string` is part of the event format.
enum class PermissionStage : std::uint8_t {
  hook,
  deny_rule,
  policy,
  plan_mode,
  ask_rule,
  tool_check,
  bypass_mode,
  protected_path,
  allow_rule,
  read_only,
  accept_edits,
  classifier,
  nobody_allowed_it,
};
std::string_view to_string(PermissionStage stage);

struct Decision {
  Verdict verdict = Verdict::ask;
  PermissionStage stage = PermissionStage::nobody_allowed_it;
  std::string rule = {};     // as written, if a rule decided
  std::string reason = {};   // one sentence for people and for the model
  std::string source = {};   // where the rule comes from: "project", or a file
  std::string command = {};  // of a shell: the simple command that it is about
  // Of a tool that names its paths: where they led, so what it is about. Whoever carries it out uses these and no
  // others.
  std::vector<std::string> paths = {};
};

// What a tool thinks of a call by itself.
struct OwnVerdict {
  Verdict verdict = Verdict::ask;
  std::string reason;
  bool even_in_bypass = false;  // ask: nobody should approve this by rule or mode
};

// What a classifier thinks of a call that nobody else settles.
struct RiskOpinion {
  bool is_harmless = false;
  std::string reason = {};
  bool is_forbidden = false;  // by what the settings say must never happen in auto mode
  // It was held against what a person has granted by meaning, and against nothing else: then it counts in every mode
  // but plan. Else in auto mode alone.
  bool by_grant = false;
};

// Such an opinion would settle a call.
struct OpinionWanted {
  bool by_grant = false;
  std::vector<std::string> granted = {};  // in words, for this tool
};

// One call, as the chain sees it.
struct PermissionQuestion {
  std::string tool;
  std::vector<std::string> aliases = {};
  std::optional<McpToolName> mcp = std::nullopt;  // of a server's tool: what rules know it by
  const Json* input = nullptr;                    // nothing: rules with a specifier have only the paths below to go by
  std::string working_directory = {};             // now; empty: that of the permissions
  bool read_only = false;
  bool session_only = false;  // touches nothing but the session's own state
  bool uses_network = false;
  bool edits_files = false;             // writes only the paths below
  std::vector<std::string> paths = {};  // everything it touches
  bool all_paths_known = false;         // and they are canonical
  bool hides_denied_files = false;      // searches trees, and leaves out what is denied
  std::optional<OwnVerdict> own_verdict = std::nullopt;
  std::optional<Verdict> hook_verdict = std::nullopt;  // what PreToolUse hooks said together
  std::string hook_reason = {};
  std::optional<RiskOpinion> opinion =
      std::nullopt;          // of a classifier that was asked; nothing: the built-in one judges
  bool auto_paused = false;  // too much was risky: auto mode asks until somebody approves
};

// The rules of one source of settings.
struct PermissionSource {
  PermissionRules rules;
  SettingSource source = SettingSource::command_line;
  std::string origin = {};  // a file, for people
  std::string root = {};    // what "/p" means in its patterns; empty: the working directory
};

struct PermissionSetup {
  std::vector<PermissionSource> sources = {};
  std::vector<PermissionSource> turn_sources = {};  // beside them, until the turn ends
  Mode mode = Mode::normal;
  std::string directory = "/";  // the session's working directory, absolute
  // The session works in a worktree, `directory`, of this folder: what patterns say of the one is said of both.
  std::string moved_from = {};
  std::string home = {};
  std::vector<std::string> directories = {};  // absolute; further ones that calls may work in
  std::vector<std::string> readable = {};     // absolute; that may also be read, but not worked in
  bool trusted = true;                        // false: what the folder itself allows does not count
  bool bypass_forbidden = false;              // by policy; then bypass and auto are the default mode
  bool auto_forbidden = false;
  bool classify_all_shell = false;  // in auto mode no rule and no habit allows a command: the classifier looks at each
  std::vector<MeaningGrant> meanings = {};  // that people have granted with a plan
  bool only_managed_rules = false;          // nobody else may allow
  bool bypass_available = false;            // it may be changed to; whoever starts with bypass has it
  bool deny_instead_of_asking = false;
  bool block_reads_outside = false;
  bool block_writes_outside = false;
  std::string plan_file = {};     // canonical; plan mode lets it be written
  ResolvePath resolve = nullptr;  // empty: by text alone
  ListFolder list = nullptr;      // to know what patterns match; empty: with `resolve`, they are asked for
  shell::FileView files = {};     // for git's configuration
};

// Immutable: a decision under way never changes. May be used from several threads at once, if the setup's functions
// may.
class Permissions final : private PathView {
 public:
  explicit Permissions(PermissionSetup setup);
  // Rules of one source, the first directory being the working directory.
  Permissions(PermissionRules rules, Mode mode, std::vector<std::string> directories);
  Permissions(const Permissions&) = delete;
  Permissions& operator=(const Permissions&) = delete;

  Decision decide(const PermissionQuestion& question) const;
  // Whether a classifier should be asked about it: never where a rule, a hook, a safety check or the mode decides.
  std::optional<OpinionWanted> wants_opinion(const PermissionQuestion& question) const;
  // A deny rule forbids the tool wholly: the model never sees it.
  bool forbids_wholly(std::string_view tool, const std::vector<std::string>& aliases,
                      const std::optional<McpToolName>& mcp = std::nullopt) const;
  // A rule forbids to read this file; for tools that search trees. `path` is canonical.
  bool hides(std::string_view path) const;
  bool hides_anything() const;
  Mode mode() const { return setup_.mode; }
  const PermissionSetup& setup() const { return setup_; }  // what they were made from
  // What people should know about the rules.
  std::vector<std::string> warnings() const { return rules_.warnings(); }

 private:
  struct Call;
  void add_rules(const PermissionSource& source, const std::string& directory, const std::string& root);
  Decision walk_chain(const Call& call) const;
  Call look_at(const PermissionQuestion& question) const;
  std::vector<TouchedPath> touched_by(const PermissionQuestion& question, const Subject& subject) const;
  const PlacedRule* rule_for_tool(RuleList list, const Call& call) const;
  RuleMatch match(RuleList list, const Call& call) const;
  RuleMatch match_subject(RuleList list, const Call& call) const;
  RuleMatch match_touched(RuleList list, const Call& call) const;
  const PlacedRule* allow_rule(const Call& call) const;
  std::optional<std::string> protected_or_suspicious(const Call& call) const;
  std::optional<std::string> blocked_outside(const Call& call) const;
  std::optional<Decision> allowed_by_itself(const Call& call) const;
  Acceptance acceptance(const Call& call) const;
  bool is_left_to_classifier(const Call& call) const;
  std::optional<Decision> by_opinion(const Call& call) const;
  bool is_about_plan(const Call& call) const;

  TouchedPath touch(const std::string& path) const override;
  bool may_read(const TouchedPath& path) const override;
  bool is_inside(const TouchedPath& path) const override;
  const PlacedRule* rule_for_writing(const TouchedPath& path) const override;
  bool may_read_matches(const std::string& glob) const override;
  bool is_in_directories(std::string_view path) const;
  bool is_readable(std::string_view path) const;
  const PlacedRule* matches_both(const TouchedPath& path, std::string_view tool) const;
  const PlacedRule* allows_path(const Call& call, const TouchedPath& path) const;

  PermissionSetup setup_;
  RuleBook rules_;
  std::vector<std::string> inside_;    // the directories, as written and as resolved
  std::vector<std::string> readable_;  // in the same way
};

}  // namespace deft
