#include "deft/ui/exec.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "deft/agent/call_pipeline.h"
#include "deft/agent/call_runner.h"
#include "deft/agent/executor.h"
#include "deft/core/message_json.h"
#include "deft/os/disk_files.h"
#include "deft/os/warden_processes.h"
#include "deft/tools/builtin.h"
#include "deft/ui/exec_frontend.h"
#include "deft/ui/exec_input.h"
#include "deft/ui/exec_options.h"
#include "deft/ui/input_reader.h"
#include "deft/ui/line_writer.h"

namespace deft {
namespace {

constexpr int kExitBadArguments = 2;
constexpr int kExitAborted = 130;

int complain(const Error& error) {
  std::fprintf(stderr, "deft exec: %s\n", error.message.c_str());
  return kExitBadArguments;
}

// A folder of the session's own; removed at the end unless the user asked for it.
class SessionFolder {
 public:
  static Result<SessionFolder> open(const std::optional<std::string>& wanted) {
    if (wanted) return SessionFolder(*wanted, false);
    std::string path = (std::filesystem::temp_directory_path() / "deft-XXXXXX").string();
    if (!::mkdtemp(path.data())) {
      return std::unexpected(system_error(Errc::io, "cannot create a temporary folder", errno));
    }
    return SessionFolder(path, true);
  }
  SessionFolder(SessionFolder&& other) noexcept
      : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, false)) {}
  ~SessionFolder() {
    std::error_code ignored;
    if (temporary_) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  SessionFolder(std::string path, bool temporary) : path_(std::move(path)), temporary_(temporary) {}
  std::string path_;
  bool temporary_;
};

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

int execute(const ExecOptions& options) {
  auto folder = SessionFolder::open(options.session_folder);
  if (!folder) return complain(folder.error());
  const SystemClock clock;
  auto journal = Journal::open(folder->path(), clock);
  if (!journal) return complain(journal.error());

  DiskFiles files;
  WardenProcesses processes(clock);
  NoHooks hooks;
  const ResultStore results(folder->path());
  ToolRegistry registry;
  for (auto& tool : make_builtin_tools()) {
    if (auto added = registry.add(std::move(tool)); !added) return complain(added.error());
  }
  SessionState session{.working_directory = options.working_directory, .directories = options.directories};
  std::vector<std::string> readable = options.directories;
  readable.push_back(folder->path());  // stored results may be looked into
  auto permissions = std::make_shared<const Permissions>(options.settings.rules, options.mode, std::move(readable));

  ExecutorSummary summary;
  {
    std::atomic<Executor*> running = nullptr;
    LineWriter writer(STDOUT_FILENO, [&] {  // nobody reads our answers any more
      if (Executor* executor = running) executor->feed(Feed(Aborted{}));
    });
    ExecFrontend frontend(writer, options.all_events);
    const CallPipeline pipeline({.os = {files, processes, clock},
                                 .hooks = hooks,
                                 .journal = *journal,
                                 .results = results,
                                 .frontend = frontend,
                                 .session_folder = folder->path()});
    ThreadRunner runner;
    Executor executor(
        {.pipeline = pipeline,
         .runner = runner,
         .frontend = frontend,
         .clock = clock,
         .registry = registry,
         .session = session,
         .permissions = std::move(permissions)},
        {.slots = options.slots,
         .scheduling = options.settings.exclusive_scheduling ? Scheduling::exclusive : Scheduling::footprints,
         .streaming = options.settings.streaming,
         .sibling_cancellation = options.settings.cancel_siblings_on_failure,
         .asking = options.ask_host ? Asking::frontend : Asking::nobody});
    running = &executor;
    InputReader reader(STDIN_FILENO, STDOUT_FILENO, [&](InputItem item) {
      if (auto* feed = std::get_if<Feed>(&item)) executor.feed(std::move(*feed));
      if (auto* problem = std::get_if<InputProblem>(&item)) writer.put(problem_line(*problem));
    });
    summary = executor.run();
    writer.put(done_line(summary));
    writer.finish();  // while the executor that it may still call is alive
    if (summary.stuck_workers > 0) std::_Exit(summary.aborted ? kExitAborted : 0);
  }
  return summary.aborted ? kExitAborted : 0;
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
  InputReader::take_over_signals();
  return options.dry_run ? dry_run() : execute(options);
}

}  // namespace deft
