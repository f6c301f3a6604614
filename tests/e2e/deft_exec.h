#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/testing/program.h"
#include "deft/testing/real_processes.h"
#include "deft/testing/temp_folder.h"

namespace deft::testing {

using Arguments = std::vector<std::string>;

inline const Arguments kBypass = {"--permission-mode", "bypassPermissions"};
// Nothing needs permission, and stages and states are told.
inline const Arguments kBypassWithEvents = {"--permission-mode", "bypassPermissions", "--events"};

struct ExecSetup {
  Arguments arguments{};
  std::vector<std::string> environment{};  // NAME=VALUE, beside the few that every run gets
  bool small_output_pipe = false;
  bool from_a_shell = true;               // which has run the user's profile
  std::string controlling_terminal = {};  // as of Program
};

// `deft exec` at work in a folder, as a host drives it: lines in, lines out.
class DeftExec {
 public:
  DeftExec(const TempFolder& folder, const ExecSetup& setup);
  DeftExec(const TempFolder& folder, Arguments arguments)
      : DeftExec(folder, ExecSetup{.arguments = std::move(arguments)}) {}
  explicit DeftExec(const TempFolder& folder) : DeftExec(folder, ExecSetup{}) {}

  // --- in ---
  void send(std::string_view bytes) { program.write(bytes); }
  void send_line(std::string_view line) { send(std::string(line) + "\n"); }
  void call(std::string_view id, std::string_view tool, const JsonObject& input);
  void bash(std::string_view id, std::string_view command) { call(id, "Bash", {{"command", text(command)}}); }
  void read(std::string_view id, std::string_view path) { call(id, "Read", {{"file_path", text(path)}}); }
  void write(std::string_view id, std::string_view path, std::string_view content) {
    call(id, "Write", {{"file_path", text(path)}, {"content", text(content)}});
  }
  void edit(std::string_view id, std::string_view path, std::string_view before, std::string_view after) {
    call(id, "Edit", {{"file_path", text(path)}, {"old_string", text(before)}, {"new_string", text(after)}});
  }

  // --- out ---
  // The first line, come or to come, that fits. An exception if the output ends without it.
  Json line(std::string_view type, const std::function<bool(const Json&)>& fits = nullptr);
  Json line_of_call(std::string_view type, std::string_view id);  // "tool_use_id" is this
  Json result(std::string_view id) { return line_of_call("tool_result", id); }
  // Until this call has gone through the stage (--events).
  Json stage(std::string_view id, std::string_view stage);
  // Ends the input, reads the rest and waits: the exit code.
  int finish();
  // Reads the rest and waits, with the input still open.
  int wait();

  // What was read so far.
  const std::vector<Json>& lines() const { return lines_; }
  std::vector<Json> lines(std::string_view type) const;
  std::vector<std::string> answered_ids() const;

  // The numbers of living commands.
  std::vector<int> commands() const;
  // True if soon no command is alive.
  bool leaves_no_command() const;

  const TempFolder temporary;  // its TMPDIR
  Program program;

 private:
  static boost::json::string_view text(std::string_view text) { return {text.data(), text.size()}; }
  bool read_line();

  const ProcessMark mark_{"HOME=" + temporary.path()};  // every command gets it, also one that only reads
  std::vector<Json> lines_;
};

// A run that takes all its input at once, or refuses to.
struct Finished {
  int exit_code = -1;
  std::string output;
  std::string errors;
};
Finished run_deft(const TempFolder& folder, const ExecSetup& setup, std::string_view input = {});

// Members of a line, as plain values; empty or zero where there is none.
std::string text_of(const Json& line, std::string_view key);
std::int64_t number_of(const Json& line, std::string_view key);
bool is_error(const Json& result);
// The text of a result.
std::string content(const Json& result);

}  // namespace deft::testing
