#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

enum class Verdict : std::uint8_t { allow, ask, deny };
enum class Mode : std::uint8_t { normal, accept_edits, plan, auto_, dont_ask, bypass };

std::string_view to_string(Verdict verdict);
std::string_view to_string(Mode mode);
// "default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions".
std::optional<Mode> parse_mode(std::string_view text);

// Which step of the chain decided. Stable words: `to_string` is part of the event format.
enum class PermissionStage : std::uint8_t {
  hook,
  deny_rule,
  plan_mode,
  ask_rule,
  tool_check,
  bypass_mode,
  allow_rule,
  read_only,
  accept_edits,
  nobody_allowed_it,
};
std::string_view to_string(PermissionStage stage);

struct Decision {
  Verdict verdict = Verdict::ask;
  PermissionStage stage = PermissionStage::nobody_allowed_it;
  std::string rule;    // as written, if a rule decided
  std::string reason;  // one sentence for people and for the model
};

// `Tool` or `Tool(specifier)`.
struct Rule {
  std::string text;
  std::string tool;
  std::optional<std::string> specifier;
};
Result<Rule> parse_rule(std::string_view text);

struct PermissionRules {
  std::vector<Rule> allow, ask, deny;
};
// Reads {"allow":[…],"ask":[…],"deny":[…]}. A broken rule is an error that names it.
Result<PermissionRules> parse_permission_rules(const Json& permissions);

// What a tool thinks of a call by itself.
struct OwnVerdict {
  Verdict verdict = Verdict::ask;
  std::string reason;
  bool even_in_bypass = false;  // ask: nobody should approve this by rule or mode
};

// One call, as the chain sees it.
struct PermissionQuestion {
  std::string tool;
  std::vector<std::string> aliases;
  bool read_only = false;
  bool session_only = false;  // touches nothing but the session's own state
  bool uses_network = false;
  bool edits_files = false;        // writes only the paths below
  std::vector<std::string> paths;  // canonical; everything it touches
  bool all_paths_known = false;
  std::optional<OwnVerdict> own_verdict;
  std::optional<Verdict> hook_verdict;  // what PreToolUse hooks said together
  std::string hook_reason;
};

// Rules, mode and directories at one moment. Immutable: a decision under way never changes.
class Permissions {
 public:
  Permissions(PermissionRules rules, Mode mode, std::vector<std::string> directories);

  Decision decide(const PermissionQuestion& question) const;
  // A deny rule forbids the tool wholly: the model never sees it.
  bool forbids_wholly(std::string_view tool, const std::vector<std::string>& aliases) const;
  Mode mode() const { return mode_; }

 private:
  Decision walk_chain(const PermissionQuestion& question) const;
  bool inside_directories(std::string_view path) const;
  bool all_paths_inside(const PermissionQuestion& question, bool system_folders_too) const;

  PermissionRules rules_;
  Mode mode_;
  std::vector<std::string> directories_;
};

}  // namespace deft
