#include "deft/tools/powershell.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "deft/base/text.h"
#include "deft/core/powershell_read_only.h"
#include "deft/tools/shell_directory.h"
#include "deft/tools/shell_environment.h"
#include "deft/tools/shell_run.h"

namespace deft {
namespace {

constexpr std::string_view kProgram = "pwsh";
constexpr std::size_t kRefusedMax = 1'000;

std::string_view command_of(const Json& input) { return find_string(input, "command").value_or(""); }

bool is_program(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// It tells its maker that it was started, and asks for news, unless it is told not to.
std::vector<std::string> kept_to_itself(std::vector<std::string> environment) {
  for (const std::string_view word : {"POWERSHELL_TELEMETRY_OPTOUT=1", "POWERSHELL_UPDATECHECK=Off"}) {
    const std::string_view name = word.substr(0, word.find('=') + 1);
    std::erase_if(environment, [&](const std::string& variable) { return variable.starts_with(name); });
    environment.emplace_back(word);
  }
  return environment;
}

class PowerShellTool final : public Tool {
 public:
  PowerShellTool(std::string program, BashOptions options, std::shared_ptr<BackgroundTasks> tasks)
      : program_(std::move(program)),
        options_(std::move(options)),
        tasks_(std::move(tasks)),
        environment_(options_.profile) {}
  const ToolSpec& spec() const override { return spec_; }
  std::optional<std::string> disabled() const override {
    if (is_program(program_)) return std::nullopt;
    return program_ + " is not there any more";
  }

  // By the list alone nobody is trusted here: PowerShell finds cmdlets in modules that anybody may have put there.
  bool is_read_only(const Json& input, const SessionView&) const override {
    if (!options_.read_only_calls || !options_.sandbox) return false;
    return is_read_only_powershell(command_of(input)) && !was_refused(command_of(input));
  }
  std::optional<Footprint> footprint(const Json& input, const SessionView& session) const override {
    if (!is_read_only(input, session)) return Footprint::everything();
    return Footprint::reads_tree("/").and_session(Footprint::Use::read);
  }
  std::optional<OwnVerdict> check_permission(const Json& input, const SessionView&) const override {
    return verdict_on_sandbox(input);
  }
  Result<void> validate(const Json& input, ToolIo&) const override { return BashCommands::check(command_of(input)); }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    if (!is_folder(io, io.session.working_directory())) return directory_is_gone(io);
    const bool in_background = find_bool(input, "run_in_background").value_or(false);
    const ShellCall call = in_background ? shell_call(input, kBackgroundTimeoutMsDefault, kBackgroundTimeoutMsMax)
                                         : shell_call(input, options_.timeout_ms_default, options_.timeout_ms_max);
    const auto slot = take_command_slot(options_, io);
    if (!slot) return std::unexpected(slot.error());
    auto child = start(call.command, !in_background && slot->is_counted(), io);
    if (!child) return std::unexpected(child.error());
    if (in_background) return leave_in_background(std::move(*child), call, *tasks_, io);
    auto followed = follow_command(std::move(*child), call, *tasks_, io);
    if (!followed) return std::unexpected(followed.error());
    if (!followed->output) return std::move(followed->moved);
    // Exit codes that mean something of their own are those of programs that bash would have run.
    ToolResult result = shell_answer("", followed->end, *followed->output, call.timeout);
    if (result.error != Errc::failed) return result;
    const std::string said = followed->output->text();
    result.text += limit_note(said, followed->end.signal, options_.limits);
    if (io.judged_read_only && (speaks_of_a_refusal(said) || followed->end.signal != 0)) {
      remember_refused(call.command);
      result.text += kRefusedText;
    }
    return result;
  }

  std::string classifier_text(const Json& input) const override { return std::string(command_of(input)); }
  std::string render_use(const Json& input) const override {
    return "PowerShell(" + one_line(command_of(input), 60) + ")";
  }

 private:
  Result<std::unique_ptr<Child>> start(const std::string& script, bool holds_slot, const ToolIo& io) {
    std::vector<std::string> environment =
        kept_to_itself(io.judged_read_only ? environment_.for_read_only_command(io.os, io.stop)
                                           : environment_.for_command(io.os, io.stop));
    if (holds_slot && !io.judged_read_only) environment.push_back(std::string(kWithinCommand) + "=1");
    const Command command{.argv = {program_, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", script},
                          .environment = std::move(environment),
                          .directory = std::string(io.session.working_directory()),
                          .input_pipe = false,
                          .limits = options_.limits,
                          .restriction = io.judged_read_only ? Restriction::read_only : Restriction::none,
                          .daemons = options_.daemons};
    auto child = io.os.processes.start(command, io.stop);
    if (!child && child.error().code == Errc::cancelled) return fail(Errc::cancelled, "");
    return child;
  }

  bool was_refused(std::string_view command) const {
    const std::lock_guard lock(mutex_);
    return refused_.contains(std::string(command));
  }
  void remember_refused(const std::string& command) {
    const std::lock_guard lock(mutex_);
    if (refused_.size() >= kRefusedMax) refused_.clear();  // then they are found out anew
    refused_.insert(command);
  }

  const std::string program_;
  const BashOptions options_;
  const std::shared_ptr<BackgroundTasks> tasks_;
  ShellEnvironment environment_;
  mutable std::mutex mutex_;
  std::unordered_set<std::string> refused_;  // under mutex_
  const ToolSpec spec_{
      .name = "PowerShell",
      .aliases = {},
      .description =
          "Runs a command line under PowerShell (pwsh) and returns its output. For what is written in PowerShell; for "
          "all else use Bash.\n"
          "- Each call begins anew in the working directory: variables, functions and Set-Location do not last.\n"
          "- Use the dedicated tools to read, write and edit files.\n"
          "- Nothing can be typed in: there is no terminal.\n"
          "- run_in_background: true answers at once with a task id; look at the task with TaskOutput, end it with "
          "TaskStop.",
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
      .search_hint = "pwsh shell script cmdlet windows",
      .failure_cancels_siblings = true,
      .result_kept = KeptPart::both};
};

}  // namespace

std::optional<std::string> find_powershell(std::string_view path_variable) {
  for (std::size_t at = 0; at <= path_variable.size();) {
    const std::size_t end = std::min(path_variable.find(':', at), path_variable.size());
    const std::string_view folder = path_variable.substr(at, end - at);
    at = end + 1;
    if (!folder.starts_with('/')) continue;
    std::string program = std::string(folder) + "/" + std::string(kProgram);
    if (is_program(program)) return program;
  }
  return std::nullopt;
}

std::shared_ptr<Tool> make_powershell_tool(std::string program, BashOptions options,
                                           std::shared_ptr<BackgroundTasks> tasks) {
  return std::make_shared<PowerShellTool>(std::move(program), std::move(options), std::move(tasks));
}

}  // namespace deft
