#include "deft/agent/user_hooks.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "deft/agent/hook_input.h"
#include "deft/agent/hook_overflow.h"
#include "deft/agent/hook_program.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/os/uuid.h"

// A moment, from top to bottom: choose the hooks, make their input once, ask all of them side by side, fold the answers
// in the order of the settings. How a hook is asked depends on its type; how its words are understood does not.

namespace deft {
namespace {

static_assert(kHookEventCount <= 32);

std::uint32_t bit_of(HookEvent event) { return std::uint32_t{1} << static_cast<unsigned>(event); }

// Calls work(0) … work(count - 1), at most kHooksAtOnceMax at a time, this thread among them.
void side_by_side(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take_turns = [&] {
    for (std::size_t i = 0; (i = next++) < count;) work(i);
  };
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(count, kHooksAtOnceMax); ++i) {
    try {
      helpers.emplace_back(take_turns);
    } catch (const std::system_error&) {
      break;  // no more threads: those that there are do it
    }
  }
  take_turns();
}

std::string shown(std::string_view text) {
  return to_valid_utf8(first_characters(utf8_prefix(text, kHookOutputBytesMax), kHookTextCharactersMax));
}

void note_end(const HookEnd& end, HookReport& report) {
  if (end.how == HookEnd::How::exited) report.exit_code = end.exit_code;
  report.output = shown(end.output);
  report.errors = shown(end.errors);
}

HookAnswer answer_of_error(HookEvent event, const Error& error, bool blocks_on_failure) {
  if (error.code == Errc::cancelled) return {.end = HookReport::End::cancelled, .error = "It was cancelled"};
  if (error.code == Errc::timeout) return answer_of_failure(event, "It took too long and was ended", blocks_on_failure);
  return answer_of_failure(event, error.message, blocks_on_failure);
}

// What comes too late to decide anything.
LateHookWord late_word(const Hook& hook, const HookEnd& end, const KeepText& keep) {
  LateHookWord word{.event = hook.event, .hook = hook.name};
  HookAnswer answer = answer_of_program(hook.event, end, false);
  bound_answer(answer, keep);
  if (hook.wakes_model && end.how == HookEnd::How::exited && end.exit_code == 2) {
    const bool has_errors = end.errors.find_first_not_of(" \t\r\n") != std::string::npos;
    word.wakes_model = true;
    word.context = bounded_hook_text(to_valid_utf8(has_errors ? end.errors : end.output), keep);
    return word;
  }
  word.context = std::move(answer.context);
  word.message = std::move(answer.message);
  if (answer.end == HookReport::End::failed) word.error = std::move(answer.error);
  return word;
}

}  // namespace

struct UserHooks::Asking {
  const HookMoment& moment;
  std::stop_token stop;
  std::shared_ptr<const HookConfig> config;
  std::shared_ptr<const HookSession> session;
  Json input;
  std::string input_line;

  Duration timeout(const Hook& hook) const { return timeout_of(hook, *config); }
};

UserHooks::UserHooks(Parts parts, HookConfig config)
    : parts_(std::move(parts)), session_(std::make_shared<const HookSession>()) {
  use(std::move(config));
}

void UserHooks::use(HookConfig config) {
  const std::lock_guard lock(mutex_);
  of_settings_ = std::move(config);
  put_together();
}

Result<void> UserHooks::add_beside(const Json& hooks, SettingSource source, std::string_view origin) {
  HookConfig more;
  add_hooks(hooks, source, origin, more);
  if (!more.problems.empty()) return fail(Errc::invalid_input, more.problems.front());
  const std::lock_guard lock(mutex_);
  for (const HookEvent event : all_hook_events()) {
    auto& known = beside_.of(event);
    for (Hook& hook : more.of(event)) {
      const bool is_there = std::ranges::find(known, hook.identity, &Hook::identity) != known.end();
      if (!is_there && known.size() < kHooksPerEventMax) known.push_back(std::move(hook));
    }
  }
  put_together();
  return {};
}

void UserHooks::end_turn() {
  const std::lock_guard lock(mutex_);
  if (beside_.empty()) return;
  beside_ = {};
  put_together();
}

// The weakest first: those beside the settings.
void UserHooks::put_together() {
  HookConfig all = of_settings_;
  std::uint32_t bits = 0;
  for (const HookEvent event : all_hook_events()) {
    if (!all.takes_no_others)
      all.of(event).insert(all.of(event).begin(), beside_.of(event).begin(), beside_.of(event).end());
    if (!all.of(event).empty()) bits |= bit_of(event);
  }
  for (const auto& [agent, hooks] : of_agents_) {
    for (const HookEvent event : all_hook_events()) {
      if (!all.takes_no_others && !hooks->of(event).empty()) bits |= bit_of(event);
    }
  }
  config_ = std::make_shared<const HookConfig>(std::move(all));
  listens_ = bits;
}

Result<void> UserHooks::add_for_agent(const std::string& agent_id, const Json& hooks, SettingSource source,
                                      std::string_view origin) {
  HookConfig config;
  add_hooks(hooks, source, origin, config);
  if (!config.problems.empty()) return fail(Errc::invalid_input, config.problems.front());
  const std::lock_guard lock(mutex_);
  of_agents_.insert_or_assign(agent_id, std::make_shared<const HookConfig>(std::move(config)));
  put_together();
  return {};
}

void UserHooks::end_agent(const std::string& agent_id) {
  const std::lock_guard lock(mutex_);
  if (of_agents_.erase(agent_id) > 0) put_together();
}

std::shared_ptr<const HookConfig> UserHooks::of_agent(const std::string& agent_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = of_agents_.find(agent_id);
  return found == of_agents_.end() || config_->takes_no_others ? nullptr : found->second;
}

void UserHooks::begin_session(HookSession session) {
  auto next = std::make_shared<const HookSession>(std::move(session));
  const std::lock_guard lock(mutex_);
  session_ = std::move(next);
}

std::shared_ptr<const HookConfig> UserHooks::config() const {
  const std::lock_guard lock(mutex_);
  return config_;
}

std::shared_ptr<const HookSession> UserHooks::session() const {
  const std::lock_guard lock(mutex_);
  return session_;
}

bool UserHooks::listens(HookEvent event) const { return (listens_.load() & bit_of(event)) != 0; }

HookOutcome UserHooks::run(const HookMoment& moment, std::stop_token stop) {
  Asking asking{.moment = moment, .stop = std::move(stop), .config = config(), .session = session()};
  const HookSubject subject{.name = moment.subject,
                            .call = moment.call,
                            .directory = moment.directory,
                            .home = parts_.home,
                            .resolve = parts_.resolve,
                            .mcp = moment.mcp,
                            .api_name = moment.api_name};
  const auto its_own = of_agent(moment.agent_id);
  std::vector<ChosenHook> chosen;  // the weakest first
  if (its_own) chosen = choose_hooks(*its_own, moment.event, subject);
  const std::vector<ChosenHook> of_all = choose_hooks(*asking.config, moment.event, subject);
  chosen.insert(chosen.end(), of_all.begin(), of_all.end());
  if (chosen.empty()) return {};
  asking.input = hook_input(moment, asking.session->id, asking.session->transcript_path);
  asking.input_line = to_json(asking.input) + "\n";
  std::vector<AnsweredHook> answered(chosen.size());
  side_by_side(chosen.size(), [&](std::size_t i) { answered[i] = ask(asking, chosen[i]); });
  return fold_hooks(std::move(answered));
}

AnsweredHook UserHooks::ask(const Asking& asking, const ChosenHook& chosen) {
  const Hook& hook = *chosen.hook;
  AnsweredHook answered{.answer = {}, .report = {.hook = hook.name, .source = hook.origin}};
  const TimePoint began = parts_.clock.now();
  HookAnswer& answer = answered.answer;
  const HookLife life = begin(asking.moment);
  answer = ask_by_type(asking, chosen, life, answered.report);
  answered.report.duration = std::chrono::duration_cast<std::chrono::milliseconds>(parts_.clock.now() - began);
  bound(answer, asking, hook);
  if (answer.end != HookReport::End::in_background) tell_end(life, answer, answered.report);
  return answered;
}

HookAnswer UserHooks::ask_by_type(const Asking& asking, const ChosenHook& chosen, const HookLife& life,
                                  HookReport& report) {
  const Hook& hook = *chosen.hook;
  if (hook.broken) return answer_of_failure(hook.event, *hook.broken, chosen.blocks_on_failure);
  switch (hook.type) {
    case HookType::command: return ask_program(asking, chosen, life, report);
    case HookType::http: return ask_http(asking, chosen, report);
    case HookType::mcp_tool: return ask_mcp_tool(asking, chosen, report);
    case HookType::prompt:
    case HookType::agent: return ask_model(asking, chosen, report);
    case HookType::callback: return ask_host(asking, chosen, report);
  }
  return answer_of_failure(hook.event, "There is no such type of hooks", chosen.blocks_on_failure);
}

HookLife UserHooks::begin(const HookMoment& moment) const {
  if (!parts_.services.tell) return {};
  std::string name(to_string(moment.event));
  if (!moment.subject.empty()) name += ":" + moment.subject;
  HookLife life{.id = random_uuid(), .event = moment.event, .name = std::move(name)};
  parts_.services.tell(life);
  return life;
}

void UserHooks::tell_end(HookLife life, const HookAnswer& answer, HookReport report) const {
  if (!parts_.services.tell) return;
  report.end = answer.end;
  report.error = answer.error;
  life.ended = std::move(report);
  parts_.services.tell(life);
}

void UserHooks::bound(HookAnswer& answer, const Asking& asking, const Hook& hook) {
  bound_answer(answer, [&](std::string_view text) -> Result<std::string> {
    const std::size_t number = ++texts_kept_;
    if (number > kHookTextsKeptMax) return fail(Errc::limit, "hooks have said too much in this session");
    return keep_hook_text(asking.session->folder, std::string(to_string(hook.event)) + "-" + std::to_string(number),
                          text);
  });
}

// --- programs ---

HookAnswer UserHooks::ask_program(const Asking& asking, const ChosenHook& chosen, const HookLife& life,
                                  HookReport& report) {
  const Hook& hook = *chosen.hook;
  auto program = std::make_shared<HookProgram>(
      parts_.processes, parts_.clock,
      hook_command(hook, *asking.session, parts_.environment, asking.moment.directory, asking.input_line));
  const Duration timeout = asking.timeout(hook);
  if (hook.is_async) return go_on_in_background(asking, chosen, life, std::move(program), timeout);
  const auto end = program->follow(timeout, asking.stop);
  if (!end) {
    const Duration asked_for = program->asked_for().value_or(timeout);
    return go_on_in_background(asking, chosen, life, std::move(program), asked_for);
  }
  note_end(*end, report);
  report.left_behind = program->left_behind();
  return answer_of_program(hook.event, *end, chosen.blocks_on_failure);
}

HookAnswer UserHooks::go_on_in_background(const Asking& asking, const ChosenHook& chosen, const HookLife& life,
                                          std::shared_ptr<HookProgram> program, Duration timeout) {
  // The settings may change meanwhile: the hook is kept as it was.
  const bool started = background_.start([this, hook = *chosen.hook, its_program = std::move(program),
                                          session = asking.session, timeout, life](std::stop_token stop) {
    const HookEnd end = its_program->follow_to_end(timeout, std::move(stop));
    HookReport report{.hook = hook.name, .source = hook.origin};
    note_end(end, report);
    tell_end(life, answer_of_program(hook.event, end, false), std::move(report));
    return late_word(hook, end, [&](std::string_view text) -> Result<std::string> {
      const std::size_t number = ++texts_kept_;
      if (number > kHookTextsKeptMax) return fail(Errc::limit, "hooks have said too much in this session");
      return keep_hook_text(session->folder, "late-" + std::to_string(number), text);
    });
  });
  if (started) return {.end = HookReport::End::in_background};
  return answer_of_failure(chosen.hook->event,
                           "More than " + std::to_string(kBackgroundHooksMax) + " hooks run in the background already",
                           chosen.blocks_on_failure);
}

// --- servers and models ---

HookAnswer UserHooks::ask_http(const Asking& asking, const ChosenHook& chosen, HookReport& report) {
  const Hook& hook = *chosen.hook;
  const auto failed = [&](std::string_view why) {
    return answer_of_failure(hook.event, why, chosen.blocks_on_failure);
  };
  if (!is_allowed_url(hook.url, *asking.config)) return failed("allowedHttpHookUrls does not allow this address");
  if (!parts_.http) return failed("There is no HTTP here");
  HttpRequest request{.method = "POST",
                      .url = hook.url,
                      .headers = {{"Content-Type", "application/json"}},
                      .body = to_json(asking.input),
                      .deadline = parts_.clock.now() + asking.timeout(hook),
                      .body_bytes_max = kHookOutputBytesMax};
  for (const auto& [name, value] : hook.headers) {
    request.headers.emplace_back(name, with_variables(value, parts_.environment, hook, *asking.config));
  }
  const auto response = fetch(*parts_.http, std::move(request), asking.stop);
  if (!response) return answer_of_error(hook.event, response.error(), chosen.blocks_on_failure);
  report.output = shown(response->body);
  return answer_of_http(hook.event, response->status, response->body, chosen.blocks_on_failure);
}

HookAnswer UserHooks::ask_mcp_tool(const Asking& asking, const ChosenHook& chosen, HookReport& report) {
  const Hook& hook = *chosen.hook;
  if (!parts_.services.call_mcp_tool) {
    return answer_of_failure(hook.event, "There are no MCP servers here", chosen.blocks_on_failure);
  }
  auto text = parts_.services.call_mcp_tool({.server = hook.server,
                                             .tool = hook.tool,
                                             .input = with_fields(hook.input, asking.input),
                                             .deadline = parts_.clock.now() + asking.timeout(hook)},
                                            asking.stop);
  if (!text) return answer_of_error(hook.event, text.error(), chosen.blocks_on_failure);
  report.output = shown(*text);
  HookEnd end{.output = std::move(*text)};
  end.output_cut = end.output.size() > kHookOutputBytesMax;
  if (end.output_cut) end.output = utf8_prefix(end.output, kHookOutputBytesMax);
  return answer_of_program(hook.event, end, chosen.blocks_on_failure);
}

HookAnswer UserHooks::ask_model(const Asking& asking, const ChosenHook& chosen, HookReport& report) {
  constexpr std::string_view kArguments = "$ARGUMENTS";
  const Hook& hook = *chosen.hook;
  const auto& ask = hook.type == HookType::prompt ? parts_.services.ask_model : parts_.services.ask_agent;
  if (!ask) return answer_of_failure(hook.event, "There is no model here to ask", chosen.blocks_on_failure);
  const std::string input = to_json(asking.input);
  std::string prompt = hook.prompt;
  if (!prompt.contains(kArguments)) prompt += "\n\n" + std::string(kArguments);
  std::size_t at = 0;
  while ((at = prompt.find(kArguments, at)) != prompt.npos) {
    prompt.replace(at, kArguments.size(), input);
    at += input.size();
  }
  const auto reply =
      ask({.prompt = std::move(prompt), .model = hook.model, .deadline = parts_.clock.now() + asking.timeout(hook)},
          asking.stop);
  if (!reply) return answer_of_error(hook.event, reply.error(), chosen.blocks_on_failure);
  report.output = shown(*reply);
  return answer_of_model(hook.event, *reply, hook.continue_on_block, chosen.blocks_on_failure);
}

HookAnswer UserHooks::ask_host(const Asking& asking, const ChosenHook& chosen, HookReport& report) {
  const Hook& hook = *chosen.hook;
  if (!parts_.services.call_host) {
    return answer_of_failure(hook.event, "The host is not there any more", chosen.blocks_on_failure);
  }
  const auto reply = parts_.services.call_host({.id = hook.callback,
                                                .input = asking.input.get_object(),
                                                .call_id = asking.moment.call ? asking.moment.call->id : "",
                                                .deadline = parts_.clock.now() + asking.timeout(hook)},
                                               asking.stop);
  if (!reply) return answer_of_error(hook.event, reply.error(), chosen.blocks_on_failure);
  if (reply->is_null()) return {};
  if (!reply->is_object()) return answer_of_failure(hook.event, "It answered no object", chosen.blocks_on_failure);
  HookEnd end{.output = to_json(*reply)};
  report.output = shown(end.output);
  return answer_of_program(hook.event, end, chosen.blocks_on_failure);
}

}  // namespace deft
