#include "deft/core/hook_fold.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace deft {
namespace {

void join_line(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty()) text += "\n";
  text += more;
}

template <class Value>
void take_if_given(std::optional<Value>& into, std::optional<Value>& given) {
  if (given) into = std::move(given);
}

void add_verdict(HookAnswer& answer, HookOutcome& outcome) {
  if (!answer.verdict) return;
  if (outcome.verdict && *outcome.verdict > *answer.verdict) return;
  if (!outcome.verdict || *outcome.verdict < *answer.verdict) outcome.reason.clear();
  outcome.verdict = answer.verdict;
  join_line(outcome.reason, answer.reason);
}

void add_permission(HookAnswer& answer, HookOutcome& outcome) {
  if (!answer.permission) return;
  const bool is_denied_already = outcome.permission && !outcome.permission->allow;
  if (is_denied_already) {
    if (answer.permission->allow) return;
    join_line(outcome.permission->message, answer.permission->message);
    outcome.permission->interrupt = outcome.permission->interrupt || answer.permission->interrupt;
    return;
  }
  outcome.permission = std::move(answer.permission);
}

void add(HookAnswer& answer, HookOutcome& outcome) {
  outcome.cancelled = outcome.cancelled || answer.end == HookReport::End::cancelled;
  add_verdict(answer, outcome);
  add_permission(answer, outcome);
  take_if_given(outcome.updated_input, answer.updated_input);
  take_if_given(outcome.updated_output, answer.updated_output);
  take_if_given(outcome.updated_mcp_output, answer.updated_mcp_output);
  take_if_given(outcome.session_title, answer.session_title);
  take_if_given(outcome.first_prompt, answer.first_prompt);
  take_if_given(outcome.worktree_path, answer.worktree_path);
  if (answer.blocks) join_line(outcome.block_reason, answer.block_reason);
  outcome.blocked = outcome.blocked || answer.blocks;
  if (!answer.context.empty()) outcome.context.push_back(std::move(answer.context));
  if (!answer.message.empty()) outcome.messages.push_back(std::move(answer.message));
  if (answer.stops) join_line(outcome.stop_reason, answer.stop_reason);
  outcome.stops = outcome.stops || answer.stops;
  outcome.retry = outcome.retry || answer.retry;
  outcome.hides_prompt = outcome.hides_prompt || answer.hides_prompt;
}

// "allow" is about the input that the hook saw, or gave: not about one that another hook puts in its place.
void withdraw_foreign_allowances(std::vector<AnsweredHook>& hooks) {
  const auto last = std::ranges::find_if(
      hooks.rbegin(), hooks.rend(), [](const AnsweredHook& hook) { return hook.answer.updated_input.has_value(); });
  if (last == hooks.rend()) return;
  const bool is_allowed = last->answer.verdict == HookVerdict::allow;
  for (AnsweredHook& hook : hooks) {
    if (!is_allowed && hook.answer.verdict == HookVerdict::allow) hook.answer.verdict.reset();
  }
}

}  // namespace

HookOutcome fold_hooks(std::vector<AnsweredHook> hooks) {
  withdraw_foreign_allowances(hooks);
  HookOutcome outcome;
  for (AnsweredHook& hook : hooks) {
    add(hook.answer, outcome);
    hook.report.end = hook.answer.end;
    hook.report.error = std::move(hook.answer.error);
    outcome.reports.push_back(std::move(hook.report));
  }
  return outcome;
}

}  // namespace deft
