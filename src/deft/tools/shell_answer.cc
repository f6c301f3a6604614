#include "deft/tools/shell_answer.h"

#include <algorithm>
#include <csignal>
#include <initializer_list>
#include <string>
#include <vector>

#include "deft/base/text.h"
#include "deft/shell/exit_codes.h"

namespace deft {
namespace {

std::string killed_by(int signal) {
  std::string text = "Killed by signal " + std::to_string(signal);
  if (const char* name = ::sigabbrev_np(signal)) text += std::string(" (SIG") + name + ")";
  if (signal == SIGXFSZ) text += ": it wrote a file larger than the limit";
  if (signal == SIGKILL) text += ": it was killed from outside, as the kernel does when memory runs out";
  return text;
}

std::string names(const std::vector<Leftover>& processes, std::size_t count) {
  std::vector<std::string> words;
  for (const Leftover& process : processes) words.push_back(process.name + " (" + std::to_string(process.pid) + ")");
  if (count > words.size()) words.push_back(std::to_string(count - words.size()) + " more");
  return join(words, ", ");
}

std::string leftover_text(const CommandEnd& end) {
  return "\nStill running when the command ended, and ended with it: " + names(end.leftovers, end.leftover_count) +
         ". Start what should go on as a command of its own with run_in_background.";
}

std::string without_last_newlines(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

ToolResult shell_answer(std::string_view command, const CommandEnd& end, const ShellOutput& output,
                        const ShellTimeout& timeout) {
  std::string shown = without_last_newlines(output.text());
  JsonObject details{{"stdout", shown}, {"stderr", ""}, {"interrupted", false}};
  ToolResult result;
  if (output.is_long()) {
    result.long_output = output.long_output();
  } else {
    result.text = std::move(shown);
  }
  const auto lead = [&](const std::string& line) {
    if (result.long_output) {
      result.text.insert(0, line + "\n");
      result.long_output->at += line.size() + 1;
    } else {
      result.text = result.text.empty() ? line : line + "\n" + result.text;
    }
  };
  if (end.cause == CommandEnd::Cause::cancel) {
    result.error = Errc::cancelled;
    details["interrupted"] = true;
  } else if (end.cause == CommandEnd::Cause::timeout) {
    result.error = Errc::timeout;
    details["timedOutAfterMs"] = timeout.ms;
    lead("Command timed out after " + std::to_string(timeout.ms) +
         " ms and was ended. Give a longer timeout, or run it with run_in_background.");
  } else if (end.signal != 0) {
    result.error = Errc::failed;
    lead(killed_by(end.signal));
  } else if (const auto meaning = end.exit_code == 0 ? std::nullopt : shell::meaning_of_exit(command, end.exit_code)) {
    details["returnCodeInterpretation"] = meaning->text;  // grep that found nothing has not failed
    if (result.text.empty() && !result.long_output) result.text = "(" + meaning->text + ")";
  } else if (end.exit_code != 0) {
    result.error = Errc::failed;
    lead("Exit code " + std::to_string(end.exit_code));
  }
  if (timeout.asked_ms > timeout.ms) {
    lead("(The timeout was cut to the maximum of " + std::to_string(timeout.ms) + " ms.)");
  }
  if (!end.leftovers.empty()) result.text += leftover_text(end);
  if (!end.kept.empty()) {
    result.text +=
        "\nLeft running until the session ends, as the settings say: " + names(end.kept, end.kept_count) + ".";
  }
  if (end.survivor_count > 0) {
    result.text += "\n" + std::to_string(end.survivor_count) +
                   " of its processes could not be ended: they belong to another user, or the kernel holds them.";
  }
  details["exitCode"] = end.exit_code;
  if (output.has_file()) {
    details["persistedOutputPath"] = output.file();
    details["persistedOutputSize"] = output.size();
  }
  result.details = std::move(details);
  return result;
}

std::string limit_note(std::string_view output, int signal, const CommandLimits& limits) {
  const struct {
    std::optional<std::uint64_t> value;
    std::string_view name;
    std::initializer_list<std::string_view> words;  // what programs and the system say who run into it
  } known[] = {
      {limits.memory_bytes, "memoryMb", {"Cannot allocate memory", "bad_alloc", "MemoryError", "ut of memory"}},
      {limits.processes, "processes", {"Resource temporarily unavailable", "fork: retry"}},
      {limits.file_bytes, "fileMb", {"File too large", "File size limit exceeded"}},
      {limits.open_files, "openFiles", {"Too many open files"}},
  };
  for (const auto& [value, name, words] : known) {
    const bool is_said = std::ranges::any_of(words, [&](auto text) { return output.find(text) != output.npos; });
    const bool is_signalled = signal == SIGXFSZ && name == "fileMb";
    if (!value || !(is_said || is_signalled)) continue;
    const std::uint64_t shown = name.ends_with("Mb") ? *value >> 20 : *value;
    return "\nIt may have run into the limit for commands shell.limits." + std::string(name) + ", which is " +
           std::to_string(shown) + " here: the user can raise it in the settings.";
  }
  return {};
}

ToolResult background_answer(std::string_view task_id, const ShellOutput& output, bool was_moved) {
  const std::string id(task_id);
  ToolResult result{.text = was_moved ? "The command goes on in the background as task " + id + "."
                                      : "The command runs in the background as task " + id + "."};
  result.text += output.has_file() ? " Its output goes to " + output.file() + "."
                                   : " Its output cannot be saved: " + output.problem() + ".";
  result.text += " Look at it with TaskOutput, end it with TaskStop.";
  const std::string so_far = without_last_newlines(output.text());
  if (!so_far.empty()) result.text += "\nOutput so far:\n" + so_far;
  result.details = JsonObject{{"stdout", so_far},
                              {"stderr", ""},
                              {"interrupted", false},
                              {"backgroundTaskId", id},
                              {"rawOutputPath", output.file()}};
  if (was_moved) result.details.get_object()["backgroundedByUser"] = true;
  return result;
}

}  // namespace deft
