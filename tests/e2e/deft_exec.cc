#include "deft_exec.h"
#include "deft/testing/places.h"

#include <cstdlib>
#include <stdexcept>

namespace deft::testing {

namespace {

ProgramSetup setup_for(const TempFolder& folder, const TempFolder& temporary, const ExecSetup& setup) {
  ProgramSetup program{.argv = {DEFT_PROGRAM, "exec"},
                       .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + temporary.path(), "LANG=C.UTF-8",
                                       "TMPDIR=" + temporary.path()},
                       .directory = folder.path(),
                       .small_output_pipe = setup.small_output_pipe};
  if (setup.from_a_shell) program.environment.emplace_back("SHLVL=1");
  program.argv.insert(program.argv.end(), setup.arguments.begin(), setup.arguments.end());
  program.controlling_terminal = setup.controlling_terminal;
  // The first of two values counts.
  program.environment.insert(program.environment.begin(), setup.environment.begin(), setup.environment.end());
  // Tests often run as root, in a place that may be lost.
  program.environment.emplace_back("DEFT_ALLOW_ROOT_BYPASS=1");
  return program;
}

}  // namespace

DeftExec::DeftExec(const TempFolder& folder, const ExecSetup& setup) : program(setup_for(folder, temporary, setup)) {}

void DeftExec::call(std::string_view id, std::string_view tool, const JsonObject& input) {
  send_line(to_json(JsonObject{{"type", "tool_use"}, {"id", text(id)}, {"name", text(tool)}, {"input", input}}));
}

bool DeftExec::read_line() {
  const auto line = program.read_line();
  if (!line) return false;
  auto json = parse_json(*line);
  if (!json) throw std::runtime_error("not a line of JSON: " + *line);
  lines_.push_back(std::move(*json));
  return true;
}

Json DeftExec::line(std::string_view type, const std::function<bool(const Json&)>& fits) {
  for (std::size_t i = 0; i < lines_.size() || read_line(); ++i) {
    if (text_of(lines_[i], "type") == type && (!fits || fits(lines_[i]))) return lines_[i];
  }
  std::string told;
  for (const Json& line : lines_) told += to_json(line) + "\n";
  throw std::runtime_error("the output ended without the expected line of type " + std::string(type) + ":\n" + told +
                           program.errors());
}

Json DeftExec::line_of_call(std::string_view type, std::string_view id) {
  return line(type, [&](const Json& it) { return text_of(it, "tool_use_id") == id; });
}

Json DeftExec::stage(std::string_view id, std::string_view stage) {
  return line("stage",
              [&](const Json& it) { return text_of(it, "tool_use_id") == id && text_of(it, "stage") == stage; });
}

int DeftExec::finish() {
  program.close_input();
  return wait();
}

int DeftExec::wait() {
  while (read_line()) {
  }
  return program.wait();
}

std::vector<Json> DeftExec::lines(std::string_view type) const {
  std::vector<Json> found;
  for (const Json& line : lines_) {
    if (text_of(line, "type") == type) found.push_back(line);
  }
  return found;
}

std::vector<std::string> DeftExec::answered_ids() const {
  std::vector<std::string> ids;
  for (const Json& line : lines("tool_result")) ids.push_back(text_of(line, "tool_use_id"));
  return ids;
}

std::vector<int> DeftExec::commands() const {
  std::vector<int> pids = mark_.alive();
  std::erase(pids, program.pid());
  return pids;
}

bool DeftExec::leaves_no_command() const {
  return eventually([this] { return commands().empty(); });
}

Finished run_deft(const TempFolder& folder, const ExecSetup& setup, std::string_view input) {
  const TempFolder temporary;
  Program program(setup_for(folder, temporary, setup));
  program.write(input);
  program.close_input();
  Finished finished;
  while (const auto line = program.read_line()) finished.output += *line + "\n";
  finished.exit_code = program.wait();
  finished.errors = program.errors();
  return finished;
}

std::string text_of(const Json& line, std::string_view key) { return std::string(find_string(line, key).value_or("")); }

std::int64_t number_of(const Json& line, std::string_view key) { return find_int(line, key).value_or(0); }

bool is_error(const Json& result) { return find_bool(result, "is_error").value_or(false); }

std::string content(const Json& result) { return text_of(result, "content"); }

}  // namespace deft::testing
