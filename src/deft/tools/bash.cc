#include "deft/tools/bash.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/shell/commands.h"
#include "deft/shell/parse.h"
#include "deft/tools/environment_use.h"
#include "deft/tools/read_only_judge.h"
#include "deft/tools/shell_answer.h"
#include "deft/tools/shell_directory.h"
#include "deft/tools/shown_by_command.h"

namespace deft {
namespace {

constexpr Duration kProgressInterval = std::chrono::milliseconds(100);
constexpr std::size_t kProgressBytesMax = 2'000;
constexpr std::size_t kCommandBytesMax = std::size_t{1} << 20;
constexpr std::string_view kRefusedText =
    "\nThis command was judged to only read, so it ran without the right to change anything, and something was "
    "refused. "
    "From now on it counts as one that may change things: call it again if it should run with all rights.";

std::string_view command_of(const Json& input) { return find_string(input, "command").value_or(""); }
bool is_for_background(const Json& input) { return find_bool(input, "run_in_background").value_or(false); }
bool asks_to_leave_the_sandbox(const Json& input) {
  return find_bool(input, "dangerouslyDisableSandbox").value_or(false) ||
         find_bool(input, "dangerously_disable_sandbox").value_or(false);
}

// What the system says to a command that may not do something. The restriction answers with the first two.
bool speaks_of_a_refusal(std::string_view output) {
  for (const std::string_view words : {"Permission denied", "Operation not permitted", "Function not implemented"}) {
    if (output.find(words) != std::string_view::npos) return true;
  }
  return false;
}

class BashTool final : public Tool {
 public:
  BashTool(BashOptions options, std::shared_ptr<BackgroundTasks> tasks)
      : options_(std::move(options)), tasks_(std::move(tasks)), environment_(options_.profile) {}
  const ToolSpec& spec() const override { return spec_; }

  bool is_read_only(const Json& input, const SessionView& session) const override {
    const std::string_view command = command_of(input);
    return options_.read_only_calls && judge_.judge(command, session).read_only && !shows_more_than_it_gets(command);
  }
  // One that only reads may still leave another working directory to the next.
  bool is_concurrency_safe(const Json& input, const SessionView& session) const override {
    return is_read_only(input, session) && !may_change_directory(command_of(input));
  }
  std::optional<Footprint> footprint(const Json& input, const SessionView& session) const override {
    if (!is_read_only(input, session)) return Footprint::everything();
    // It starts in the working directory.
    const bool leaves = may_change_directory(command_of(input));
    return Footprint::reads_tree("/").and_session(leaves ? Footprint::Use::write : Footprint::Use::read);
  }
  std::optional<std::vector<std::string>> permission_paths(const Json& input,
                                                           const SessionView& session) const override {
    return judge_.judge(command_of(input), session).paths;
  }
  std::optional<OwnVerdict> check_permission(const Json& input, const SessionView&) const override {
    if (!asks_to_leave_the_sandbox(input)) return std::nullopt;
    return OwnVerdict{Verdict::ask, "it asks to run outside of every sandbox", /*even_in_bypass=*/true};
  }
  Result<void> validate(const Json& input, ToolIo&) const override {
    const std::string_view command = command_of(input);
    if (command.find('\0') != std::string_view::npos) {
      return fail(Errc::invalid_input, "The command holds a zero byte, which no shell can take.");
    }
    if (command.size() > kCommandBytesMax) {
      return fail(Errc::limit, "The command is longer than 1 MB: write it to a file and run that.");
    }
    return {};
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    if (!is_folder(io, io.session.working_directory())) return directory_is_gone(io);
    return is_for_background(input) ? run_in_background(input, io) : run_in_foreground(input, io);
  }

  std::string classifier_text(const Json& input) const override { return std::string(command_of(input)); }
  std::string render_use(const Json& input) const override { return "Bash(" + one_line(command_of(input), 60) + ")"; }

 private:
  // A read-only call gets a few variables only. One that shows others would show them as not set.
  bool shows_more_than_it_gets(std::string_view command) const {
    const auto script = shell::parse(command);
    if (!script) return true;
    const auto is_withheld = [&](std::string_view name) {
      return !sets_variable(command, name) && environment_.withholds(name);
    };
    return uses_withheld_variable(command, shell::commands_of(*script, {}), is_withheld);
  }

  Result<ToolResult> run_in_foreground(const Json& input, ToolIo& io) {
    const std::string_view command = command_of(input);
    const LastDirectory last_directory(io.session_folder, io.call_id, command);
    auto child = start(last_directory.script(command), last_directory.file(), io);
    if (!child) return std::unexpected(child.error());
    auto output = std::make_unique<ShellOutput>(io.outputs, std::string(io.call_id), ShellOutput::Keep::long_output,
                                                io.result_characters_max);
    TimePoint next_progress{};
    const auto on_output = [&](OutputStream, std::string_view bytes) {
      output->add(bytes);
      if (io.os.clock.now() < next_progress) return;
      next_progress = io.os.clock.now() + kProgressInterval;
      io.progress(JsonObject{{"output", output->last_lines(kProgressBytesMax)}, {"bytes", output->size()}});
    };
    const ShellTimeout timeout = timeout_of(input, options_.timeout_ms_default, options_.timeout_ms_max);
    const TimePoint deadline = io.os.clock.now() + std::chrono::milliseconds(timeout.ms);
    const auto end = (*child)->follow(on_output, {.cancel = io.stop, .deadline = deadline}, io.to_background);
    if (!end) return std::unexpected(end.error());
    if (!*end) {  // somebody wants it in the background: its own time begins
      return go_on({.child = std::move(*child),
                    .output = std::move(output),
                    .command = std::string(command),
                    .description = description_of(input),
                    .deadline = io.os.clock.now() + std::chrono::milliseconds(kBackgroundTimeoutMsDefault)},
                   tasks_->next_id(), /*was_moved=*/true);
    }
    output->finish();
    ToolResult result = shell_answer(command, **end, *output, timeout);
    const std::string said = output->text();
    if (result.error == Errc::failed) result.text += limit_note(said, (**end).signal, options_.limits);
    if (io.judged_read_only && result.error == Errc::failed && speaks_of_a_refusal(said)) {
      judge_.was_refused(command);
      result.text += kRefusedText;
    }
    if (!result.is_error() && output->raw() && !output->is_long()) {
      for (FileSeen& seen : shown_by_command(command, *output->raw(), io)) {
        result.modifiers.emplace_back(FileWasSeen{std::move(seen)});
      }
    }
    last_directory.follow(io, result);
    return result;
  }

  Result<ToolResult> run_in_background(const Json& input, ToolIo& io) {
    const ShellTimeout timeout = timeout_of(input, kBackgroundTimeoutMsDefault, kBackgroundTimeoutMsMax);
    auto child = start(std::string(command_of(input)), {}, io);
    if (!child) return std::unexpected(child.error());
    const std::string id = tasks_->next_id();
    return go_on({.child = std::move(*child),
                  .output = std::make_unique<ShellOutput>(io.outputs, "task-" + id, ShellOutput::Keep::all,
                                                          io.result_characters_max),
                  .command = std::string(command_of(input)),
                  .description = description_of(input),
                  .deadline = io.os.clock.now() + std::chrono::milliseconds(timeout.ms)},
                 id, /*was_moved=*/false);
  }

  // A command that too many others are beside of ends here.
  Result<ToolResult> go_on(BackgroundCommand command, const std::string& id, bool was_moved) {
    command.output->keep_all();
    ToolResult result = background_answer(id, *command.output, was_moved);
    if (auto adopted = tasks_->adopt(id, command); !adopted) return std::unexpected(adopted.error());
    return result;
  }

  Result<std::unique_ptr<Child>> start(std::string script, const std::string& writable_file, const ToolIo& io) {
    const Command command{
        .argv = {"/bin/bash", "--noprofile", "--norc", "-c", std::move(script)},
        .environment = io.judged_read_only ? environment_.for_read_only_command(io.os, io.stop)
                                           : environment_.for_command(io.os, io.stop),
        .directory = std::string(io.session.working_directory()),
        .input_pipe = false,
        .limits = options_.limits,
        .restriction = io.judged_read_only && options_.sandbox ? Restriction::read_only : Restriction::none,
        .writable_file = writable_file,
        .daemons = options_.daemons};
    auto child = io.os.processes.start(command, io.stop);
    // Stopped before it could show anything: whoever stopped it says so.
    if (!child && child.error().code == Errc::cancelled) return fail(Errc::cancelled, "");
    return child;
  }

  static ShellTimeout timeout_of(const Json& input, std::int64_t otherwise, std::int64_t most) {
    const std::int64_t asked = find_int(input, "timeout").value_or(otherwise);
    return {.ms = std::min(asked, most), .asked_ms = asked};
  }
  static std::string description_of(const Json& input) {
    return std::string(find_string(input, "description").value_or(""));
  }

  const BashOptions options_;
  const std::shared_ptr<BackgroundTasks> tasks_;
  mutable ShellEnvironment environment_;
  ReadOnlyJudge judge_;
  const ToolSpec spec_{
      .name = "Bash",
      .description =
          "Runs a command line under bash and returns its output, standard error included, in the order it came.\n"
          "- The working directory lasts from call to call; variables, functions and aliases do not. Prefer absolute "
          "paths to cd.\n"
          "- Use the dedicated tools to read, write and edit files: they are faster and can be undone. Quote paths "
          "that hold spaces.\n"
          "- Commands that depend on each other belong into one call, joined with &&; independent ones into calls of "
          "their own, which may run side by side.\n"
          "- Nothing can be typed in: there is no terminal, and standard input is empty.\n"
          "- run_in_background: true for servers, watchers and long jobs: it answers at once with a task id; look at "
          "the "
          "task with TaskOutput, end it with TaskStop. What a command leaves running with & is ended with it.\n"
          "- Git: commit or push only when asked to; never change its configuration, force a push or skip hooks.",
      .input_schema =
          JsonObject{
              {"type", "object"},
              {"properties",
               {{"command", {{"type", "string"}, {"minLength", 1}, {"description", "The command line."}}},
                {"timeout",
                 {{"type", "integer"},
                  {"minimum", 1},
                  {"description",
                   "Milliseconds after which it is ended; 120000 if not given, 600000 at most (in the background "
                   "1800000 and 7200000)."}}},
                {"run_in_background",
                 {{"type", "boolean"}, {"description", "Start it, answer at once, and let it go on as a task."}}},
                {"dangerouslyDisableSandbox",
                 {{"type", "boolean"}, {"description", "Ask the user to run it outside of every sandbox."}}},
                {"dangerously_disable_sandbox",
                 {{"type", "boolean"}, {"description", "The same in another spelling."}}},
                {"description",
                 {{"type", "string"}, {"description", "What it does, in five to ten words, for the user."}}}}},
              {"required", JsonArray{"command"}},
              {"additionalProperties", false}},
      .search_hint = "shell terminal command line script run program",
      .always_load = true,
      .failure_cancels_siblings = true,
      .result_kept = KeptPart::both};
};

}  // namespace

std::shared_ptr<Tool> make_bash_tool(BashOptions options, std::shared_ptr<BackgroundTasks> tasks) {
  return std::make_shared<BashTool>(std::move(options), std::move(tasks));
}

}  // namespace deft
