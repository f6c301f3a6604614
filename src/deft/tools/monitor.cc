#include "deft/tools/monitor.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "deft/base/text.h"
#include "deft/tools/monitor_feed.h"
#include "deft/tools/shell_directory.h"

namespace deft {
namespace {

std::string_view command_of(const Json& input) { return find_string(input, "command").value_or(""); }
std::string description_of(const Json& input) { return one_line(find_string(input, "description").value_or(""), 200); }
bool is_persistent(const Json& input) { return find_bool(input, "persistent").value_or(false); }

std::string how_it_ended(const TaskView& task) {
  std::string text(to_string(task.status));
  if (task.exit_code && *task.exit_code != 0) text += " (exit code " + std::to_string(*task.exit_code) + ")";
  return text;
}

constexpr const char* kEndsWithAnswer =
    " This run ends with your last answer, and so does the command: to wait for what it prints, call TaskOutput or "
    "Sleep "
    "before you give it.";

class MonitorTool final : public Tool {
 public:
  MonitorTool(std::shared_ptr<BashCommands> commands, std::shared_ptr<BackgroundTasks> tasks, MonitorOptions options)
      : commands_(std::move(commands)), tasks_(std::move(tasks)), options_(std::move(options)) {}
  const ToolSpec& spec() const override { return spec_; }

  bool is_read_only(const Json& input, const SessionView& session) const override {
    return commands_->is_read_only(command_of(input), session);
  }
  std::optional<Footprint> footprint(const Json& input, const SessionView& session) const override {
    if (!is_read_only(input, session)) return Footprint::everything();
    return Footprint::reads_tree("/").and_session(Footprint::Use::read);
  }
  std::optional<std::vector<std::string>> permission_paths(const Json& input,
                                                           const SessionView& session) const override {
    return commands_->paths(command_of(input), session);
  }
  Result<void> validate(const Json& input, ToolIo&) const override { return BashCommands::check(command_of(input)); }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    if (!is_folder(io, io.session.working_directory())) return directory_is_gone(io);
    const auto slot = take_command_slot(commands_->options(), io);
    if (!slot) return std::unexpected(slot.error());
    auto child = commands_->start({.script = std::string(command_of(input)), .separate_errors = true}, io);
    if (!child) return std::unexpected(child.error());
    const std::string id = tasks_->next_id();
    const std::int64_t timeout_ms = std::clamp<std::int64_t>(
        find_int(input, "timeout_ms").value_or(kMonitorTimeoutMsDefault), 1, kMonitorTimeoutMsMax);
    const auto feed = std::make_shared<MonitorFeed>(id, description_of(input), io.os.clock, options_.sink);
    BackgroundCommand command{.child = std::move(*child),
                              .output = std::make_unique<ShellOutput>(io.outputs, "task-" + id, ShellOutput::Keep::all,
                                                                      io.result_characters_max),
                              .command = std::string(command_of(input)),
                              .description = description_of(input),
                              .deadline = std::nullopt,
                              .on_output = [feed](OutputStream stream, std::string_view bytes) {
                                if (stream == OutputStream::output) feed->add(bytes);
                              }};
    if (!is_persistent(input)) command.deadline = io.os.clock.now() + std::chrono::milliseconds(timeout_ms);
    const std::string output_file = command.output->file();
    if (auto adopted = tasks_->adopt(id, command); !adopted) return std::unexpected(adopted.error());
    // The tasks outlive the callback: they wait for the thread that calls it.
    tasks_->when_ended(id, [feed, id, &tasks = *tasks_] {
      const auto all = tasks.list();
      const auto task = std::ranges::find(all, id, &TaskView::id);
      feed->end(task == all.end() ? "ended" : how_it_ended(*task));
    });
    JsonObject details{{"taskId", id}, {"timeoutMs", is_persistent(input) ? 0 : timeout_ms}};
    if (is_persistent(input)) details["persistent"] = true;
    return ToolResult{.text = "Monitoring as task " + id +
                              ": each line that it prints comes to you as a message. Go on with other work; TaskStop "
                              "ends it, TaskOutput shows all of its output." +
                              (options_.turns_follow ? "" : kEndsWithAnswer),
                      .details = std::move(details)};
  }

  std::string classifier_text(const Json& input) const override { return std::string(command_of(input)); }
  std::string render_use(const Json& input) const override {
    return "Monitor(" + one_line(command_of(input), 60) + ")";
  }

 private:
  const std::shared_ptr<BashCommands> commands_;
  const std::shared_ptr<BackgroundTasks> tasks_;
  const MonitorOptions options_;
  const ToolSpec spec_{
      .name = "Monitor",
      .aliases = {},
      .description =
          "Runs a command under bash in the background and tells you of each line that it prints on standard output, "
          "as "
          "a message between your turns. It answers at once.\n"
          "- For what happens at some time that nobody knows: a build that ends, an error in a log (tail -f app.log | "
          "grep --line-buffered ERROR), a file that appears.\n"
          "- Let it print only what you want to hear of, a line for each; filter with grep --line-buffered. Much "
          "output "
          "is told in ever larger pieces.\n"
          "- It must print bad ends too, not only the good one: silence looks like a success that has not come yet.\n"
          "- For a command whose end alone matters, use Bash with run_in_background.",
      .input_schema =
          JsonObject{
              {"type", "object"},
              {"properties",
               {{"command", {{"type", "string"}, {"minLength", 1}, {"description", "The command line."}}},
                {"description",
                 {{"type", "string"}, {"description", "What is watched, in a few words; it stands above each line."}}},
                {"timeout_ms",
                 {{"type", "integer"},
                  {"minimum", 1},
                  {"description", "Milliseconds after which it is ended; 300000 if not given, 1800000 at most."}}},
                {"persistent",
                 {{"type", "boolean"}, {"description", "As long as the session lasts, whatever timeout_ms says."}}}}},
              {"required", JsonArray{"command", "description"}},
              {"additionalProperties", false}},
      .search_hint = "watch wait log tail event line background",
      .should_defer = true};
};

}  // namespace

std::string MonitorEvent::text() const {
  std::string out = "[Monitor " + task_id + (description.empty() ? "" : ": " + description) + "]";
  if (left_out > 0) out += "\n(" + std::to_string(left_out) + " earlier lines left out; TaskOutput shows them)";
  for (const std::string& line : lines) out += "\n" + line;
  if (ended) out += "\n(it has ended: " + *ended + ")";
  return out;
}

std::shared_ptr<Tool> make_monitor_tool(std::shared_ptr<BashCommands> commands, std::shared_ptr<BackgroundTasks> tasks,
                                        MonitorOptions options) {
  return std::make_shared<MonitorTool>(std::move(commands), std::move(tasks), std::move(options));
}

}  // namespace deft
