#include "deft/core/hook_answer_json.h"

#include <utility>

#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::string_view kSpecific = "hookSpecificOutput";

// A field that is null is as good as missing: many writers of JSON put one where they have nothing to say.
const Json* given(const Json& object, std::string_view key) {
  const Json* value = find(object, key);
  return value && !value->is_null() ? value : nullptr;
}

class AnswerReader {
 public:
  AnswerReader(HookEvent event, const Json& json) : event_(event), json_(json) {}

  HookAnswer read() {
    read_universal();
    read_decision();
    if (const Json* specific = given(json_, kSpecific)) read_specific(*specific);
    if (!problem_) return std::move(answer_);
    keep_what_forbids();
    answer_.end = HookReport::End::failed;
    answer_.error = one_line("Its JSON is not valid: " + *problem_, kHookErrorLineCharactersMax);
    return std::move(answer_);
  }

 private:
  void problem(std::string text) {
    if (!problem_) problem_ = std::move(text);
  }
  std::optional<std::string> text(const Json& object, std::string_view key) {
    const Json* value = given(object, key);
    if (!value) return std::nullopt;
    if (value->is_string()) return std::string(view(value->get_string()));
    problem(std::string(key) + " must be a text");
    return std::nullopt;
  }
  bool flag(const Json& object, std::string_view key, bool otherwise) {
    const Json* value = given(object, key);
    if (!value) return otherwise;
    if (value->is_bool()) return value->get_bool();
    problem(std::string(key) + " must be true or false");
    return otherwise;
  }

  void read_universal() {
    answer_.stops = !flag(json_, "continue", true);
    answer_.stop_reason = text(json_, "stopReason").value_or("");
    answer_.message = text(json_, "systemMessage").value_or("");
    flag(json_, "suppressOutput", false);  // accepted, without effect
  }

  void read_decision() {
    const std::string reason = text(json_, "reason").value_or("");
    const Json* value = given(json_, "decision");
    if (!value) return;
    const auto decision = text(json_, "decision");
    if (decision == "block") {
      block(reason);
    } else if (decision == "approve") {
      if (event_ == HookEvent::pre_tool_use) decide(HookVerdict::allow, reason);
    } else {
      problem("decision must be approve or block");
    }
  }

  void block(const std::string& reason) {
    if (!can_be_blocked(event_)) return;
    const std::string why = reason.empty() ? "Blocked by a hook that gave no reason." : reason;
    answer_.end = HookReport::End::blocked;
    answer_.error = one_line(why, kHookErrorLineCharactersMax);
    if (event_ == HookEvent::pre_tool_use) return decide(HookVerdict::deny, why);
    answer_.blocks = true;
    answer_.block_reason = why;
    if (event_ != HookEvent::post_tool_batch || answer_.stops) return;
    answer_.stops = true;
    answer_.stop_reason = why;
  }

  // Said twice, in the old way and in the new one: the stronger word counts.
  void decide(HookVerdict verdict, const std::string& reason) {
    if (answer_.verdict && *answer_.verdict > verdict) return;
    answer_.verdict = verdict;
    answer_.reason = reason;
  }

  void read_specific(const Json& specific) {
    if (!specific.is_object()) return problem("hookSpecificOutput must be an object");
    const auto name = text(specific, "hookEventName");
    if (name != to_string(event_)) {
      problem("hookSpecificOutput.hookEventName must be " + std::string(to_string(event_)));
    }
    const std::string context = text(specific, "additionalContext").value_or("");
    switch (event_) {
      case HookEvent::pre_tool_use:
        read_pre_tool_use(specific);
        answer_.context = context;
        return;
      case HookEvent::permission_request:
        if (const Json* decision = given(specific, "decision")) read_permission(*decision);
        return;
      case HookEvent::permission_denied: answer_.retry = flag(specific, "retry", false); return;
      case HookEvent::post_tool_use:
        if (const Json* output = given(specific, "updatedToolOutput")) answer_.updated_output = *output;
        if (const Json* output = given(specific, "updatedMCPToolOutput")) answer_.updated_mcp_output = *output;
        answer_.context = context;
        return;
      case HookEvent::session_start:
        answer_.first_prompt = text(specific, "initialUserMessage");
        answer_.session_title = text(specific, "sessionTitle");
        answer_.context = context;
        return;
      case HookEvent::user_prompt_submit:
        answer_.session_title = text(specific, "sessionTitle");
        answer_.hides_prompt = flag(specific, "suppressOriginalPrompt", false);
        answer_.context = context;
        return;
      case HookEvent::post_tool_use_failure:
      case HookEvent::post_tool_batch:
      case HookEvent::subagent_start:
      case HookEvent::stop:
      case HookEvent::user_prompt_expansion:
      case HookEvent::subagent_stop: answer_.context = context; return;
      case HookEvent::worktree_create: answer_.worktree_path = text(specific, "worktreePath"); return;
      case HookEvent::notification:
      case HookEvent::pre_compact:
      case HookEvent::post_compact:
      case HookEvent::session_end:
      case HookEvent::worktree_remove:
      case HookEvent::task_created:
      case HookEvent::task_completed:
      case HookEvent::directory_added:
      case HookEvent::config_change: return;
    }
  }

  void read_pre_tool_use(const Json& specific) {
    const std::string reason = text(specific, "permissionDecisionReason").value_or("");
    if (const Json* input = given(specific, "updatedInput")) {
      if (input->is_object()) {
        answer_.updated_input = *input;
      } else {
        problem("updatedInput must be an object");
      }
    }
    if (!given(specific, "permissionDecision")) return;
    const auto word = text(specific, "permissionDecision");
    if (word == "allow") return decide(HookVerdict::allow, reason);
    if (word == "ask") return decide(HookVerdict::ask, reason);
    if (word == "defer") return decide(HookVerdict::defer, reason);
    if (word == "deny") return block(reason);
    problem("permissionDecision must be allow, deny, ask or defer");
  }

  void read_permission(const Json& decision) {
    if (!decision.is_object()) return problem("decision must be an object");
    const auto behavior = text(decision, "behavior");
    HookPermission permission{.allow = behavior == "allow"};
    if (behavior != "allow" && behavior != "deny") return problem("decision.behavior must be allow or deny");
    permission.message = text(decision, "message").value_or("");
    permission.interrupt = flag(decision, "interrupt", false);
    if (const Json* input = given(decision, "updatedInput")) {
      if (!input->is_object()) problem("decision.updatedInput must be an object");
      permission.updated_input = *input;
    }
    if (const Json* updates = given(decision, "updatedPermissions")) {
      if (updates->is_array()) {
        permission.updated_permissions = updates->get_array();
      } else {
        problem("decision.updatedPermissions must be a list");
      }
    }
    answer_.permission = std::move(permission);
  }

  void keep_what_forbids() {
    HookAnswer kept;
    if (answer_.verdict == HookVerdict::deny) {
      kept.verdict = answer_.verdict;
      kept.reason = std::move(answer_.reason);
    }
    kept.blocks = answer_.blocks;
    kept.block_reason = std::move(answer_.block_reason);
    kept.stops = answer_.stops;
    kept.stop_reason = std::move(answer_.stop_reason);
    kept.message = std::move(answer_.message);
    if (answer_.permission && !answer_.permission->allow) kept.permission = std::move(answer_.permission);
    answer_ = std::move(kept);
  }

  const HookEvent event_;
  const Json& json_;
  HookAnswer answer_;
  std::optional<std::string> problem_;
};

}  // namespace

HookAnswer answer_of_json(HookEvent event, const Json& json) { return AnswerReader(event, json).read(); }

}  // namespace deft
