#include "deft_headless.h"

#include "deft/testing/places.h"

#include <filesystem>

#include "deft/base/check.h"
#include "deft/testing/program.h"

namespace deft::testing {

DeftHeadless::DeftHeadless(const TempFolder& folder, std::vector<std::string> script)
    : directory(folder.path() + "/project"), folder_(folder) {
  std::string text;
  for (const std::string& line : script) text += line + "\n";
  folder.put("script.jsonl", text);
  std::filesystem::create_directories(directory);
  std::filesystem::create_directories(folder / "home");
}

DeftHeadless::Run DeftHeadless::run(std::vector<std::string> arguments, std::string_view input) {
  std::vector<std::string> argv{DEFT_PROGRAM, "-p"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  for (const char* argument : {"--provider", "scripted", "--output-format", "stream-json", "--verbose"}) {
    argv.emplace_back(argument);
  }
  argv.insert(argv.end(), {"--script", folder_ / "script.jsonl"});
  std::vector<std::string> variables{"PATH=/usr/local/bin:/usr/bin:/bin",
                                     "HOME=" + (folder_ / "home"),
                                     "SHLVL=1",
                                     "LANG=C.UTF-8",
                                     "GIT_AUTHOR_NAME=T",
                                     "GIT_AUTHOR_EMAIL=t@example.org",
                                     "GIT_COMMITTER_NAME=T",
                                     "GIT_COMMITTER_EMAIL=t@example.org"};
  variables.insert(variables.begin(), environment.begin(), environment.end());  // the first of two values counts
  Program program({.argv = std::move(argv), .environment = std::move(variables), .directory = directory});
  program.write(input);
  program.close_input();
  Run run;
  while (const auto line = program.read_line()) {
    auto json = parse_json(*line);
    DEFT_CHECK(json.has_value());
    run.lines.push_back(*std::move(json));
  }
  run.exit_code = program.wait();
  run.errors = program.errors();
  return run;
}

Json DeftHeadless::Run::result() const {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (find_string(*line, "type") == "result") return *line;
  }
  return nullptr;
}

std::string DeftHeadless::Run::text() const {
  const Json last = result();
  if (const auto said = find_string(last, "result")) return std::string(*said);
  const JsonArray* problems = find_array(last, "errors");
  return problems && !problems->empty() ? to_json(problems->front()) : errors;
}

Json DeftHeadless::Run::init() const {
  for (const Json& line : lines) {
    if (find_string(line, "subtype") == "init") return line;
  }
  return nullptr;
}

std::string DeftHeadless::Run::all() const {
  std::string text;
  for (const Json& line : lines) text += to_json(line) + "\n";
  return text + errors;
}

}  // namespace deft::testing
