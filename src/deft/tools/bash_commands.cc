#include "deft/tools/bash_commands.h"

#include <utility>

#include "deft/shell/commands.h"
#include "deft/shell/parse.h"
#include "deft/tools/environment_use.h"

namespace deft {
namespace {

constexpr std::size_t kCommandBytesMax = std::size_t{1} << 20;

}  // namespace

Result<CommandSlot> take_command_slot(const BashOptions& options, const ToolIo& io) {
  if (!options.slots) return CommandSlot();
  return options.slots->take(io.stop, [&] {
    const std::string waits = "waits: " + std::to_string(options.slots->most()) +
                              " commands run on this machine already (\"shell.commandsAtOnce\")";
    io.progress(JsonObject{{"output", waits}, {"bytes", 0}});
  });
}

bool BashCommands::is_read_only(std::string_view command, const SessionView& session) const {
  return options_.read_only_calls && judge_.judge(command, session).read_only && !shows_more_than_it_gets(command);
}

// A read-only call gets a few variables only. One that shows others would show them as not set.
bool BashCommands::shows_more_than_it_gets(std::string_view command) const {
  const auto script = shell::parse(command);
  if (!script) return true;
  const auto is_withheld = [&](std::string_view name) {
    return !sets_variable(command, name) && environment_.withholds(name);
  };
  return uses_withheld_variable(command, shell::commands_of(*script, {}), is_withheld);
}

Result<void> BashCommands::check(std::string_view command) {
  if (command.find('\0') != std::string_view::npos) {
    return fail(Errc::invalid_input, "The command holds a zero byte, which no shell can take.");
  }
  if (command.size() > kCommandBytesMax) {
    return fail(Errc::limit, "The command is longer than 1 MB: write it to a file and run that.");
  }
  return {};
}

Result<std::unique_ptr<Child>> BashCommands::start(Start start, const ToolIo& io) {
  std::vector<std::string> environment = io.judged_read_only ? environment_.for_read_only_command(io.os, io.stop)
                                                             : environment_.for_command(io.os, io.stop);
  if (start.holds_slot && !io.judged_read_only) environment.push_back(std::string(kWithinCommand) + "=1");
  const Command command{
      .argv = {"/bin/bash", "--noprofile", "--norc", "-c", std::move(start.script)},
      .environment = std::move(environment),
      .directory = std::string(io.session.working_directory()),
      .input_pipe = false,
      .separate_errors = start.separate_errors,
      .limits = options_.limits,
      .restriction = io.judged_read_only && options_.sandbox ? Restriction::read_only : Restriction::none,
      .writable_file = std::move(start.writable_file),
      .daemons = options_.daemons};
  auto child = io.os.processes.start(command, io.stop);
  // Stopped before it could show anything: whoever stopped it says so.
  if (!child && child.error().code == Errc::cancelled) return fail(Errc::cancelled, "");
  return child;
}

}  // namespace deft
