#include "deft/tools/bash.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/os/environment.h"
#include "deft/os/files.h"
#include "deft/os/processes.h"
#include "deft/shell/exit_codes.h"
#include "deft/tools/plain_command.h"
#include "deft/tools/shell_output.h"

extern char** environ;

namespace deft {
namespace {

constexpr Duration kProgressInterval = std::chrono::milliseconds(100);
constexpr std::size_t kProgressBytesMax = 2'000;
constexpr std::size_t kCommandBytesMax = std::size_t{1} << 20;

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  return variables;
}

// Only a command that names one of these can change where the next one starts.
bool may_change_directory(std::string_view command) {
  return command.find("cd") != std::string_view::npos || command.find("pushd") != std::string_view::npos ||
         command.find("popd") != std::string_view::npos;
}

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Where the command left the shell. The file is made by a trap of ours, so it is missing if bash was killed.
class LastDirectory {
 public:
  LastDirectory(std::string_view session_folder, std::string_view call_id, bool wanted)
      : file_(wanted ? std::string(session_folder) + "/cwd-" + safe_file_name(call_id) : "") {}
  ~LastDirectory() {
    if (!file_.empty()) ::unlink(file_.c_str());
  }
  LastDirectory(const LastDirectory&) = delete;
  LastDirectory& operator=(const LastDirectory&) = delete;

  // On the command's own first line, so that bash's line numbers stay right.
  std::string script(std::string_view command) const {
    if (file_.empty()) return std::string(command);
    return "trap " + shell_quoted("builtin pwd -P >| " + shell_quoted(file_)) + " EXIT; " + std::string(command);
  }
  std::string read() const {
    if (file_.empty()) return {};
    std::ifstream stream(file_, std::ios::binary);
    std::string path((std::istreambuf_iterator<char>(stream)), {});
    if (!path.empty() && path.back() == '\n') path.pop_back();
    return path;
  }

 private:
  std::string file_;
};

class BashTool final : public Tool {
 public:
  const ToolSpec& spec() const override { return spec_; }

  bool is_read_only(const Json& input) const override { return plain_read_only_command(command_of(input)).has_value(); }
  std::optional<Footprint> footprint(const Json& input) const override {
    if (!is_read_only(input)) return Footprint::everything();
    return Footprint::reads_tree("/").and_session(Footprint::Use::read);  // it starts in the working directory
  }
  std::optional<std::vector<std::string>> permission_paths(const Json& input, const SessionView&) const override {
    const auto plain = plain_read_only_command(command_of(input));
    if (!plain) return std::nullopt;
    return plain->paths;
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
    const std::string_view command = command_of(input);
    const auto asked_ms = find_int(input, "timeout").value_or(kBashTimeoutMsDefault);
    const auto timeout_ms = std::min<std::int64_t>(asked_ms, kBashTimeoutMsMax);
    const LastDirectory last_directory(io.session_folder, io.call_id, may_change_directory(command));
    ShellOutput output(output_file(io));

    const Command process{.argv = {"/bin/bash", "--noprofile", "--norc", "-c", last_directory.script(command)},
                          .environment = is_read_only(input) ? read_only_environment(own_environment())
                                                             : command_environment(own_environment()),
                          .directory = std::string(io.session.working_directory())};
    TimePoint next_progress{};
    const auto on_output = [&](OutputStream, std::string_view bytes) {
      output.add(bytes);
      if (io.os.clock.now() < next_progress) return;
      next_progress = io.os.clock.now() + kProgressInterval;
      io.progress(JsonObject{{"output", output.last_lines(kProgressBytesMax)}, {"bytes", output.size()}});
    };
    const auto end = io.os.processes.run(
        process, on_output, {.cancel = io.stop, .deadline = io.os.clock.now() + std::chrono::milliseconds(timeout_ms)});
    if (!end) return std::unexpected(end.error());
    ToolResult result = answer(command, *end, output, timeout_ms, asked_ms);
    follow_directory(last_directory.read(), io, result);
    return result;
  }

  std::string classifier_text(const Json& input) const override { return std::string(command_of(input)); }
  std::string render_use(const Json& input) const override { return "Bash(" + one_line(command_of(input), 60) + ")"; }

 private:
  static std::string_view command_of(const Json& input) { return find_string(input, "command").value_or(""); }

  static std::string output_file(const ToolIo& io) {
    return std::string(io.session_folder) + "/tool-results/" + safe_file_name(io.call_id) + ".txt";
  }

  static ToolResult answer(std::string_view command, const CommandEnd& end, const ShellOutput& output,
                           std::int64_t timeout_ms, std::int64_t asked_ms) {
    ToolResult result{.text = output.text()};
    while (!result.text.empty() && result.text.back() == '\n') result.text.pop_back();
    JsonObject details{{"stdout", result.text}, {"stderr", ""}, {"interrupted", false}};
    const auto lead = [&](const std::string& line) {
      result.text = result.text.empty() ? line : line + "\n" + result.text;
    };
    if (end.cause == CommandEnd::Cause::cancel) {
      result.error = Errc::cancelled;
      details["interrupted"] = true;
    } else if (end.cause == CommandEnd::Cause::timeout) {
      result.error = Errc::timeout;
      details["timedOutAfterMs"] = timeout_ms;
      lead("Command timed out after " + std::to_string(timeout_ms) + " ms and was ended.");
    } else if (end.signal != 0) {
      result.error = Errc::failed;
      lead("Killed by signal " + std::to_string(end.signal));
    } else if (const auto meaning =
                   end.exit_code == 0 ? std::nullopt : shell::meaning_of_exit(command, end.exit_code)) {
      details["returnCodeInterpretation"] = meaning->text;  // grep that found nothing has not failed
      if (result.text.empty()) result.text = "(" + meaning->text + ")";
    } else if (end.exit_code != 0) {
      result.error = Errc::failed;
      lead("Exit code " + std::to_string(end.exit_code));
    }
    if (asked_ms > timeout_ms) {
      lead("(The timeout was cut to the maximum of " + std::to_string(kBashTimeoutMsMax) + " ms.)");
    }
    if (!end.leftovers.empty()) result.text += leftover_text(end);
    details["exitCode"] = end.exit_code;
    result.details = std::move(details);
    return result;
  }

  static std::string leftover_text(const CommandEnd& end) {
    std::vector<std::string> names;
    for (const Leftover& process : end.leftovers)
      names.push_back(process.name + " (" + std::to_string(process.pid) + ")");
    return "\nStill running when the command ended, and ended with it: " + join(names, ", ") +
           ". A command that should go on must be started as one of its own.";
  }

  static bool is_folder(const ToolIo& io, std::string_view path) {
    const auto status = io.os.files.status(path);
    return status && status->kind == FileKind::directory;
  }

  // The next command starts where this one left the shell, if that is there and inside the directories.
  static void follow_directory(std::string path, const ToolIo& io, ToolResult& result) {
    const std::string before(io.session.working_directory());
    if (path.empty()) path = before;
    const auto& allowed = io.session.directories();
    const bool usable = is_folder(io, path) && std::any_of(allowed.begin(), allowed.end(), [&](const std::string& it) {
                          return is_at_or_below(path, it);
                        });
    const std::string& next = usable ? path : is_folder(io, before) ? before : allowed.front();
    if (next != before) result.modifiers.emplace_back(WorkingDirectoryChanged{next});
    if (!usable) result.text += (result.text.empty() ? "" : "\n") + ("Shell cwd was reset to " + next);
  }

  // Somebody else removed it: the command may mean something else elsewhere, so it is not run there.
  static ToolResult directory_is_gone(const ToolIo& io) {
    const std::string& next = io.session.directories().front();
    ToolResult result{.text = "Not run: the working directory " + std::string(io.session.working_directory()) +
                              " is gone.\nShell cwd was reset to " + next,
                      .error = Errc::not_found};
    result.modifiers.emplace_back(WorkingDirectoryChanged{next});
    return result;
  }

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
          "- Git: commit or push only when asked to; never change its configuration, force a push or skip hooks.",
      .input_schema =
          JsonObject{
              {"type", "object"},
              {"properties",
               {{"command", {{"type", "string"}, {"minLength", 1}, {"description", "The command line."}}},
                {"timeout",
                 {{"type", "integer"},
                  {"minimum", 1},
                  {"description", "Milliseconds after which it is ended; 120000 if not given, 600000 at most."}}},
                {"description",
                 {{"type", "string"}, {"description", "What it does, in five to ten words, for the user."}}}}},
              {"required", JsonArray{"command"}},
              {"additionalProperties", false}},
      .search_hint = "shell terminal command line script run program",
      .always_load = true,
      .failure_cancels_siblings = true,
      .result_characters_max = kUnlimited};  // ShellOutput bounds it, and keeps both ends
};

}  // namespace

std::shared_ptr<Tool> make_bash_tool() { return std::make_shared<BashTool>(); }

}  // namespace deft
