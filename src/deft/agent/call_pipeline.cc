#include "deft/agent/call_pipeline.h"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "deft/agent/resolved_footprint.h"
#include "deft/agent/stale_files.h"
#include "deft/base/check.h"
#include "deft/base/keyed_hash.h"
#include "deft/base/path.h"
#include "deft/core/rule_proposal.h"
#include "deft/os/files.h"

namespace deft {
namespace {

constexpr std::size_t kComparedResultBytesMax = std::size_t{4} << 20;

// A declaration that throws counts as the unsafe answer.
template <class Answer, class Ask>
Answer declared(Answer unsafe, const Ask& ask) {
  try {
    return ask();
  } catch (...) {
    return unsafe;
  }
}

ToolResult error_result(const Error& error) {
  // What a tool says about its own work is its result; what the engine says is marked as the engine's.
  return {.text = error.message, .error = error.code};
}

bool has_relative_path(const AdmittedCall& call) {
  for (const std::string& field : call.tool().spec().path_fields) {
    const auto path = find_string(call.call.input, field);
    if (path && !path->starts_with('/')) return true;
  }
  return false;
}

// Nothing: they are, and the input stays as it is.
std::optional<Json> with_absolute_paths(const Tool& tool, const Json& input, std::string_view folder) {
  std::optional<Json> changed;
  for (const std::string& field : tool.spec().path_fields) {
    const auto path = find_string(input, field);
    if (!path) continue;
    const std::string absolute = absolute_path(*path, folder);
    if (absolute == *path) continue;
    if (!changed) changed = input;
    changed->get_object()[field] = absolute;
  }
  return changed;
}

void declare_nature(AdmittedCall& call, const SessionView& session) {
  const Tool& tool = call.tool();
  const Json& input = call.call.input;
  call.read_only = declared(false, [&] { return tool.is_read_only(input, session); });
  call.concurrency_safe = declared(false, [&] { return tool.is_concurrency_safe(input, session); });
}

Footprint plain_footprint(bool concurrency_safe) {
  return concurrency_safe ? Footprint::reads_everything() : Footprint::everything();
}

std::string denial_text(const ToolCall& call, const Decision& decision) {
  return "Permission to use " + call.name + " was denied: " + decision.reason +
         ". Do not try the same by another way; go on without it, or say what you need and why.";
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// Two results with the same one are the same to the model. What is going to be stored away is compared there.
std::string identity_of(const ToolResult& result) {
  if (result.long_output || result.text.size() > kComparedResultBytesMax) return {};
  KeyedHash hash;
  hash.add(result.text);
  hash.add(result.is_error() ? "\n error" : "\n");
  for (const Json& block : result.blocks) hash.add(to_json(block));
  return hash.digest();
}

constexpr std::string_view kMayRetry = "\nA hook says that you may try it again.";

// A tool that only wants something of a person (an answer, a yes to a plan): hooks that allow the call and give its
// input have given that.
bool is_answered_by_hooks(const AdmittedCall& call) {
  return call.hooks && call.hooks->verdict == HookVerdict::allow && call.hooks->updated_input &&
         prompt_kind_of(call.tool().spec().name) != PromptKind::permission;
}

// A call that is to be decided later is not decided by us: whoever can be asked is asked.
Verdict verdict_of(HookVerdict verdict) {
  switch (verdict) {
    case HookVerdict::allow: return Verdict::allow;
    case HookVerdict::ask:
    case HookVerdict::defer: return Verdict::ask;
    case HookVerdict::deny: return Verdict::deny;
  }
  return Verdict::deny;
}

}  // namespace

// Notes when a stage began and ended, and tells the frontend. Costs nothing when nobody wants to know.
class CallPipeline::Stage {
 public:
  Stage(const CallPipeline& pipeline, std::string_view name, const std::string& call_id, StageTimes* times)
      : pipeline_(pipeline),
        name_(name),
        call_id_(call_id),
        times_(times),
        is_shown_(pipeline.parts_.frontend.wants_stages()) {
    if (times_ || is_shown_) began_ = pipeline_.now();
  }
  // `outcome` is a literal.
  void ended(std::string_view outcome, std::string_view detail = {}) const {
    if (!times_ && !is_shown_) return;
    const TimePoint now = pipeline_.now();
    if (times_ && times_->empty()) times_->reserve(kStagesMost);
    if (times_) times_->push_back({.stage = name_, .outcome = outcome, .begin = began_, .end = now});
    if (!is_shown_) return;
    pipeline_.parts_.frontend.show(StageEnded{.call_id = call_id_,
                                              .stage = name_,
                                              .outcome = std::string(outcome),
                                              .detail = std::string(detail),
                                              .duration = now - began_});
  }

 private:
  static constexpr std::size_t kStagesMost = 9;

  const CallPipeline& pipeline_;
  std::string_view name_;
  const std::string& call_id_;
  StageTimes* times_;
  bool is_shown_;
  TimePoint began_{};
};

std::variant<AdmittedCall, ToolResult> CallPipeline::admit(const ToolPool& pool, const Permissions& permissions,
                                                           const SessionView& session, ToolCall call,
                                                           StageTimes* times) const {
  const Stage look_up(*this, "look_up", call.id, times);
  const RegisteredTool* entry = pool.find(call.name);
  if (!entry) {
    look_up.ended(to_string(Errc::unknown_tool));
    return engine_error(Errc::unknown_tool, "No such tool available: " + call.name);
  }
  const ToolSpec& spec = entry->tool->spec();
  if (permissions.forbids_wholly(spec.name, spec.aliases, spec.mcp)) {
    look_up.ended(to_string(Errc::denied));
    return engine_error(Errc::denied, "The tool " + call.name + " is denied by a rule and cannot be used here.");
  }
  if (const auto why = declared(std::optional<std::string>("it cannot say whether it works"),
                                [&] { return entry->tool->disabled(); })) {
    look_up.ended(to_string(Errc::tool_disabled));
    return engine_error(Errc::tool_disabled, "The tool " + call.name + " is not available now: " + *why);
  }
  look_up.ended("found");

  const Stage schema(*this, "schema", call.id, times);
  if (call.invalid) {
    schema.ended(to_string(Errc::invalid_json), *call.invalid);
    return engine_error(Errc::invalid_json, "InputValidationError: the input of " + call.name + " is not valid JSON (" +
                                                *call.invalid + "). It came as " +
                                                to_json(JsonObject{{"INVALID_JSON", call.input_text}}) +
                                                "; send the call again with a complete JSON object.");
  }
  auto checked = check(AdmittedCall{.call = std::move(call), .entry = *entry}, session, times);
  if (auto* refused = std::get_if<ToolResult>(&checked)) {
    if (pool.is_deferred(spec.name) && !session.has_loaded_tool(spec.name)) {
      refused->text += "\nIts definition was not loaded: call ToolSearch with the query \"select:" + spec.name +
                       "\" first, then call it again.";
    }
  }
  return checked;
}

std::variant<AdmittedCall, ToolResult> CallPipeline::readmit(const AdmittedCall& call, const SessionView& session,
                                                             Json input, StageTimes* times) const {
  AdmittedCall again = call;
  again.call.input = std::move(input);
  again.opinion = std::nullopt;
  again.resolved = false;
  return check(std::move(again), session, times);
}

// The second stage.
std::variant<AdmittedCall, ToolResult> CallPipeline::check(AdmittedCall call, const SessionView& session,
                                                           StageTimes* times) const {
  const Stage schema(*this, "schema", call.call.id, times);
  const Result<Schema>& fits = call.entry.form->input_schema();
  if (!fits) {
    schema.ended(to_string(fits.error().code));
    return engine_error(Errc::internal,
                        "the input schema of " + call.call.name + " is unusable: " + fits.error().message);
  }
  const Json& given = call.call.input;
  const auto problems = fits->validate(given);
  if (!problems.empty()) {
    schema.ended(to_string(Errc::invalid_input));
    return engine_error(Errc::invalid_input, input_validation_error(problems));
  }
  const Tool& tool = call.tool();
  declare_nature(call, session);
  // Where a relative path leads is not known yet; resolve() asks again when it is.
  const std::optional<Json> somewhere = with_absolute_paths(tool, given, "/");
  auto footprint =
      declared(std::optional<Footprint>(), [&] { return tool.footprint(somewhere ? *somewhere : given, session); });
  call.footprint_declared = footprint.has_value();
  call.footprint = footprint ? std::move(*footprint) : plain_footprint(call.concurrency_safe);
  schema.ended("fits");
  return call;
}

CallTraits CallPipeline::traits(const AdmittedCall& call, Scheduling scheduling) const {
  const ToolSpec& spec = call.tool().spec();
  CallTraits traits{.footprint = call.footprint,
                    .read_only = call.cannot_have_effect(),
                    .interruptible = spec.on_interrupt == OnInterrupt::cancel,
                    .failure_cancels_siblings = spec.failure_cancels_siblings,
                    .label = title(call)};
  if (scheduling == Scheduling::exclusive) {
    traits.footprint = plain_footprint(call.concurrency_safe);
  }
  // A relative path means something only once the working directory is settled; until then only that is known of it.
  if (has_relative_path(call) && !traits.footprint.is_everything()) {
    traits.footprint = Footprint::uses_session(Footprint::Use::read);
  }
  return traits;
}

Footprint CallPipeline::resolve(AdmittedCall& call, const SessionView& session, Scheduling scheduling) const {
  const bool was_relative = has_relative_path(call);
  if (auto absolute = with_absolute_paths(call.tool(), call.call.input, session.working_directory())) {
    call.call.input = std::move(*absolute);
  }
  declare_nature(call, session);
  if (call.footprint_declared) {
    const auto declared_again =
        declared(std::optional<Footprint>(), [&] { return call.tool().footprint(call.call.input, session); });
    call.footprint = declared_again ? resolved_footprint(parts_.os.files, *declared_again) : Footprint::everything();
  } else {
    call.footprint = plain_footprint(call.concurrency_safe);
  }
  call.resolved = true;
  if (scheduling == Scheduling::exclusive) return traits(call, scheduling).footprint;
  if (was_relative) return Footprint(call.footprint).and_session(Footprint::Use::read);
  return call.footprint;
}

bool CallPipeline::is_quick(const AdmittedCall& call) const {
  const Footprint& footprint = call.footprint;
  const bool only_reads = call.cannot_have_effect() && call.footprint_declared && !footprint.is_everything() &&
                          footprint.network() == Footprint::Use::none && !footprint.paths().empty();
  const auto is_file = [](const Footprint::PathAccess& access) { return access.use == Footprint::PathUse::read; };
  return only_reads && std::ranges::all_of(footprint.paths(), is_file) && !listens(HookEvent::pre_tool_use) &&
         !listens(HookEvent::post_tool_use) && !listens(HookEvent::post_tool_use_failure);
}

ToolIo CallPipeline::io_for(const AdmittedCall& call, const CallSetting& setting) const {
  return {.os = parts_.os,
          .session = setting.session,
          .stop = setting.stop,
          .progress = setting.progress,
          .answer = setting.answer,
          .call_id = call.call.id,
          .agent_id = parts_.agent_id,
          .session_folder = parts_.session_folder,
          .outputs = parts_.results.folder(),
          .result_characters_max = limit_of(call).characters_max,
          .changes = parts_.changes,
          .judged_read_only = call.read_only,
          .allowed_paths = setting.paths,
          .approved = call.approved || is_answered_by_hooks(call),
          .wants_mcp_content = parts_.wants_mcp_content,
          .to_background = setting.to_background,
          .pool = setting.pool,
          .permissions = setting.permissions,
          .call = [this, &setting, id = call.call.id](std::string_view tool, Json input,
                                                      std::shared_ptr<const Permissions> permissions) {
            return call_within(id, setting, tool, std::move(input), std::move(permissions));
          }};
}

PermissionQuestion CallPipeline::question(const AdmittedCall& call, const CallSetting& setting,
                                          const HookOutcome& hooks) const {
  const Tool& tool = call.tool();
  const Json& input = call.call.input;
  PermissionQuestion question{.tool = tool.spec().name,
                              .aliases = tool.spec().aliases,
                              .mcp = tool.spec().mcp,
                              .input = &input,
                              .working_directory = std::string(setting.session.working_directory()),
                              .read_only = call.read_only,
                              .session_only = declared(false, [&] { return tool.is_session_only(input); }),
                              .uses_network = call.footprint.network() != Footprint::Use::none};
  const auto own_paths = declared(std::optional<std::vector<std::string>>(),
                                  [&] { return tool.permission_paths(input, setting.session); });
  if (own_paths) {
    question.all_paths_known = true;
    for (const std::string& path : *own_paths) {
      const auto canonical = parts_.os.files.canonical(absolute_path(path, setting.session.working_directory()));
      question.all_paths_known = question.all_paths_known && canonical.has_value();
      question.paths.push_back(canonical.value_or(path));
    }
  } else if (call.footprint_declared && !call.footprint.is_everything()) {
    question.all_paths_known = true;
    question.edits_files = !call.read_only && !question.uses_network;
    for (const auto& access : call.footprint.paths()) question.paths.push_back(access.path);
  }
  question.hides_denied_files = declared(false, [&] { return tool.leaves_out_denied_files(); });
  question.own_verdict = declared(std::optional(OwnVerdict{Verdict::ask, "its own check failed"}),
                                  [&] { return tool.check_permission(input, setting.session); });
  if (parts_.only_reads && !call.read_only && !question.session_only) {
    question.own_verdict =
        OwnVerdict{Verdict::deny, "an agent of this type only reads, and this would change something"};
  }
  if (hooks.verdict) question.hook_verdict = verdict_of(*hooks.verdict);
  question.hook_reason = hooks.reason;
  question.auto_paused = parts_.tally->paused();
  question.opinion = call.opinion;
  return question;
}

Decision CallPipeline::decide(const AdmittedCall& call, const CallSetting& setting) const {
  return permissions_for(call, setting)->decide(question(call, setting, call.hooks.value_or(HookOutcome{})));
}

std::shared_ptr<const Permissions> CallPipeline::permissions_for(const AdmittedCall& call,
                                                                 const CallSetting& setting) const {
  if (!parts_.server_modes) return setting.permissions;
  return parts_.server_modes->apply(setting.permissions, call.tool().spec().mcp);
}

ToolResult CallPipeline::denial(const AdmittedCall& call, const Decision& decision) {
  return engine_error(Errc::denied, denial_text(call.call, decision));
}

Prepared CallPipeline::prepare(const AdmittedCall& call, const CallSetting& setting) const {
  DEFT_CHECK(call.resolved);
  const auto denied = [](ToolResult result) { return Denied{std::move(result)}; };
  if (setting.stop.stop_requested()) return denied(engine_error(Errc::cancelled, "Cancelled before it began"));

  const Stage validation(*this, "validation", call.call.id, setting.times);
  ToolIo io = io_for(call, setting);
  const auto valid = declared(Result<void>(fail(Errc::internal, "its input could not be checked")),
                              [&] { return call.tool().validate(call.call.input, io); });
  if (!valid) {
    validation.ended(to_string(valid.error().code));
    return denied(engine_error(valid.error().code, valid.error().message));
  }
  validation.ended("valid");
  auto completed = declared(std::optional<Json>(), [&] { return call.tool().completed(call.call.input, io); });
  if (completed && *completed != call.call.input) return InputReplaced{std::move(*completed), {}, /*by_hooks=*/false};

  // Beside the hooks; it is waited for when they have spoken.
  const std::shared_ptr<Judgement> judgement = start_classifier(call, setting);
  const auto stop = [](Judgement* unwanted) { unwanted->stop(); };
  std::unique_ptr<Judgement, decltype(stop)> awaited(judgement.get(), stop);
  HookOutcome hooks = call.hooks ? *call.hooks : run_pre_hooks(call, setting);
  if (hooks.cancelled) return denied(engine_error(Errc::cancelled, "Cancelled while its hooks ran"));
  if (!call.hooks && hooks.updated_input && hooks.verdict != HookVerdict::deny) {
    Json input = *hooks.updated_input;
    return InputReplaced{std::move(input), std::move(hooks)};
  }

  const Stage permission(*this, "permission", call.call.id, setting.times);
  PermissionQuestion asked = question(call, setting, hooks);
  const bool is_judged =
      judgement && judgement->wait(setting.stop, parts_.os.clock.on_steady_clock(now() + parts_.opinion_patience));
  if (is_judged) asked.opinion = judgement->opinion();
  const auto permissions = permissions_for(call, setting);
  Decision decision = permissions->decide(asked);
  if (permissions->mode() == Mode::auto_ && !call.approved) {
    const bool is_allowed = decision.verdict == Verdict::allow;
    if (decision.stage == PermissionStage::classifier) count_opinion(RiskOpinion{.is_harmless = is_allowed});
    if (decision.stage == PermissionStage::nobody_allowed_it && (is_judged || !judgement)) count_opinion({});
  }
  // A person's yes answers a question; it lifts no denial.
  const bool is_answered =
      call.approved || (decision.stage == PermissionStage::tool_check && is_answered_by_hooks(call));
  if (decision.verdict == Verdict::ask && is_answered) decision.verdict = Verdict::allow;
  permission.ended(to_string(decision.verdict), decision.reason);
  if (decision.verdict == Verdict::deny) {
    ToolResult refused = denial(call, decision);
    if (may_retry(call, setting, decision)) refused.text += kMayRetry;
    add_hook_words(HookEvent::pre_tool_use, hooks, refused);
    return denied(std::move(refused));
  }
  if (decision.verdict == Verdict::ask) {
    // Only for looking back: what cannot be written down is asked all the same.
    static_cast<void>(parts_.journal.asked(call.call, setting.session.working_directory(), decision.reason));
    std::vector<std::string> proposal;
    // Every other question wants to be asked whatever rules allow.
    if (setting.wants_proposal && decision.stage == PermissionStage::nobody_allowed_it) {
      proposal = propose_rules(asked, permissions->setup());
    }
    const bool deferred = hooks.verdict == HookVerdict::defer;
    Asks asks{std::move(decision), std::move(hooks), std::move(proposal), deferred};
    // It may still settle the question, if it is one that an opinion settles.
    if (judgement && !is_judged && asks.decision.stage == PermissionStage::nobody_allowed_it) {
      asks.judgement = judgement;
      static_cast<void>(awaited.release());
    }
    return asks;
  }

  if (call.cannot_have_effect()) return Allowed{std::move(hooks), std::move(decision.paths)};
  // What cannot be remembered is not begun: after kill -9 nobody could say whether it happened.
  if (const auto written = parts_.journal.intent(call.call); !written) {
    return denied(engine_error(written.error().code, "Not started: " + written.error().message));
  }
  return Allowed{std::move(hooks), std::move(decision.paths)};
}

ToolResult CallPipeline::run(const AdmittedCall& call, const CallSetting& setting) const {
  return *run_as(call, setting, [&](ToolIo& io) { return std::optional(call.tool().run(call.call.input, io)); });
}

std::optional<ToolResult> CallPipeline::run_briefly(const AdmittedCall& call, const CallSetting& setting) const {
  return run_as(call, setting, [&](ToolIo& io) { return call.tool().run_briefly(call.call.input, io); });
}

template <class Run>
std::optional<ToolResult> CallPipeline::run_as(const AdmittedCall& call, const CallSetting& setting,
                                               const Run& run_tool) const {
  const Stage stage(*this, "call", call.call.id, setting.times);
  ToolIo io = io_for(call, setting);
  ToolResult result;
  try {
    std::optional<Result<ToolResult>> outcome = run_tool(io);
    if (!outcome) return std::nullopt;
    result = *outcome ? std::move(**outcome) : error_result(outcome->error());
  } catch (const std::exception& broken) {
    result = engine_error(Errc::internal, call.call.name + " failed unexpectedly: " + broken.what());
  } catch (...) {
    result = engine_error(Errc::internal, call.call.name + " failed unexpectedly");
  }
  stage.ended(result.is_error() ? to_string(*result.error) : "done");
  return result;
}

std::shared_ptr<Judgement> CallPipeline::start_classifier(const AdmittedCall& call, const CallSetting& setting) const {
  if (!parts_.classifier || !parts_.runner || call.approved || call.opinion) return nullptr;
  const auto permissions = permissions_for(call, setting);
  const PermissionSetup& setup = permissions->setup();
  if (setup.mode != Mode::auto_ && setup.meanings.empty()) return nullptr;  // most sessions: it costs them nothing
  auto wanted = permissions->wants_opinion(question(call, setting, call.hooks.value_or(HookOutcome{})));
  if (!wanted) return nullptr;
  const auto judgement = std::make_shared<Judgement>();
  parts_.runner->start([judgement, classifier = parts_.classifier, tool = call.entry.tool, input = call.call.input,
                        wanted = std::move(*wanted)] {
    judgement->spoke(declared(std::optional<RiskOpinion>(), [&] {
      return classifier->judge({tool->spec().name, tool->classifier_text(input), wanted}, judgement->stop_token());
    }));
  });
  return judgement;
}

void CallPipeline::count_opinion(const std::optional<RiskOpinion>& opinion) const {
  if (opinion && opinion->by_grant) return;
  if (opinion && opinion->is_harmless) {
    parts_.tally->harmless();
  } else {
    parts_.tally->risky();
  }
}

HookOutcome CallPipeline::run_pre_hooks(const AdmittedCall& call, const CallSetting& setting) const {
  const Stage stage(*this, "pre_hooks", call.call.id, setting.times);
  HookOutcome outcome;
  if (parts_.hooks.listens(HookEvent::pre_tool_use)) {
    outcome = run_hooks(with_server(pre_tool_use(scene(setting), call_for_hooks(call)), call.tool().spec()),
                        call.call.id, setting.stop);
  }
  stage.ended(outcome.cancelled ? "cancelled" : "done", outcome.reason);
  return outcome;
}

void CallPipeline::finish(const AdmittedCall& call, const CallSetting& setting, const HookOutcome& hooks, Duration took,
                          ToolResult& result) const {
  const Stage post_hooks(*this, "post_hooks", call.call.id, setting.times);
  add_hook_words(HookEvent::pre_tool_use, hooks, result);
  const OutputChange change = run_post_hooks(call, setting, took, result);
  post_hooks.ended("done");

  const Stage map(*this, "map", call.call.id, setting.times);
  try {
    call.tool().map_result(call.call.input, result);
  } catch (const std::exception& broken) {
    result = engine_error(Errc::internal, call.call.name + " gave a result that cannot be shown: " + broken.what());
  }
  const bool has_no_text = result.text.empty() && result.blocks.empty() && !result.details.is_null();
  if (change == OutputChange::replaced && has_no_text) result.text = text_of_output(result.details);
  map.ended("done");

  const Stage budget(*this, "budget", call.call.id, setting.times);
  look_for_stale_files(call, setting, result);
  if (is_blank(result.text) && !result.long_output) {
    result.text = result.blocks.empty() ? "(" + call.call.name + " completed with no output)" : "";
  }
  result.limit = limit_of(call);
  const bool had_no_effect = call.cannot_have_effect();
  record(call.call.id, call.call.name, result, had_no_effect ? Journal::When::soon : Journal::When::now);
  budget.ended(result.stored ? "stored" : "whole");
}

void CallPipeline::finish_stopped(const AdmittedCall& call, const CallSetting& setting, ToolResult& result) const {
  look_for_stale_files(call, setting, result);
  result.limit = limit_of(call);
}

ResultLimit CallPipeline::limit_of(const AdmittedCall& call) const {
  const ToolSpec& spec = call.tool().spec();
  return parts_.limits.of(spec.name, {.characters_max = spec.result_characters_max,
                                      .declared = spec.result_characters_declared,
                                      .kept = spec.result_kept});
}

void CallPipeline::look_for_stale_files(const AdmittedCall& call, const CallSetting& setting,
                                        ToolResult& result) const {
  if (call.read_only) return;
  const bool has_own_details = call.tool().spec().origin == Origin::built_in;  // those of strangers stay untouched
  note_stale_files(call.footprint, setting.session, parts_.os.files, has_own_details, result);
}

std::optional<Wait> CallPipeline::wait_for(const AdmittedCall& call, const CallSetting& setting) const {
  ToolIo io = io_for(call, setting);
  return declared(std::optional<Wait>(), [&] { return call.tool().wait_for(call.call.input, io); });
}

std::string CallPipeline::title(const AdmittedCall& call) const {
  return declared(call.call.name, [&] { return call.tool().render_use(call.call.input); });
}

bool CallPipeline::is_destructive(const AdmittedCall& call) const {
  return declared(true, [&] { return call.tool().is_destructive(call.call.input); });
}

void CallPipeline::record(const std::string& call_id, const std::string& tool, ToolResult& result,
                          Journal::When when) const {
  result.identity = identity_of(result);
  if (!result.note.empty()) result.text += result.note;
  parts_.results.bound(result, call_id);
  // The answer is given even where it cannot be remembered; the frontend is told.
  if (const auto written = parts_.journal.result(call_id, tool, result, when); !written) {
    parts_.frontend.show(Notice{written.error().message});
  }
}

void CallPipeline::flush_records() const {
  if (const auto written = parts_.journal.flush(); !written) parts_.frontend.show(Notice{written.error().message});
}

void CallPipeline::record_discard() const {
  if (const auto written = parts_.journal.message_discarded(); !written) {
    parts_.frontend.show(Notice{written.error().message});
  }
}

}  // namespace deft
