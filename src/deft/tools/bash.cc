#include "deft/tools/bash.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/tools/shell_directory.h"
#include "deft/tools/shell_run.h"
#include "deft/tools/shown_by_command.h"

namespace deft {
namespace {

std::string_view command_of(const Json& input) { return find_string(input, "command").value_or(""); }
bool is_for_background(const Json& input) { return find_bool(input, "run_in_background").value_or(false); }

class BashTool final : public Tool {
 public:
  BashTool(std::shared_ptr<BashCommands> commands, std::shared_ptr<BackgroundTasks> tasks)
      : commands_(std::move(commands)), options_(commands_->options()), tasks_(std::move(tasks)) {}
  const ToolSpec& spec() const override { return spec_; }

  bool is_read_only(const Json& input, const SessionView& session) const override {
    return commands_->is_read_only(command_of(input), session);
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
    return commands_->paths(command_of(input), session);
  }
  std::optional<OwnVerdict> check_permission(const Json& input, const SessionView&) const override {
    return verdict_on_sandbox(input);
  }
  Result<void> validate(const Json& input, ToolIo&) const override { return BashCommands::check(command_of(input)); }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    if (!is_folder(io, io.session.working_directory())) return directory_is_gone(io);
    const auto slot = take_command_slot(options_, io);
    if (!slot) return std::unexpected(slot.error());
    return is_for_background(input) ? run_in_background(input, io) : run_in_foreground(input, slot->is_counted(), io);
  }

  std::string classifier_text(const Json& input) const override { return std::string(command_of(input)); }
  std::string render_use(const Json& input) const override { return "Bash(" + one_line(command_of(input), 60) + ")"; }

 private:
  Result<ToolResult> run_in_foreground(const Json& input, bool holds_slot, ToolIo& io) {
    const ShellCall call = shell_call(input, options_.timeout_ms_default, options_.timeout_ms_max);
    const LastDirectory last_directory(io.session_folder, io.call_id, call.command);
    auto child = commands_->start({.script = last_directory.script(call.command),
                                   .writable_file = last_directory.file(),
                                   .holds_slot = holds_slot},
                                  io);
    if (!child) return std::unexpected(child.error());
    auto followed = follow_command(std::move(*child), call, *tasks_, io);
    if (!followed) return std::unexpected(followed.error());
    if (!followed->output) return std::move(followed->moved);
    const ShellOutput& output = *followed->output;
    ToolResult result = shell_answer(call.command, followed->end, output, call.timeout);
    const std::string said = output.text();
    if (result.error == Errc::failed) result.text += limit_note(said, followed->end.signal, options_.limits);
    if (io.judged_read_only && result.error == Errc::failed && speaks_of_a_refusal(said)) {
      commands_->was_refused(call.command);
      result.text += kRefusedText;
    }
    if (!result.is_error() && output.raw() && !output.is_long()) {
      for (FileSeen& seen : shown_by_command(call.command, *output.raw(), io)) {
        result.modifiers.emplace_back(FileWasSeen{std::move(seen)});
      }
    }
    last_directory.follow(io, result);
    return result;
  }

  Result<ToolResult> run_in_background(const Json& input, ToolIo& io) {
    const ShellCall call = shell_call(input, kBackgroundTimeoutMsDefault, kBackgroundTimeoutMsMax);
    auto child = commands_->start({.script = call.command}, io);
    if (!child) return std::unexpected(child.error());
    return leave_in_background(std::move(*child), call, *tasks_, io);
  }

  const std::shared_ptr<BashCommands> commands_;
  const BashOptions& options_;
  const std::shared_ptr<BackgroundTasks> tasks_;
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
  return make_bash_tool(std::make_shared<BashCommands>(std::move(options)), std::move(tasks));
}

std::shared_ptr<Tool> make_bash_tool(std::shared_ptr<BashCommands> commands, std::shared_ptr<BackgroundTasks> tasks) {
  return std::make_shared<BashTool>(std::move(commands), std::move(tasks));
}

}  // namespace deft
