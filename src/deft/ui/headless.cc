#include "deft/ui/headless.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "deft/agent/daily_sweep.h"
#include "deft/base/clock.h"
#include "deft/base/overloaded.h"
#include "deft/base/secret_mask.h"
#include "deft/os/secrecy.h"
#include "deft/os/standard_streams.h"
#include "deft/os/uuid.h"
#include "deft/ui/event_log.h"
#include "deft/ui/headless_host.h"
#include "deft/ui/headless_options.h"
#include "deft/ui/permission_tool.h"
#include "deft/ui/prompt_input.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/stream_reader.h"
#include "deft/ui/version.h"

namespace deft {
namespace {

constexpr int kExitError = 1;
constexpr int kExitSignal = 128;                            // and the signal's number
constexpr Duration kOutputGrace = std::chrono::seconds(2);  // of a run that was told to end

int complain(std::string_view what) {
  std::fprintf(stderr, "deft: %s\n", safe_display(what, LineEnds::kept).c_str());
  return kExitError;
}

// Of a run that is understood but cannot begin: whoever reads JSON has it there too.
int cannot_begin(const HeadlessOptions& options, std::string_view what) {
  if (options.output.format != OutputFormat::text) {
    const std::string line = to_json(startup_failure(what, random_uuid(), random_uuid()));
    const bool is_list = options.output.format == OutputFormat::json && options.output.verbose;
    std::printf(is_list ? "[%s]\n" : "%s\n", line.c_str());
  }
  return complain(what);
}

// A list takes every word up to the next flag, also one that was meant as the prompt.
std::string about_lost_prompt(const HeadlessOptions& options) {
  if (options.list_before_prompt.empty()) return {};
  return "; what follows " + options.list_before_prompt +
         " counts as its values: put the prompt before it, or behind --";
}

// One run: from the prompt, or the lines of a host, to the exit code.
class HeadlessRun {
 public:
  explicit HeadlessRun(HeadlessOptions options)
      : options_(std::move(options)),
        writer_(STDOUT_FILENO, [this] { output_gone(); }),
        errors_(STDERR_FILENO, [] {}),
        output_(writer_, errors_, options_.output),
        port_([this](const JsonObject& line) { output_.put_raw(to_json(line)); }) {}

  int run() {
    if (options_.stream_input) {
      options_.session.call_host = [this](const HookServices::Callback& callback, std::stop_token stop) {
        JsonObject request{{"subtype", "hook_callback"}, {"callback_id", callback.id}, {"input", callback.input}};
        if (!callback.call_id.empty()) request["tool_use_id"] = callback.call_id;
        return port_.ask_and_wait(std::move(request), callback.deadline, std::move(stop));
      };
      options_.session.host = HostAccess{
          .ask_and_wait =
              [this](JsonObject request, std::stop_token stop) {
                const bool is_for_a_person = find_string(Json(request), "subtype") == "elicitation";
                if (is_for_a_person) output_.begin_question();
                auto answer = port_.ask_and_wait(std::move(request), {}, std::move(stop));
                if (is_for_a_person) output_.end_question();
                return answer;
              },
          .ask = [this](JsonObject request,
                        std::function<void(Result<Json>)> then) { port_.ask(std::move(request), std::move(then)); }};
    }
    // Whoever has turns to come can be told of what happens between them.
    if (options_.stream_input) {
      options_.session.give_prompt = [this](const std::string& prompt) { give(prompt); };
    }
    options_.session.tell_of_hooks = [this](const HookLife& life) { output_.show_hook(life); };
    options_.session.tell_of_clear = [this] { put_reset(); };
    if (options_.events_file) {
      auto log = EventLog::open(*options_.events_file, output_, clock_, SecretMask(secrets_of_environment()));
      if (!log) return cannot_begin(options_, log.error().message);
      events_ = std::move(*log);
    }
    auto opened = AgentSession::open(options_.session, events_ ? static_cast<Frontend&>(*events_) : output_);
    if (!opened) {
      output_.startup_failed(opened.error().message);
      output_.finish();
      return kExitError;
    }
    session_ = std::move(*opened);
    if (events_) events_->know(session_->secrets());
    agent_ = &session_->agent();
    output_.use_session(session_->id());
    if (options_.stream_input) {
      host_.emplace(HeadlessHost::Parts{.session = *session_,
                                        .output = output_,
                                        .port = port_,
                                        .decides = options_.host_decides,
                                        .replays_messages = options_.replay_user_messages});
      session_->agent().options().waiting = &*host_;
      output_.also_tell(*host_);
      listen();
    }
    if (!options_.permission_tool.empty()) {
      permission_tool_.emplace(options_.permission_tool, *session_);
      output_.also_tell(*permission_tool_);
    }
    // From here on we can be told something.
    reader_.emplace(options_.stream_input ? STDIN_FILENO : -1, STDOUT_FILENO,
                    [this](const StreamReader::Item& item) { take(item); });
    for (const std::string& text : options_.notices) output_.notice(text);
    for (const std::string& text : session_->notices()) output_.notice(text, "warning");
    if (host_) return end(turns_of_host());
    if (!options_.prompt && !agent_.load()->deferred()) {
      output_.startup_failed("there is no prompt: deft -p \"…\", or pipe it in");
      return end(kExitError);
    }
    return end(turn(options_.prompt ? Prompt::of(*options_.prompt) : Prompt{}));
  }

 private:
  // A prompt that came by itself, on any thread; also before there is anybody to run its turn.
  void give(const std::string& prompt) {
    const std::lock_guard lock(early_mutex_);
    if (HeadlessHost* host = listening_) {
      host->add_turn(prompt);
    } else {
      early_prompts_.push_back(prompt);
    }
  }

  void listen() {
    const std::lock_guard lock(early_mutex_);
    listening_ = &*host_;
    for (const std::string& prompt : std::exchange(early_prompts_, {})) host_->add_turn(prompt);
  }

  int turns_of_host() {
    int exit_code = 0;
    while (!ends_) {
      auto message = host_->next_turn();
      if (!message || ends_) break;
      exit_code = turn(message->prompt);
    }
    return exit_code;
  }

  int turn(Prompt prompt) {
    // A host may have brought the agent's type along; who has not been brought by now does not come.
    if (const auto good = session_->check_type(); !good) {
      output_.startup_failed(good.error().message);
      ends_ = true;
      return kExitError;
    }
    output_.begin_work();
    begin_session(prompt);
    session_->agent().announce_turn();  // whoever sees it begin may end it
    if (ends_) return 0;
    session_->take_server_tools();
    output_.begin_turn();
    put_init();
    interrupted_ = false;
    prompt_uuid_ = prompt.uuid;
    const TurnEnd end = session_->run_turn(prompt);
    if (host_) host_->end_turn();
    output_.end_turn(end, {.id = session_->id(),
                           .usage = session_->agent().usage(),
                           .prices = session_->settings().prices,
                           .output_tokens_max = session_->agent().options().output_tokens_max,
                           .window_tokens = session_->agent().options().context.window_tokens,
                           .queued_turns = host_ ? std::optional(host_->queued_turns()) : std::nullopt,
                           .messages = host_ ? host_->messages_of_turn() : std::vector<std::string>()});
    return meaning_of(end).is_error ? kExitError : 0;
  }

  // Hooks of the session's start may be a host's own, so they are asked when it has had its say: with its first prompt.
  void begin_session(Prompt& first) {
    if (std::exchange(has_begun_, true)) return;
    const SessionBegin begun = session_->begin();
    if (begun.first_prompt) first.blocks.insert(first.blocks.begin(), Json(*begun.first_prompt));
  }

  void put_init() {
    JsonArray tools;
    for (const std::string& name : session_->tool_names()) tools.emplace_back(name);
    JsonArray commands, skills;
    for (const ListedCommand& command : session_->commands()) commands.emplace_back(command.name);
    for (const std::string& name : session_->skill_names()) skills.emplace_back(name);
    JsonArray agents;
    for (const AgentType& type : session_->agent_types()) agents.emplace_back(type.name);
    const std::string& key = session_->provider().key_source;
    output_.put({{"type", "system"},
                 {"subtype", "init"},
                 {"cwd", session_->agent().engine().session().working_directory},
                 {"tools", std::move(tools)},
                 {"mcp_servers", session_->servers().statuses()},
                 {"model", session_->agent().options().model},
                 {"permissionMode", to_string(session_->agent().engine().permissions()->mode())},
                 {"slash_commands", std::move(commands)},
                 {"apiKeySource", key.empty() ? "none" : key},
                 {"claude_code_version", kProtocolVersion},
                 {"deft_version", DEFT_VERSION},
                 {"capabilities", JsonArray{"interrupt_receipt_v1", "interrupt_cancel_queued_v1"}},
                 {"output_style", "default"},
                 {"agents", std::move(agents)},
                 {"skills", std::move(skills)},
                 {"plugins", JsonArray{}}});
  }

  // Whoever shows the conversation begins anew.
  void put_reset() {
    JsonObject line{{"type", "conversation_reset"}, {"new_conversation_id", random_uuid()}, {"trigger", "clear"}};
    if (is_uuid(prompt_uuid_)) line["user_message_uuid"] = prompt_uuid_;
    output_.put(std::move(line));
  }

  int end(int exit_code) {
    output_.rest();
    for (const std::string& text : session_->left_running()) output_.notice(text);
    if (has_begun_) session_->end("other");
    reader_.reset();  // nobody tells us anything any more
    if (host_) host_->stop_work();
    if (permission_tool_) permission_tool_->stop();
    agent_ = nullptr;
    if (const int signal = ending_signal_) {
      exit_code = kExitSignal + signal;
      if (!output_.finish_within(kOutputGrace)) {
        session_.reset();
        std::_Exit(exit_code);
      }
    }
    output_.finish();
    if (const int error = writer_.error_number(); is_output_lost(error)) {
      complain_of_lost_output(error);
      if (exit_code == 0) exit_code = kExitError;
    }
    // A thread that never came back would be waited for.
    if (session_->agent().engine().executor().stuck_workers() > 0) std::_Exit(exit_code);
    const std::chrono::hours kept{24 * session_->settings().results.cleanup_days};
    session_.reset();
    if (options_.session.choice && ending_signal_ == 0) {
      sweep_sessions_daily(SessionStore::default_folder(), kept, std::chrono::system_clock::now());
    }
    return exit_code;
  }

  // --- on the reader's thread ---

  void take(const StreamReader::Item& item) {
    std::visit(Overloaded{
                   [&](const BytesCame& came) { host_->take_bytes(came.bytes); },
                   [&](const StreamEnded&) { host_->end_input(); },
                   [&](const SignalCame& came) { take_signal(came.number); },
                   [&](const OutputGone&) { output_gone(); },
               },
               item);
  }

  // Ctrl-C ends the turn, and with it the run, unless a host may send another; SIGTERM ends the run in order. The
  // second of either ends at once.
  void take_signal(int number) {
    if (ends_ || interrupted_.exchange(true)) std::_Exit(kExitSignal + number);
    if (number != SIGINT || !host_) {
      ending_signal_ = number;
      end_soon();
    }
    abort_turn();
  }

  // Also on the writer's thread.
  void output_gone() {
    end_soon();
    abort_turn();
  }

  void end_soon() {
    ends_ = true;
    if (agent_.load()) session_->hurry();
    if (HeadlessHost* host = listening_) host->close();
  }

  void abort_turn() {
    if (Agent* agent = agent_) agent->abort();
  }

  HeadlessOptions options_;
  std::atomic<Agent*> agent_ = nullptr;  // while it can be told something
  std::atomic<HeadlessHost*> listening_ = nullptr;
  std::mutex early_mutex_;
  std::vector<std::string> early_prompts_;  // under early_mutex_
  std::atomic<int> ending_signal_ = 0;
  std::atomic<bool> ends_ = false;         // no further turn
  std::atomic<bool> interrupted_ = false;  // the turn under way, by a signal
  bool has_begun_ = false;
  std::string prompt_uuid_;  // of the turn under way
  LineWriter writer_;
  LineWriter errors_;
  HeadlessOutput output_;
  const SystemClock clock_;
  std::unique_ptr<EventLog> events_;  // on the way to the output; nothing: nobody wants to know
  ControlPort port_;
  std::unique_ptr<AgentSession> session_;
  std::optional<HeadlessHost> host_;
  std::optional<PermissionTool> permission_tool_;
  std::optional<StreamReader> reader_;
};

}  // namespace

int run_headless(int argc, const char* const* argv) {
  auto parsed = parse_headless_options(std::span(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)));
  if (!parsed) return complain(parsed.error().message);
  if (const auto* text = std::get_if<ShowText>(&*parsed)) {
    std::fputs(text->text.c_str(), stdout);
    return 0;
  }
  auto& options = std::get<HeadlessOptions>(*parsed);
  if (!options.stream_input) {
    // A session that waits for a decision goes on without a new prompt.
    const auto& choice = options.session.choice;
    const bool is_old = choice && (choice->resume || choice->go_on);
    auto piped = read_piped_text(STDIN_FILENO, options.prompt || is_old);
    if (!piped) return cannot_begin(options, piped.error().message + about_lost_prompt(options));
    if (piped->notice) options.notices.push_back(*piped->notice);
    options.prompt = joined_prompt(options.prompt, piped->text);
    if (!options.prompt && !is_old) return cannot_begin(options, "the prompt is empty" + about_lost_prompt(options));
  }
  options.output.to_terminal = ::isatty(STDOUT_FILENO) == 1;
  StreamReader::take_over_signals();
  return HeadlessRun(std::move(options)).run();
}

}  // namespace deft
