#include <algorithm>
#include <utility>

#include "deft/agent/executor.h"
#include "deft/agent/executor_records.h"
#include "deft/core/rule_proposal.h"

// Questions to people, and what their answers change. A question is open from the moment its id is in questions_ until
// it is taken out, and everything that could end it (an answer, an abort, "always" for another call, the end of the
// input) takes it out on the turn's thread: the first wins, the others find nothing.

namespace deft {

void Executor::take(CallIndex index, Asks asks) {
  CallRecord& record = active_->calls[index];
  record.admitted->hooks = std::move(asks.hooks);
  if (options_.asking == Asking::nobody || (input_ended_ && options_.asking != Asking::person)) {
    const std::string text = "Permission to use " + record.tool + " would have to be asked for (" +
                             asks.decision.reason + "), and nobody can be asked here. Go on without it.";
    return finish_call(index, {.result = engine_error(Errc::denied, text)});
  }
  active_->run.parked(index, Waiting::before_run);
  record.place = CallRecord::Place::question;
  record.question_id = "perm_" + std::to_string(++questions_asked_);
  record.proposal = std::move(asks.proposal);
  questions_.emplace(record.question_id, index);
  const ToolCall& call = record.admitted->call;
  parts_.frontend.show(PermissionAsked{.id = record.question_id,
                                       .call = call,
                                       .title = parts_.pipeline.title(*record.admitted),
                                       .decision = std::move(asks.decision),
                                       .is_destructive = parts_.pipeline.is_destructive(*record.admitted),
                                       .proposal = record.proposal});
}

void Executor::take_answer(PermissionAnswer answer) {
  const auto found = questions_.find(answer.id);
  if (found == questions_.end()) {  // answered twice, or withdrawn meanwhile
    return parts_.frontend.show(Notice{"no question " + json_quote(answer.id) + " is waiting for an answer"});
  }
  const CallIndex index = found->second;
  questions_.erase(found);
  CallRecord& record = active_->calls[index];
  record.place = CallRecord::Place::queue;
  if (answer.verdict != Verdict::allow) {
    std::string text = "The user did not allow this call of " + record.tool + ".";
    text += answer.feedback.empty() ? " Do not try it by another way." : " They said: " + answer.feedback;
    finish_call(index, {.result = engine_error(Errc::denied, text)});
    if (answer.ends_turn) take(Feed(Aborted{}));
    return;
  }
  // Whatever becomes of the rules: this call was allowed.
  record.admitted->approved = true;
  const std::vector<std::string> proposal = std::move(record.proposal);
  if (answer.updated_input) {
    replace_input(index, std::move(*answer.updated_input));
    // The proposal was about another input.
    if (answer.always) allow_always(std::move(*answer.always), {});
    return;
  }
  active_->run.unparked(index);
  if (answer.always) allow_always(std::move(*answer.always), proposal);
}

void Executor::deny_open_questions() {
  for (const auto& [id, index] : std::exchange(questions_, {})) {
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
  if (!parts_.store) return;
  auto changed = parts_.store->reload();
  if (!changed) return;
  for (std::string& notice : changed->notices) parts_.frontend.show(Notice{std::move(notice)});
  const PermissionSetup& now = parts_.permissions->setup();
  PermissionSetup& next = changed->setup;
  next.mode = now.mode;
  next.directory = now.directory;
  next.home = now.home;
  next.directories = now.directories;
  next.resolve = now.resolve;
  next.files = now.files;
  auto with_rules = with_session_rules(next, session_rules_);
  use_permissions(with_rules ? std::move(*with_rules) : std::move(next));
}

// Calls under way keep the permissions that they were judged by.
void Executor::use_permissions(PermissionSetup setup) {
  parts_.permissions = std::make_shared<const Permissions>(std::move(setup));
  if (parts_.publish) parts_.publish(parts_.permissions);
  reconsider_questions();
}

void Executor::reconsider_questions() {
  std::vector<CallIndex> waiting;
  for (const auto& [id, index] : questions_) waiting.push_back(index);
  std::ranges::sort(waiting);
  for (const CallIndex index : waiting) {
    CallRecord& record = active_->calls[index];
    const Decision decision =
        parts_.pipeline.decide(*record.admitted, {.session = view_for(index), .permissions = parts_.permissions});
    if (decision.verdict == Verdict::ask) continue;
    questions_.erase(record.question_id);
    parts_.frontend.show(PermissionWithdrawn{record.question_id});
    record.place = CallRecord::Place::queue;
    if (decision.verdict == Verdict::allow) {
      active_->run.unparked(index);
    } else {
      finish_call(index, {.result = CallPipeline::denial(*record.admitted, decision)});
    }
  }
}

}  // namespace deft
