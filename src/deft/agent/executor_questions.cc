#include <algorithm>
#include <chrono>
#include <utility>

#include "deft/agent/executor.h"
#include "deft/agent/executor_records.h"
#include "deft/core/rule_proposal.h"
#include "deft/core/session_permissions.h"

// Questions to people, and what their answers change. A question is open from the moment its id is in questions_ until
// it is taken out, and everything that could end it (an answer, a hook, the classifier, an abort, "always" for another
// call, its deadline, the end of the input) takes it out on the turn's thread, by close_question(): the first wins, the
// others find nothing. People see it through the prompt queue, from where their answers come back into the inbox.

namespace deft {
namespace {

std::string in_words(Duration time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (seconds >= 120 && seconds % 60 == 0) return std::to_string(seconds / 60) + " minutes";
  return std::to_string(seconds) + (seconds == 1 ? " second" : " seconds");
}

std::string plan_refusal_text(const std::string& feedback) {
  if (feedback.empty()) return "The plan was not approved. Plan mode stays on: nothing may be changed.";
  return "The plan was not approved. They said: " + feedback +
         "\nPlan mode stays on: change the plan in its file, then call ExitPlanMode again.";
}

// A subagent cannot talk to the user: it tells whoever gave it its task.
std::string refusal_text(const std::string& tool, const std::string& feedback, bool is_of_subagent) {
  if (prompt_kind_of(tool) == PromptKind::plan_approval) return plan_refusal_text(feedback);
  const std::string text = "The user did not allow this call of " + tool + ".";
  if (!feedback.empty()) return text + " They said: " + feedback;
  if (!is_of_subagent) return text + " Do not try it by another way.";
  return text +
         " Do not try it by another way: do what you can of your task without it, and say in your answer what is "
         "missing and why.";
}

}  // namespace

void Executor::take(CallIndex index, Asks asks) {
  if (asks.deferred && options_.defers) return put_off(index, std::move(asks));
  CallRecord& record = active_->calls[index];
  record.admitted->hooks = std::move(asks.hooks);
  record.decision = std::move(asks.decision);
  record.proposal = std::move(asks.proposal);
  record.asked = parts_.clock.now();
  record.judgement = std::move(asks.judgement);
  if (!can_ask_somebody() && !asks_hooks()) {
    if (record.judgement) record.judgement->stop();  // it has had its time
    return deny_unasked(index);
  }
  active_->run.parked(index, Waiting::before_run);
  open_question(index);
}

bool Executor::asks_hooks() const {
  return options_.handler != Handler::worker && parts_.pipeline.listens(HookEvent::permission_request);
}

// Of a call that is parked.
void Executor::open_question(CallIndex index) {
  CallRecord& record = active_->calls[index];
  const bool has_hooks = asks_hooks();
  record.place = CallRecord::Place::question;
  record.question_id = parts_.prompts.next_id();
  questions_.emplace(record.question_id, index);
  if (has_hooks) ask_permission_hooks(index);
  if (record.judgement) {
    record.judgement->then([inbox = std::weak_ptr(inbox_), message = active_->number,
                            question = record.question_id](std::optional<RiskOpinion> opinion) {
      if (const auto open = inbox.lock()) open->push(ClassifierSpoke{message, question, std::move(opinion)});
    });
  }
  const bool hooks_go_first = has_hooks && options_.handler == Handler::coordinator;
  if (can_ask_somebody() && !hooks_go_first) show_question(index);
}

void Executor::show_question(CallIndex index) {
  CallRecord& record = active_->calls[index];
  const PromptKind kind = prompt_kind_of(record.tool);
  const auto time = kind == PromptKind::question ? options_.question_time : options_.permission_time;
  const auto deadline = time ? std::optional(parts_.clock.now() + *time) : std::nullopt;
  PermissionAsked asked{.id = record.question_id,
                        .call = record.admitted->call,
                        .title = parts_.pipeline.title(*record.admitted),
                        .decision = record.decision,
                        .is_destructive = parts_.pipeline.is_destructive(*record.admitted),
                        .proposal = record.proposal,
                        .agent_id = parts_.agent_id,
                        .agent_type = parts_.agent_type,
                        .kind = kind,
                        .deadline = deadline};
  const bool is_pushed = parts_.prompts.push(std::move(asked), [inbox = std::weak_ptr(inbox_)](PromptAnswer answer) {
    if (const auto open = inbox.lock()) open->push(Feed(std::get<PermissionAnswer>(std::move(answer))));
  });
  if (!is_pushed) {
    close_question(record);
    return finish_call(
        index, {.result = engine_error(Errc::limit, "Too many questions wait for an answer: ask less at once.")});
  }
  if (deadline) post_at(*deadline, [this, question = record.question_id, kind] { settle_late(question, kind); });
  notify("permission_prompt", "Your permission is needed to use " + record.tool);
}

void Executor::deny_unasked(CallIndex index) {
  const CallRecord& record = active_->calls[index];
  if (prompt_kind_of(record.tool) == PromptKind::plan_approval) {
    return finish_call(index,
                       {.result = engine_error(Errc::denied,
                                               "The plan cannot be approved: nobody can be asked here. Plan mode "
                                               "stays on; give the whole plan as your answer and end there.")});
  }
  const std::string text = "Permission to use " + record.tool + " would have to be asked for (" +
                           record.decision.reason + "), and nobody can be asked here. Go on without it.";
  finish_call(index, {.result = engine_error(Errc::denied, text)});
}

// The claim: from here on nobody else can settle it.
void Executor::close_question(CallRecord& record, PromptQueue::Because because) {
  questions_.erase(record.question_id);
  parts_.prompts.remove(record.question_id, because);
  record.question_hooks.request_stop();
  if (const auto judgement = std::exchange(record.judgement, nullptr)) judgement->stop();
  record.place = CallRecord::Place::queue;
  const StageTime time{.stage = "question",
                       .outcome = because == PromptQueue::Because::answered ? "answered" : "withdrawn",
                       .begin = record.asked,
                       .end = parts_.clock.now()};
  if (parts_.frontend.wants_times()) record.times.push_back(time);
  if (!parts_.frontend.wants_stages()) return;
  parts_.frontend.show(StageEnded{.call_id = record.id,
                                  .stage = time.stage,
                                  .outcome = std::string(time.outcome),
                                  .detail = {},
                                  .duration = time.end - time.begin});
}

void Executor::take_answer(PermissionAnswer answer) {
  const auto found = questions_.find(answer.id);
  if (found == questions_.end()) {
    const std::string id = answer.id;
    if (parts_.prompts.answer(std::move(answer))) return;  // of another agent, who asks the same people
    // Answered twice, or withdrawn meanwhile.
    return parts_.frontend.show(Notice{"no question " + json_quote(id) + " is waiting for an answer"});
  }
  const CallIndex index = found->second;
  CallRecord& record = active_->calls[index];
  close_question(record, PromptQueue::Because::answered);
  if (answer.verdict == Verdict::allow) return settle_question(index, std::move(answer));
  finish_call(index, {.result = engine_error(
                          Errc::denied, refusal_text(record.tool, answer.feedback, parts_.pipeline.is_of_subagent()))});
  // Of a subagent it is told: its parent hears what was refused, and decides.
  if (answer.ends_turn && !parts_.pipeline.is_of_subagent()) take(Feed(Aborted{}));
}

void Executor::settle_late(const std::string& question, PromptKind kind) {
  const auto found = questions_.find(question);
  if (found == questions_.end()) return;
  const CallIndex index = found->second;
  close_question(active_->calls[index]);
  if (kind == PromptKind::question) {
    const std::string text = "Nobody answered within " + in_words(*options_.question_time) +
                             ". Go on by your own judgement, and say what you have assumed.";
    return finish_call(index, {.result = engine_error(Errc::timeout, text)});
  }
  const std::string text = "Not allowed: nobody answered within " + in_words(*options_.permission_time) +
                           ". Go on without it, or say what you need and why.";
  finish_call(index, {.result = engine_error(Errc::denied, text)});
}

void Executor::take(ClassifierSpoke spoke) {
  const auto found = questions_.find(spoke.question);
  // Too late: somebody was first, or the call was stopped.
  if (!active_ || active_->number != spoke.message || found == questions_.end()) return;
  const CallIndex index = found->second;
  CallRecord& record = active_->calls[index];
  record.judgement = nullptr;
  if (parts_.permissions->mode() == Mode::auto_) parts_.pipeline.count_opinion(spoke.opinion);
  record.admitted->opinion = std::move(spoke.opinion);
  reconsider_question(index);
}

// Somebody said yes.
void Executor::settle_question(CallIndex index, PermissionAnswer answer) {
  CallRecord& record = active_->calls[index];
  // Whatever becomes of the rules: this call was allowed.
  record.admitted->approved = true;
  parts_.pipeline.approved_by_person();
  const std::vector<std::string> proposal = std::move(record.proposal);
  const JsonArray updates = std::move(answer.updated_permissions);
  if (answer.updated_input) {
    replace_input(index, std::move(*answer.updated_input));
    // The proposal was about another input.
    if (answer.always) allow_always(std::move(*answer.always), {});
    return update_permissions(updates);
  }
  active_->run.unparked(index);
  if (answer.always) allow_always(std::move(*answer.always), proposal);
  update_permissions(updates);
}

// Hooks that are being asked may still answer. A classifier has had its time: it is not waited for alone.
void Executor::deny_open_questions() {
  std::vector<CallIndex> unanswered;
  for (const auto& [id, index] : questions_) {
    if (!active_->calls[index].question_hooks_run) unanswered.push_back(index);
  }
  for (const CallIndex index : unanswered) {
    close_question(active_->calls[index]);
    finish_call(index, {.result = engine_error(Errc::denied, "Not allowed: the input ended before anybody answered.")});
  }
}

// --- always ---

void Executor::allow_always(AlwaysAllow always, const std::vector<std::string>& proposal) {
  const auto only_once = [this](const std::string& why) {
    parts_.frontend.show(Notice{"It is allowed once, not always: " + why});
  };
  if (always.rules.empty()) always.rules = proposal;
  if (always.rules.empty()) return only_once("no rule is proposed for such a call, and none was given.");
  if (always.rules.size() > kAlwaysRulesMax) return only_once("more than 20 rules were given.");
  const PermissionSetup& now = parts_.permissions->setup();
  if (now.only_managed_rules) return only_once("the managed settings allow no rules but their own.");
  if (const auto usable = with_session_rules(now, always.rules); !usable) return only_once(usable.error().message);
  if (always.destination == SettingSource::session) return add_session_rules(always.rules);
  if (!parts_.store) return only_once("there are no settings to write to here.");
  ++rules_being_kept_;
  parts_.runner.start([inbox = inbox_, store = parts_.store, always = std::move(always)]() mutable {
    const auto written = store->keep(always.destination, always.rules);
    inbox->push(RulesKept{std::move(always.rules), written ? std::nullopt : std::optional(written.error())});
  });
}

void Executor::take(RulesKept kept) {
  --rules_being_kept_;
  if (kept.error) {
    return parts_.frontend.show(
        Notice{"It is allowed once, not always: the rule could not be written: " + kept.error->message});
  }
  add_session_rules(kept.rules);
}

// Also what was written to a file counts from now on as the session's: the person said it here, in this session.
void Executor::add_session_rules(const std::vector<std::string>& rules) {
  auto setup = with_session_rules(parts_.permissions->setup(), rules);
  if (!setup) return parts_.frontend.show(Notice{setup.error().message});
  session_rules_.insert(session_rules_.end(), rules.begin(), rules.end());
  use_permissions(std::move(*setup));
}

void Executor::reload_permissions() {
  if (!parts_.store || settings_are_judged_) return;
  auto changed = parts_.store->reload();
  if (!changed) return;
  const bool may_be_refused = !changed->files.empty() && parts_.pipeline.listens(HookEvent::config_change);
  if (may_be_refused) return judge_changed_settings(std::move(*changed));
  use_changed_settings(std::move(*changed));
}

void Executor::use_changed_settings(PermissionStore::Changed changed) {
  if (changed.adopt) changed.adopt();
  for (std::string& notice : changed.notices) parts_.frontend.show(Notice{std::move(notice)});
  const PermissionSetup& now = parts_.permissions->setup();
  PermissionSetup next = std::move(changed.setup);
  next.mode = now.mode;
  next.directory = now.directory;
  next.moved_from = now.moved_from;
  next.home = now.home;
  next.directories = now.directories;
  next.readable = now.readable;
  next.turn_sources = now.turn_sources;
  add_grants(next.meanings, now.meanings);  // of a subagent they may have come from above
  next.resolve = now.resolve;
  next.list = now.list;
  next.plan_file = now.plan_file;
  next.bypass_available = now.bypass_available;
  next.files = now.files;
  if (auto with_rules = with_session_rules(next, session_rules_)) next = std::move(*with_rules);
  for (const PermissionUpdate& update : session_updates_) {
    if (auto updated = with_update(next, update)) next = std::move(*updated);
  }
  use_permissions(std::move(next));
}

// Calls under way keep the permissions that they were judged by.
void Executor::use_permissions(PermissionSetup setup) {
  parts_.permissions = std::make_shared<const Permissions>(std::move(setup));
  if (parts_.publish) parts_.publish(parts_.permissions);
  reconsider_questions();
}

void Executor::take_mode(Mode wanted) {
  const PermissionSetup& now = parts_.permissions->setup();
  if (wanted == Mode::bypass && !now.bypass_available) {
    return parts_.frontend.show(Notice{"bypassPermissions was not made available when the session began."});
  }
  if (wanted == Mode::auto_ && now.auto_forbidden) {
    return parts_.frontend.show(Notice{"The settings forbid auto mode."});
  }
  parts_.session.apply(ModeChanged{ModeChanged::How::set, wanted});
  follow_session();
}

void Executor::follow_session() {
  if (follows_session(parts_.permissions->setup(), view_of_now())) return;
  use_permissions(with_session_state(parts_.permissions->setup(), view_of_now()));
  parts_.session.mode.now = parts_.permissions->mode();  // a policy may forbid it
}

std::shared_ptr<const Permissions> Executor::permissions_for(const SessionView& view) const {
  if (follows_session(parts_.permissions->setup(), view)) return parts_.permissions;
  // An earlier call has changed the session, and this one sees it before the others do.
  return std::make_shared<const Permissions>(with_session_state(parts_.permissions->setup(), view));
}

void Executor::reconsider_questions() {
  std::vector<CallIndex> waiting;
  for (const auto& [id, index] : questions_) waiting.push_back(index);
  std::ranges::sort(waiting);
  for (const CallIndex index : waiting) reconsider_question(index);
}

// True: it is settled.
bool Executor::reconsider_question(CallIndex index) {
  CallRecord& record = active_->calls[index];
  const Decision decision =
      parts_.pipeline.decide(*record.admitted, {.session = view_for(index), .permissions = parts_.permissions});
  if (decision.verdict == Verdict::ask) {
    if (decision.reason == record.decision.reason) return false;
    record.decision = decision;
    parts_.prompts.update(record.question_id,
                          [&](PendingPrompt& prompt) { std::get<PermissionAsked>(prompt).decision = decision; });
    return false;
  }
  close_question(record);
  if (decision.verdict == Verdict::allow) {
    active_->run.unparked(index);
  } else {
    finish_call(index, {.result = CallPipeline::denial(*record.admitted, decision)});
  }
  return true;
}

}  // namespace deft
