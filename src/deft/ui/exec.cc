#include "deft/ui/exec.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "deft/agent/engine.h"
#include "deft/agent/timeline_recorder.h"
#include "deft/agent/worktree_hooks.h"
#include "deft/base/path.h"
#include "deft/core/message_json.h"
#include "deft/ui/builtin_options.h"
#include "deft/ui/exec_frontend.h"
#include "deft/ui/exec_input.h"
#include "deft/ui/exec_options.h"
#include "deft/ui/hook_setup.h"
#include "deft/ui/input_reader.h"
#include "deft/ui/line_writer.h"
#include "deft/ui/lone_servers.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/settings_store.h"
#include "deft/ui/skill_setup.h"
#include "deft/ui/terminal_asker.h"

namespace deft {
namespace {

constexpr int kExitNotWritten = 1;
constexpr int kExitBadArguments = 2;
constexpr int kExitAborted = 130;

int complain(const Error& error) {
  std::fprintf(stderr, "deft exec: %s\n", error.message.c_str());
  return kExitBadArguments;
}

std::string problem_line(const InputProblem& problem) {
  if (problem.line == 0) return error_line(problem.error, problem.provider_code);
  return to_json(JsonObject{{"type", "error"},
                            {"line", problem.line},
                            {"code", to_string(problem.error.code)},
                            {"message", problem.error.message}});
}

int dry_run() {
  LineWriter writer(STDOUT_FILENO, [] { std::_Exit(1); });
  ExecInput input;
  const auto print = [&](std::vector<InputItem> items) {
    for (const InputItem& item : items) {
      if (const auto* done = std::get_if<MessageDone>(&item)) writer.put(message_line(done->message));
      if (const auto* problem = std::get_if<InputProblem>(&item)) writer.put(problem_line(*problem));
    }
  };
  std::string buffer(std::size_t{64} << 10, '\0');
  for (ssize_t count = 0; (count = ::read(STDIN_FILENO, buffer.data(), buffer.size())) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    print(input.feed(std::string_view(buffer).substr(0, static_cast<std::size_t>(count))));
  }
  print(input.finish());
  return 0;
}

std::string done_line(const ExecutorSummary& summary) {
  return to_json(JsonObject{{"type", "done"},
                            {"calls", summary.calls},
                            {"errors", summary.errors},
                            {"reason", summary.aborted ? "aborted_tools" : "completed"}});
}

EngineOptions engine_options(const ExecOptions& options, HookRunner& hooks, PermissionStore& store,
                             PromptQueue& prompts) {
  const Settings& settings = options.settings;
  return {.working_directory = options.working_directory,
          .directories = options.directories,
          .session_folder = options.session_folder,
          .permissions = options.permissions,
          .executor = {.slots = options.slots,
                       .scheduling = settings.exclusive_scheduling ? Scheduling::exclusive : Scheduling::footprints,
                       .streaming = settings.streaming,
                       .sibling_cancellation = settings.cancel_siblings_on_failure,
                       .asking = options.asking,
                       .question_time = settings.question_time},
          .results = result_options(settings),
          .survives = settings.waits_for_disk ? Survives::power_cut : Survives::killed,
          .hooks = &hooks,
          .store = &store,
          .prompts = &prompts};
}

// A question of an MCP server, put to the person at the terminal.
Result<Json> ask_person(PromptQueue& prompts, const McpElicitation& asked, const std::stop_token& stop,
                        std::optional<Duration> at_most) {
  static const SystemClock clock;
  ServerAnswer answer = prompts.ask({.id = {},
                                     .kind = asked.is_url ? PromptKind::elicitation_url : PromptKind::elicitation_form,
                                     .server = asked.server,
                                     .message = asked.message,
                                     .details = asked.schema,
                                     .url = asked.url},
                                    stop, at_most, clock);
  JsonObject out{{"action", to_string(answer.action)}};
  if (answer.content.is_object()) out["content"] = std::move(answer.content);
  return out;
}

// The tools of the configured MCP servers, for the calls that come; those of servers that are slow come later.
Result<std::unique_ptr<LoneServers>> start_servers(const ExecOptions& options, Engine& engine, PromptQueue& prompts) {
  LoneServers::Options wanted{
      .directory = options.working_directory,
      .requested = options.mcp,
      .settings = options.settings_files,
      .trusted = options.permissions.trusted,
      .directories = options.directories,
      .session_id = std::string(file_name(engine.session_folder())),
      .publish =
          [&engine](PublishedTools published) {
            engine.feed(Feed(ToolsChanged{std::move(published.server), std::move(published.tools)}));
          },
      .notice = [](const std::string& text) { std::fprintf(stderr, "deft exec: %s\n", safe_display(text).c_str()); }};
  if (options.asking == Asking::person) {
    wanted.elicitation = [&prompts, at_most = options.settings.question_time](const McpElicitation& asked,
                                                                              const std::stop_token& stop) {
      return ask_person(prompts, asked, stop, at_most);
    };
  }
  auto servers = LoneServers::start(std::move(wanted));
  if (!servers || !*servers) return servers;
  for (auto& tool : (*servers)->servers().resource_tools()) {
    if (auto added = engine.add_tool(std::move(tool)); !added) return std::unexpected(added.error());
  }
  (*servers)->wait_for_first();
  return servers;
}

int execute(const ExecOptions& options) {
  std::atomic<Engine*> running = nullptr;
  LineWriter writer(STDOUT_FILENO, [&] {  // nobody reads our answers any more
    if (Engine* engine = running) engine->feed(Feed(Aborted{}));
  });
  PromptQueue prompts;
  std::optional<TerminalAsker> terminal;
  if (options.asking == Asking::person) {
    auto opened = TerminalAsker::open_terminal();
    if (!opened) return complain({opened.error().code, "--ask terminal: " + opened.error().message});
    terminal.emplace(std::move(*opened), options.working_directory, prompts, [&] {  // the person has gone
      if (Engine* engine = running) engine->feed(Feed(Aborted{}));
    });
  }
  std::atomic<SessionServers*> started_servers = nullptr;  // while there are any
  HookSetup hooks(
      options.hooks, options.working_directory,
      {.call_mcp_tool = [&](const HookServices::ToolRequest& request, std::stop_token stop) -> Result<std::string> {
        SessionServers* servers = started_servers;
        if (!servers) return fail(Errc::not_found, "there are no MCP servers here");
        return servers->call_for_hook(request, std::move(stop));
      }});
  SettingsStore store(options.settings_request, options.settings_signature, options.permissions,
                      [&](HookConfig changed) { hooks.use(std::move(changed)); });
  ExecFrontend frontend(writer, options.all_events);
  if (options.asking == Asking::frontend) prompts.watch(frontend);
  const SystemClock clock;
  TimelineRecorder timeline(frontend, clock);
  auto engine = Engine::open(engine_options(options, hooks.runner(), store, prompts), timeline);
  if (!engine) return complain(engine.error());
  const std::string& folder = (*engine)->session_folder();
  if (options.session_folder) timeline.begin(folder);
  hooks.begin_session(std::string(file_name(folder)), folder);
  BuiltinOptions builtin = builtin_options(options.settings);
  builtin.search.denied = [engine = engine->get()](std::string_view path, bool) {
    return engine->permissions()->hides(path);
  };
  const SkillSetup skills({.directory = options.working_directory,
                           .trusted = options.permissions.trusted,
                           .wanted = options.settings_request.wanted,
                           .settings = options.settings.tools},
                          **engine, hooks.runner());
  for (const std::string& problem : skills.shelf()->problems()) {
    std::fprintf(stderr, "deft exec: %s\n", safe_display(problem).c_str());
  }
  builtin.skill = skills.tool_options();
  builtin.after_reading = skills.after_reading(builtin.after_reading);
  builtin.worktree = with_worktree_hooks(builtin.worktree, hooks.runner(), [engine = engine->get()] {
    return HookScene{.directory = engine->permissions()->setup().directory, .mode = engine->permissions()->mode()};
  });
  for (auto& tool : make_builtin_tools(builtin)) {
    if (auto added = (*engine)->add_tool(std::move(tool), Engine::SchemaCheck::with_the_first_call); !added)
      return complain(added.error());
  }
  auto servers = start_servers(options, **engine, prompts);
  if (!servers) return complain(servers.error());
  if (*servers) started_servers = &(*servers)->servers();
  running = engine->get();
  const InputReader reader(STDIN_FILENO, STDOUT_FILENO, [&](InputItem item) {
    auto* feed = std::get_if<Feed>(&item);
    // Whoever writes our input is not who was asked.
    if (feed && terminal && std::holds_alternative<PermissionAnswer>(*feed)) {
      writer.put(error_line({Errc::invalid_input, "questions are answered at the terminal"}, {}));
    } else if (feed) {
      (*engine)->feed(std::move(*feed));
    }
    if (auto* problem = std::get_if<InputProblem>(&item)) writer.put(problem_line(*problem));
  });
  const ExecutorSummary summary = (*engine)->run();
  terminal.reset();  // nobody is asked any more
  if (*servers) (*servers)->stop();
  writer.put(done_line(summary));
  writer.finish();  // while the engine that it may still call is alive
  int exit_code = summary.aborted ? kExitAborted : 0;
  if (const std::string problem = writer.problem(); !problem.empty()) {
    std::fprintf(stderr, "deft exec: %s\n", problem.c_str());
    exit_code = kExitNotWritten;
  }
  if (summary.stuck_workers > 0) std::_Exit(exit_code);
  return exit_code;
}

}  // namespace

int run_exec(int argc, const char* const* argv) {
  auto parsed = parse_exec_options(argc, argv);
  if (!parsed) return complain(parsed.error());
  if (const auto* help = std::get_if<ShowText>(&*parsed)) {
    std::fputs(help->text.c_str(), stdout);
    return 0;
  }
  const auto& options = std::get<ExecOptions>(*parsed);
  for (const std::string& notice : options.notices) {
    std::fprintf(stderr, "deft exec: %s\n", safe_display(notice).c_str());
  }
  StreamReader::take_over_signals();
  return options.dry_run ? dry_run() : execute(options);
}

}  // namespace deft
