#include <utility>

#include "deft/agent/executor.h"
#include "deft/agent/executor_records.h"

// Hooks that are asked beside calls, not within one: about a question that a person sees too, about all calls of a
// message, about changed settings; and those that are only told. All of them run on workers and report to the inbox.

namespace deft {

bool Executor::wants_proposals() const {
  return options_.asking != Asking::nobody || parts_.pipeline.listens(HookEvent::permission_request);
}

// --- the same question as to a person: the first who answers settles it ---

void Executor::ask_permission_hooks(CallIndex index) {
  CallRecord& record = active_->calls[index];
  record.question_hooks = {};
  record.question_hooks_run = true;
  const HookScene scene = parts_.pipeline.scene(view_for(index).working_directory(), parts_.permissions->mode());
  parts_.runner.start([inbox = inbox_, pipeline = &parts_.pipeline,
                       call = CallPipeline::call_for_hooks(*record.admitted), tool = record.admitted->entry.tool, scene,
                       proposal = record.proposal, stop = record.question_hooks.get_token(), message = active_->number,
                       question = record.question_id] {
    const HookMoment moment = CallPipeline::with_server(permission_request(scene, call, proposal), tool->spec());
    HookOutcome outcome = pipeline->run_hooks(moment, call.id, stop);
    inbox->push(PermissionHooksSpoke{message, question, std::move(outcome)});
  });
}

void Executor::take(PermissionHooksSpoke spoke) {
  const auto found = questions_.find(spoke.question);
  // Too late: the person was first, or the call was stopped.
  if (!active_ || active_->number != spoke.message || found == questions_.end()) return;
  const CallIndex index = found->second;
  CallRecord& record = active_->calls[index];
  record.question_hooks_run = false;
  HookOutcome& outcome = spoke.outcome;
  if (!outcome.permission) {
    if (can_ask_somebody()) {  // the question stays open
      if (!parts_.prompts.is_open(record.question_id)) show_question(index);
      return;
    }
    close_question(record);
    return deny_unasked(index);
  }
  close_question(record);
  HookPermission permission = std::move(*outcome.permission);
  if (!permission.allow) {
    std::string text = "A hook did not allow this call of " + record.tool + ".";
    text += permission.message.empty() ? " Do not try it by another way." : " It said: " + permission.message;
    ToolResult refused = engine_error(Errc::denied, text);
    if (outcome.stops) refused.stop_after = outcome.stop_reason;
    finish_call(index, {.result = std::move(refused)});
    if (permission.interrupt) take(Feed(Aborted{}));
    return;
  }
  if (outcome.stops && record.admitted->hooks) {
    record.admitted->hooks->stops = true;
    record.admitted->hooks->stop_reason = outcome.stop_reason;
  }
  settle_question(index, {.id = {},
                          .verdict = Verdict::allow,
                          .updated_input = std::move(permission.updated_input),
                          .updated_permissions = std::move(permission.updated_permissions)});
}

void Executor::update_permissions(const JsonArray& updates) {
  const auto refuse = [this](const std::string& why) {
    parts_.frontend.show(Notice{"A change of permissions was not made: " + why});
  };
  if (updates.size() > kUpdateEntriesMax) return refuse("it has too many parts");
  for (const Json& entry : updates) {
    auto update = parse_permission_update(entry);
    if (!update) {
      refuse(update.error().message);
      continue;
    }
    const bool is_for_a_file = update->destination != SettingSource::session;
    if (is_for_a_file && update->kind == PermissionUpdate::Kind::add_rules && update->list == RuleList::allow) {
      allow_always({.rules = update->rules, .destination = update->destination}, {});
      continue;
    }
    auto setup = with_update(parts_.permissions->setup(), *update);
    if (!setup) {
      refuse(setup.error().message);
      continue;
    }
    if (is_for_a_file) parts_.frontend.show(Notice{"A change of permissions counts for this session only."});
    const bool is_of_rules = update->kind <= PermissionUpdate::Kind::remove_rules;
    if (is_of_rules) session_updates_.push_back(std::move(*update));
    use_permissions(std::move(*setup));
  }
}

// --- all calls of a message are answered ---

void Executor::note_for_batch_hooks(const CallRecord& record) {
  if (!parts_.pipeline.listens(HookEvent::post_tool_batch)) return;
  const ToolCall call =
      record.admitted
          ? CallPipeline::call_for_hooks(*record.admitted)
          : ToolCall{.id = record.id, .name = record.tool, .input = JsonObject{}, .input_text = {}, .invalid = {}};
  active_->answered.push_back(batch_entry(call, *record.result));
}

bool Executor::waits_for_batch_hooks() {
  using BatchHooks = ActiveMessage::BatchHooks;
  if (active_->batch_hooks != BatchHooks::not_asked) return active_->batch_hooks == BatchHooks::asked;
  const bool is_due = !active_->answered.empty() && !active_->run.discarded() && !summary_.aborted;
  if (!is_due) return false;
  active_->batch_hooks = BatchHooks::asked;
  const HookScene scene = parts_.pipeline.scene(parts_.session.working_directory, parts_.permissions->mode());
  parts_.runner.start([inbox = inbox_, pipeline = &parts_.pipeline, scene, calls = std::exchange(active_->answered, {}),
                       stop = active_->batch_stop.get_token(), message = active_->number]() mutable {
    HookOutcome outcome = pipeline->run_hooks(post_tool_batch(scene, std::move(calls)), {}, stop);
    inbox->push(BatchHooksSpoke{message, std::move(outcome)});
  });
  return true;
}

void Executor::take(BatchHooksSpoke spoke) {
  if (!active_ || active_->number != spoke.message) return;
  active_->batch_hooks = ActiveMessage::BatchHooks::spoke;
  BatchHooked said;
  for (const std::string& context : spoke.outcome.context) {
    said.new_messages.emplace_back(hook_context_text(HookEvent::post_tool_batch, context));
  }
  if (spoke.outcome.blocked) {
    said.new_messages.emplace_back(hook_block_text(HookEvent::post_tool_batch, spoke.outcome.block_reason));
  }
  if (spoke.outcome.stops) said.stop_after = spoke.outcome.stop_reason;
  if (!said.new_messages.empty() || said.stop_after) parts_.frontend.show(std::move(said));
}

// --- beside the turn ---

void Executor::notify(std::string_view type, std::string_view message) {
  if (!parts_.pipeline.listens(HookEvent::notification)) return;
  const HookScene scene = parts_.pipeline.scene(parts_.session.working_directory, parts_.permissions->mode());
  start_side_hooks([pipeline = &parts_.pipeline,
                    moment = notification(scene, type, message)](std::stop_token stop) -> SideHooksEnded {
    pipeline->run_hooks(moment, {}, std::move(stop));
    return {};
  });
}

// The old settings count until the hooks have let the new ones pass.
void Executor::judge_changed_settings(PermissionStore::Changed changed) {
  settings_are_judged_ = true;
  const HookScene scene = parts_.pipeline.scene(parts_.session.working_directory, parts_.permissions->mode());
  start_side_hooks([pipeline = &parts_.pipeline, frontend = &parts_.frontend, scene,
                    settings = std::move(changed)](std::stop_token stop) mutable -> SideHooksEnded {
    bool is_refused = false;
    for (const PermissionStore::ChangedFile& file : settings.files) {
      const bool is_policy = file.source == SettingSource::managed;
      const HookOutcome outcome =
          pipeline->run_hooks(config_change(scene, config_source(file.source), file.path), {}, stop);
      if (!outcome.blocked || is_policy) continue;  // nobody refuses a policy
      is_refused = true;
      frontend->show(Notice{"A hook refused the change of " + file.path + ": " + outcome.block_reason});
    }
    if (is_refused || stop.stop_requested()) return {.judged_settings = true};
    return {.judged_settings = true, .settings = std::move(settings)};
  });
}

void Executor::start_side_hooks(std::move_only_function<SideHooksEnded(std::stop_token)> work) {
  ++side_hooks_running_;
  parts_.runner.start([inbox = inbox_, stop = side_hooks_.get_token(), its_work = std::move(work)]() mutable {
    inbox->push(its_work(std::move(stop)));
  });
}

void Executor::take(SideHooksEnded ended) {
  --side_hooks_running_;
  if (ended.judged_settings) settings_are_judged_ = false;
  if (ended.settings) use_changed_settings(std::move(*ended.settings));
}

// At the end they have some time, and then are stopped: nobody waits ten minutes for a notification.
bool Executor::waits_for_side_hooks() {
  if (side_hooks_running_ == 0) return false;
  if (!side_hooks_end_is_due_) {
    side_hooks_end_is_due_ = true;
    post_at(parts_.clock.now() + kSideHooksGrace, [this] { side_hooks_.request_stop(); });
  }
  return true;
}

}  // namespace deft
