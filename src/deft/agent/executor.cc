#include "deft/agent/executor.h"

#include <algorithm>
#include <utility>

#include "deft/agent/cancel_text.h"
#include "deft/agent/executor_records.h"
#include "deft/base/check.h"
#include "deft/base/overloaded.h"

// The turn's loop. One item of the inbox at a time: it changes the message run (pure, core/message_run.h), then
// advance() does what the run says. A call's record stays here; its task goes to a worker, which reports back once.

namespace deft {
namespace {

// The tools that are shown with the next request may be those of settings as old as this; calls never are.
constexpr std::chrono::milliseconds kSettingsLookedAtLife{50};

Ending ending_of(const ToolResult& result, bool ran) {
  if (!ran) return Ending::not_run;
  if (!result.is_error()) return Ending::completed;
  switch (*result.error) {
    case Errc::cancelled: return Ending::completed;
    case Errc::invalid_input:
    case Errc::denied: return Ending::not_run;
    default: return Ending::failed;
  }
}

std::vector<std::string> files_seen_in(const std::vector<Modifier>& modifiers) {
  std::vector<std::string> paths;
  for (const Modifier& modifier : modifiers) {
    if (const auto* file = std::get_if<FileWasSeen>(&modifier)) paths.push_back(file->seen.path);
  }
  return paths;
}

}  // namespace

Executor::Executor(Parts parts, ExecutorOptions options)
    : parts_(std::move(parts)), options_(options), slots_(parts_.slots.join([inbox = std::weak_ptr(inbox_)] {
        if (const auto open = inbox.lock()) open->push(SlotMayBeFree{});
      })) {
  parts_.session.mode = {.now = parts_.permissions->mode()};
}

Executor::~Executor() = default;

ExecutorSummary Executor::run() {
  has_no_turns_ = true;
  for (;;) {
    const bool has_nothing_more = idle() && rules_being_kept_ == 0 && (input_ended_ || summary_.aborted);
    if (has_nothing_more && !waits_for_side_hooks()) break;
    step();
  }
  return summary_;
}

void Executor::step(Pump* pump) {
  auto deadline = timers_.empty() ? std::nullopt : std::optional(timers_.begin()->first);
  if (!alarms_.empty() && (!deadline || alarms_.begin()->first < *deadline)) deadline = alarms_.begin()->first;
  const auto wake_up = deadline ? std::optional(parts_.clock.on_steady_clock(*deadline)) : std::nullopt;
  TimePoint now = parts_.clock.now();
  auto item = inbox_->take();
  // What has come of the message is read first: others may have to begin with it.
  while (!item && pump && pump->has_more()) {
    pump->advance();
    item = inbox_->take();
  }
  // Whoever has nothing else to do reads the small files itself: nobody has to be woken.
  while (!item && parts_.runner.help()) item = inbox_->take();
  if (!item) parts_.pipeline.flush_records();
  if (!item) item = pump ? inbox_->pop(wake_up, *pump) : inbox_->pop(wake_up);
  if (item) {
    std::visit([this](auto& what) { take(std::move(what)); }, *item);
  } else {
    now = std::max(now, *deadline);
  }
  fire_timers(std::max(now, parts_.clock.now()));
  advance();
}

void Executor::take_now(Feed item) {
  take(std::move(item));
  advance();
}

void Executor::take_waiting() {
  while (auto item = inbox_->take()) {
    std::visit([this](auto& what) { take(std::move(what)); }, *item);
    advance();
  }
}

void Executor::begin_turn() {
  DEFT_CHECK(idle());
  summary_.aborted = false;
  turn_ = std::make_unique<CancelScope>();
  end_grants();
}

// Whoever asks while a message is under way changes nothing for it.
std::shared_ptr<const ToolPool> Executor::pool() {
  if (idle() && !is_looked_at_) reload_permissions();
  is_looked_at_ = false;
  return current_pool();
}

std::shared_ptr<const ToolPool> Executor::current_pool() {
  const bool is_current =
      last_pool_ && last_pool_permissions_ == parts_.permissions && parts_.registry.is_current(*last_pool_);
  if (!is_current) {
    last_pool_ = parts_.registry.pool(*parts_.permissions);
    last_pool_permissions_ = parts_.permissions;
  }
  return last_pool_;
}

const SharedText& Executor::definitions(const std::shared_ptr<const ToolPool>& shown) {
  if (shown_definitions_.update(shown, parts_.session)) parts_.registry.keep_listed(*shown);
  return shown_definitions_.text();
}

// --- what happens ---

void Executor::take(Feed item) {
  const bool later = active_ && active_->ended;  // belongs to a message after the active one
  std::visit(Overloaded{
                 [&](CallArrived& arrived) {
                   if (summary_.aborted) return;
                   if (later) return next_messages_.emplace_back(std::move(arrived)), void();
                   take_call(std::move(arrived.call));
                 },
                 [&](const CallCancelled& cancelled) { cancel_call(cancelled.call_id); },
                 [&](MessageEnded) {
                   if (later) return next_messages_.emplace_back(MessageEnded{}), void();
                   if (active_) active_->ended = true;
                 },
                 [&](ToolOffered& offered) {
                   if (later) return next_messages_.emplace_back(std::move(offered)), void();
                   if (auto added = parts_.registry.add(std::move(offered.tool)); !added) {
                     parts_.frontend.show(Notice{added.error().message});
                   }
                 },
                 [&](ToolsChanged& changed) {
                   if (later) return next_messages_.emplace_back(std::move(changed)), void();
                   for (std::string& text : parts_.registry.set_group(changed.group, std::move(changed.tools))) {
                     parts_.frontend.show(Notice{std::move(text)});
                   }
                 },
                 [&](Interrupted) {
                   if (active_) active_->run.interrupt();
                 },
                 [&](Aborted) {
                   summary_.aborted = true;
                   next_messages_.clear();
                   turn_->cancel({CancelReason::abort, {}});
                   if (!active_) return;
                   active_->run.abort();
                   active_->ended = true;
                   active_->batch_stop.request_stop();
                 },
                 [&](StreamBroke) {
                   if (later) return next_messages_.emplace_back(StreamBroke{}), void();
                   if (!active_) return parts_.frontend.show(MessageDiscarded{});
                   active_->collected.clear();
                   const bool discarded = active_->run.discard();
                   active_->ended = true;
                   parts_.frontend.show(MessageDiscarded{.kept = !discarded, .calls = active_->calls.size()});
                 },
                 [&](InputEnded) {
                   input_ended_ = true;
                   if (active_ && next_messages_.empty()) active_->ended = true;
                   nobody_answers_any_more();
                 },
                 [&](PermissionAnswer& answer) { take_answer(std::move(answer)); },
                 [&](HostAnswer& answer) { take_answer(std::move(answer)); },
                 [&](ContextForgotten) {
                   if (later) return next_messages_.emplace_back(ContextForgotten{}), void();
                   forgets_context_ = true;
                   if (!active_) forget_context();
                 },
                 [&](const MovedToBackground& moved) {
                   if (to_background(moved.call_id) > 0) return;
                   parts_.frontend.show(Notice{"no call " + json_quote(moved.call_id) + " is running"});
                 },
                 [&](const ModeWanted& wanted) { take_mode(wanted.mode); },
                 [&](RulesGranted& granted) {
                   allow_always({.rules = std::move(granted.rules), .destination = SettingSource::session}, {});
                 },
             },
             item);
}

void Executor::take_call(ToolCall call) {
  if (!active_) begin_message();
  if (options_.streaming) {
    add_to_run(std::move(call));
  } else {
    active_->collected.push_back(std::move(call));
  }
}

// Not while calls run: they look at the session.
void Executor::forget_context() {
  forgets_context_ = false;
  parts_.given.forget();
  parts_.session.files.forget_read();
  parts_.session.tools.forget_context();
}

void Executor::begin_message() {
  reload_permissions();
  looked_at_settings_ = parts_.clock.now();
  active_ = std::make_unique<ActiveMessage>(++messages_begun_, *slots_, *turn_, options_);
  active_->pool = current_pool();
}

void Executor::add_to_run(ToolCall call) {
  CallRecord& record = active_->calls.emplace_back();
  record.id = call.id;
  record.tool = call.name;
  const auto refuse = [&](ToolResult result) { answer(active_->run.add_answered(), {.result = std::move(result)}); };
  if (active_->calls.size() > kCallsPerMessageMax) {
    return refuse(engine_error(Errc::limit, "More than " + std::to_string(kCallsPerMessageMax) +
                                                " calls in one message: send the rest in the next one."));
  }
  if (!ids_seen_.insert(record.id).second) {
    return refuse(engine_error(Errc::duplicate_id, "The id " + json_quote(record.id.substr(0, 100)) +
                                                       " was used by an earlier call: every call needs its own."));
  }
  StageTimes* const times = parts_.frontend.wants_times() ? &record.times : nullptr;
  auto admitted = parts_.pipeline.admit(*active_->pool, *parts_.permissions, view_of_now(), std::move(call), times);
  if (auto* refused = std::get_if<ToolResult>(&admitted)) return refuse(std::move(*refused));
  record.admitted = std::make_shared<AdmittedCall>(std::move(std::get<AdmittedCall>(admitted)));
  CallTraits traits = parts_.pipeline.traits(*record.admitted, scheduling());
  record.title = traits.label;
  if (parts_.frontend.wants_stages()) parts_.frontend.show(CallAdmitted{record.id, record.tool, record.title});
  active_->run.add(std::move(traits));
}

void Executor::take_answer(HostAnswer answer) {
  const auto found = host_calls_.find(answer.call_id);
  if (found != host_calls_.end()) {
    const CallIndex index = found->second;
    host_calls_.erase(found);
    return end_host_call(index, std::move(answer.answer));
  }
  // A host that writes everything at once answers before it was asked.
  if (early_answers_.size() < kEarlyAnswersMax && !ids_answered_by_host_.contains(answer.call_id)) {
    early_answers_.emplace(std::move(answer.call_id), std::move(answer.answer));
    return;
  }
  parts_.frontend.show(Notice{"no call " + json_quote(answer.call_id) + " is waiting for a result"});
}

void Executor::end_host_call(CallIndex index, Json answer) {
  CallRecord& record = active_->calls[index];
  ids_answered_by_host_.insert(record.id);
  record.host_answer = std::move(answer);
  end_wait(index);
}

void Executor::end_wait(CallIndex index) {
  CallRecord& record = active_->calls[index];
  record.place = CallRecord::Place::queue;
  record.wait_is_over = true;
  active_->run.unparked(index);
}

void Executor::take(WaitEnded wait) {
  if (!active_ || active_->number != wait.message) return;
  if (active_->calls[wait.call].place == CallRecord::Place::timer) end_wait(wait.call);
}

// One that waits for its message to begin was never seen: nobody is owed an answer.
void Executor::cancel_call(const std::string& call_id) {
  std::erase_if(next_messages_, [&](const Feed& item) {
    const auto* arrived = std::get_if<CallArrived>(&item);
    return arrived && arrived->call.id == call_id;
  });
  for (CallIndex index = 0; active_ && index < active_->calls.size(); ++index) {
    if (active_->calls[index].id != call_id) continue;
    active_->run.cancel(index);
    return;
  }
}

std::size_t Executor::to_background(std::string_view call_id) {
  std::size_t asked = 0;
  if (!active_) return asked;
  for (CallRecord& record : active_->calls) {
    if (record.place == CallRecord::Place::done || (!call_id.empty() && record.id != call_id)) continue;
    record.to_background.request_stop();
    ++asked;
  }
  return asked;
}

// The input has ended: what waits for the host is denied or has failed, so that nothing hangs.
void Executor::nobody_answers_any_more() {
  if (options_.asking != Asking::person) deny_open_questions();
  for (const auto& [id, index] : std::exchange(host_calls_, {})) {
    finish_call(index, {.result = engine_error(Errc::failed, "The host closed its input before it answered this call."),
                        .ran = true});
  }
}

void Executor::take(WorkerReport report) {
  if (!active_ || active_->number != report.message) return;  // answered for long ago
  CallRecord& record = active_->calls[report.call];
  if (record.place != CallRecord::Place::worker) return;
  record.times.insert(record.times.end(), report.times.begin(), report.times.end());
  std::visit(Overloaded{
                 [&](Ended& ended) { finish_call(report.call, std::move(ended)); },
                 [&](InputReplaced& replaced) {
                   if (replaced.by_hooks) record.admitted->hooks = std::move(replaced.hooks);
                   replace_input(report.call, std::move(replaced.input));
                 },
                 [&](Waits& waits) { take(report.call, std::move(waits)); },
                 [&](Asks& asks) { take(report.call, std::move(asks)); },
             },
             report.what);
  // Told to stop while it was on its way to a question or a wait: nobody else would tell it again.
  const bool waits = record.place == CallRecord::Place::question || record.place == CallRecord::Place::timer ||
                     record.place == CallRecord::Place::host;
  if (waits && record.stop.stop_requested()) stop_call(report.call, *active_->run.cancellation(report.call));
}

void Executor::take(CallIndex index, Waits waits) {
  CallRecord& record = active_->calls[index];
  record.admitted->hooks = std::move(waits.hooks);
  active_->run.parked(index, Waiting::in_run);
  if (waits.wait.at_most) {
    timers_.emplace(parts_.clock.now() + *waits.wait.at_most, Timer{active_->number, index, Timer::Kind::wait_over});
  }
  if (!waits.wait.for_host) {
    record.place = CallRecord::Place::timer;
    record.wait_obeys_stop = waits.wait.obeys_stop;
    if (!waits.wait.watch) return;
    // Whoever ends the wait may outlive us.
    waits.wait.watch([inbox = std::weak_ptr(inbox_), ended = WaitEnded{active_->number, index}] {
      if (const auto open = inbox.lock()) open->push(ended);
    });
    return;
  }
  record.place = CallRecord::Place::host;
  parts_.frontend.show(HostCallMade{record.admitted->call});
  if (const auto early = early_answers_.extract(record.id)) return end_host_call(index, std::move(early.mapped()));
  host_calls_.emplace(record.id, index);
  if (input_ended_) nobody_answers_any_more();
}

void Executor::fire_timers(TimePoint now) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const Timer timer = timers_.begin()->second;
    timers_.erase(timers_.begin());
    if (!active_ || active_->number != timer.message) continue;
    CallRecord& record = active_->calls[timer.call];
    const bool waits = record.place == CallRecord::Place::timer || record.place == CallRecord::Place::host;
    if (timer.kind == Timer::Kind::wait_over && waits) {
      host_calls_.erase(record.id);
      end_wait(timer.call);
    }
    if (timer.kind == Timer::Kind::stop_grace_over && record.obeys_stop()) {
      ++summary_.stuck_workers;
      finish_call(timer.call,
                  {.result = {.text = "It did not stop in time and may still be running.", .error = Errc::cancelled},
                   .ran = true});
    }
  }
  while (!alarms_.empty() && alarms_.begin()->first <= now) {
    auto alarm = alarms_.extract(alarms_.begin());
    alarm.mapped()();
  }
}

// --- what is done about it ---

void Executor::advance() {
  while (active_) {
    if (active_->ended) {
      for (ToolCall& call : std::exchange(active_->collected, {})) add_to_run(std::move(call));
      active_->run.close();
      settle_put_off();
    }
    const MessageRun::Step step = active_->run.next();
    for (const auto& [call, why] : step.stop) stop_call(call, why);
    for (const auto& [call, why] : step.answer_unstarted) {
      answer(call, {.result = engine_error(Errc::cancelled, cancel_text(why, false))});
    }
    for (const CallIndex call : step.resolve) {
      AdmittedCall& admitted = *active_->calls[call].admitted;
      Footprint footprint = parts_.pipeline.resolve(admitted, view_for(call), scheduling());
      active_->run.resolved(call, std::move(footprint), admitted.cannot_have_effect());
    }
    for (const CallIndex call : step.settle) {
      for (const Modifier& modifier : std::exchange(active_->calls[call].modifiers, {})) parts_.session.apply(modifier);
      follow_session();
    }
    for (const CallIndex call : step.start) start_worker(call);
    for (const CallIndex call : step.emit) emit(call);
    if (!step.empty()) continue;
    publish_progress();
    if (!active_->run.done() || waits_for_batch_hooks()) return;
    end_message();
  }
}

void Executor::end_message() {
  // Nothing that we know of can have changed them since the message began, and that was just now.
  const auto only_read = [](const CallRecord& record) { return !record.ran || record.only_read; };
  is_looked_at_ = std::ranges::all_of(active_->calls, only_read) &&
                  parts_.clock.now() - looked_at_settings_ < kSettingsLookedAtLife;
  // A discarded message never existed: its ids may come again.
  if (active_->run.discarded()) {
    parts_.session.files.discard_message();
    parts_.given.discard_message();
    for (const CallRecord& record : active_->calls) ids_seen_.erase(record.id);
    parts_.pipeline.record_discard();
  }
  parts_.session.files.end_message();
  parts_.given.end_message();
  for (const std::string& path : parts_.given.take_hidden_files()) parts_.session.files.forget(path);
  if (forgets_context_ || !parts_.given.options().is_in_context) forget_context();
  active_.reset();
  slots_->leave();
  if (has_no_turns_) end_grants();
  if (summary_.aborted) parts_.frontend.show(Notice{kAbortNotice});
  for (Feed& item : std::exchange(next_messages_, {})) {
    take(std::move(item));  // what belongs to a message after the next one goes back to next_messages_
  }
  if (input_ended_ && active_ && next_messages_.empty()) active_->ended = true;
}

SessionView Executor::view_for(CallIndex call) const {
  std::vector<Modifier> pending;
  for (const CallIndex earlier : active_->run.visible_to(call)) {
    const auto& modifiers = active_->calls[earlier].modifiers;
    pending.insert(pending.end(), modifiers.begin(), modifiers.end());
  }
  return SessionView(parts_.session, std::move(pending));
}

void Executor::replace_input(CallIndex index, Json input) {
  CallRecord& record = active_->calls[index];
  StageTimes* const times = parts_.frontend.wants_times() ? &record.times : nullptr;
  auto readmitted = parts_.pipeline.readmit(*record.admitted, view_for(index), std::move(input), times);
  if (auto* refused = std::get_if<ToolResult>(&readmitted)) {
    return finish_call(index, {.result = std::move(*refused)});
  }
  record.admitted = std::make_shared<AdmittedCall>(std::move(std::get<AdmittedCall>(readmitted)));
  CallTraits traits = parts_.pipeline.traits(*record.admitted, scheduling());
  record.title = traits.label;
  traits.footprint = parts_.pipeline.resolve(*record.admitted, view_for(index), scheduling());
  const bool was_on_worker = record.place == CallRecord::Place::worker;
  record.place = CallRecord::Place::queue;
  if (!active_->run.replaced(index, std::move(traits))) return;  // it waits its turn again
  if (was_on_worker) {
    start_worker(index);  // it still holds its slot
  } else {
    active_->run.unparked(index);
  }
}

void Executor::stop_call(CallIndex index, const Cancellation& why) {
  CallRecord& record = active_->calls[index];
  record.stop.request_stop();
  if (record.obeys_stop()) {
    timers_.emplace(parts_.clock.now() + options_.stop_grace,
                    Timer{active_->number, index, Timer::Kind::stop_grace_over});
    return;
  }
  switch (record.place) {
    case CallRecord::Place::done: return;
    case CallRecord::Place::question: close_question(record); break;
    case CallRecord::Place::host:
      host_calls_.erase(record.id);
      parts_.frontend.show(HostCallWithdrawn{record.id});
      break;
    case CallRecord::Place::worker:
    case CallRecord::Place::timer:
    case CallRecord::Place::queue: break;
  }
  const bool ran =
      record.place == CallRecord::Place::host || record.place == CallRecord::Place::timer || record.wait_is_over;
  finish_call(index, {.result = engine_error(Errc::cancelled, cancel_text(why, ran)), .ran = ran});
}

void Executor::finish_call(CallIndex index, Ended ended) {
  CallRecord& record = active_->calls[index];
  const auto why = active_->run.cancellation(index);
  if (ended.result.error == Errc::cancelled && why) {
    // The tool stopped because it was told to: the text says who told it, and keeps what the tool had to show.
    const bool by_engine = ended.result.text.starts_with("<tool_use_error>");
    const bool shows = !by_engine && (!ended.result.text.empty() || ended.result.long_output);
    const std::string said = engine_error(Errc::cancelled, cancel_text(*why, ended.ran)).text + (shows ? "\n" : "");
    ended.result.text = said + (shows ? ended.result.text : "");
    if (ended.result.long_output) ended.result.long_output->at += said.size();
  }
  record.duration = parts_.clock.now() - record.started;
  record.modifiers = std::move(ended.result.modifiers);
  record.ran = ended.ran;
  record.only_read = record.admitted && record.admitted->cannot_have_effect();
  if (record.admitted && record.admitted->read_only) ended.result.shows_files = files_seen_in(record.modifiers);
  const Ending ending = ending_of(ended.result, ended.ran);
  answer(index, std::move(ended));
  active_->run.finished(index, ending, !record.modifiers.empty());
}

void Executor::answer(CallIndex index, Ended ended) {
  CallRecord& record = active_->calls[index];
  if (!ended.recorded) parts_.pipeline.record(record.id, record.tool, ended.result);
  if (record.started != TimePoint{} && parts_.frontend.wants_progress()) active_->stopped.push_back(record.id);
  record.result = std::move(ended.result);
  record.place = CallRecord::Place::done;
}

void Executor::emit(CallIndex index) {
  CallRecord& record = active_->calls[index];
  DEFT_CHECK(record.result);
  if (record.deferred) return;                         // nobody hears of it
  if (has_no_turns_) parts_.pipeline.flush_records();  // whoever feeds us by hand is told at once
  ++summary_.calls;
  if (record.result->is_error()) ++summary_.errors;
  parts_.given.leave(leaving(record), *record.result);
  note_for_batch_hooks(record);
  const bool has_times = !record.times.empty();
  parts_.frontend.show(CallAnswered{.call_id = record.id,
                                    .tool = record.tool,
                                    .result = std::move(*record.result),
                                    .duration = record.duration,
                                    .title = has_times ? std::move(record.title) : std::string(),
                                    .stages = std::move(record.times)});
  record.result.reset();
  record.admitted.reset();  // a message of ten thousand calls holds no more than it must
}

GivenResults::Leaving Executor::leaving(const CallRecord& record) const {
  GivenResults::Leaving call{.call_id = record.id, .title = record.tool};
  call.changed_nothing = !record.ran;
  call.waited = record.wait_is_over;
  if (!record.admitted) return call;
  const ToolCall& made = record.admitted->call;
  if (record.result->text.size() >= kRepeatedResultCharactersMin || !record.result->blocks.empty()) {
    call.title = record.title;
  }
  const std::string written = made.input_text.empty() ? to_json(made.input) : std::string();
  call.call_key = std::hash<std::string>()(record.tool) ^
                  std::hash<std::string>()(made.input_text.empty() ? written : made.input_text);
  call.changed_nothing = !record.ran || record.admitted->read_only;
  return call;
}

void Executor::publish_progress() {
  if (active_->started.empty() && active_->stopped.empty()) return;
  parts_.frontend.show(ProgressChanged{.started = std::exchange(active_->started, {}),
                                       .ended = std::exchange(active_->stopped, {}),
                                       .in_progress = active_->run.in_progress(),
                                       .can_interrupt = active_->run.can_interrupt()});
}

}  // namespace deft
