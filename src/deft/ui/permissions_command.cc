#include "deft/ui/permissions_command.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "deft/agent/permission_ground.h"
#include "deft/ui/input_line.h"
#include "deft/ui/permission_check.h"
#include "deft/ui/permission_replay.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/session_settings.h"

namespace deft {
namespace {

constexpr const char* kHelp = R"help(Says what would happen to a call, and why. Runs nothing.

Usage: deft permissions check [OPTIONS] TOOL INPUT
       deft permissions check --json
       deft permissions test FILE…                       try the examples that rules carry
       deft permissions simulate --rule RULE SESSION…    what a rule would have changed in past sessions

INPUT is the call's input as a JSON object; for Bash the command itself, for file tools the path, will do.

  --settings JSON    rules to judge by, {"permissions":{"allow":[],"ask":[],"deny":[]}}, instead of those in force
  --permission-mode MODE
  --json             lines of {"id","settings","mode","cwd","home","tool","input",…} in, {"id","decision","rule","reason"}
                     out, in order; docs/permissions.md describes them

Examples:
  deft permissions check Bash 'git status && rm -rf build'
  deft permissions check --settings '{"permissions":{"deny":["Read(.env)"]}}' Read .env

Exit code: 0 allowed, 1 asked for, 3 denied, 2 unusable arguments; with --json always 0.
)help";

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? home : "";
}
std::string current_folder() {
  std::error_code ec;
  return std::filesystem::current_path(ec).string();
}

int check_lines() {
  const std::string directory = current_folder();
  const std::string home = home_folder();
  while (auto line = read_line(stdin)) {
    if (line->ends_with('\r')) line->pop_back();
    const std::string answer = permission_check_line(*line, directory, home);
    std::printf("%s\n", answer.c_str());
    std::fflush(stdout);
  }
  return 0;
}

int complain(std::string_view what) {
  std::fprintf(stderr, "deft permissions: %s; see deft permissions --help\n", safe_display(what).c_str());
  return 2;
}

Result<Json> input_of(std::string_view tool, std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first != std::string_view::npos && text[first] == '{') {
    auto json = parse_json(text);
    if (json && json->is_object()) return json;
    if (subject_of(todays_tool_name(tool)).kind != SubjectKind::command) {
      return fail(Errc::invalid_input, json ? "INPUT is not a JSON object" : "INPUT: " + json.error().message);
    }
  }
  const std::string_view field = subject_of(todays_tool_name(tool)).field;
  if (field.empty()) return fail(Errc::invalid_input, "INPUT must be a JSON object for this tool");
  return Json(JsonObject{{field, text}});
}

struct Arguments {
  std::string settings, mode;
  std::vector<std::string_view> rest;
};

int print(const Decision& decision) {
  const auto line = [](const char* name, std::string_view value) {
    if (!value.empty()) std::printf("  %-9s%s\n", name, safe_display(value).c_str());
  };
  std::printf("%s\n", std::string(to_string(decision.verdict)).c_str());
  line("because", decision.reason);
  line("rule", decision.rule);
  line("from", decision.source);
  line("command", decision.command);
  line("stage", to_string(decision.stage));
  return decision.verdict == Verdict::allow ? 0 : decision.verdict == Verdict::deny ? 3 : 1;
}

int check_by_settings_in_force(std::string_view tool, const Json& input) {
  auto settings = load_session_settings({.directory = current_folder(), .given = {}, .wanted = {}});
  if (!settings) return complain(settings.error().message);
  for (const std::string& problem : settings->merged.problems) {
    std::fprintf(stderr, "%s\n", safe_display(problem).c_str());
  }
  PermissionSetup setup = settings->merged.permissions;
  setup.directory = current_folder();
  put_on_ground(setup);
  return print(judge(Permissions(setup), setup, {.tool = std::string(tool), .input = input, .directory = {}}));
}

int check_one(const Arguments& arguments) {
  if (arguments.rest.size() != 2) return complain("give a tool and its input");
  const std::string_view tool = arguments.rest[0];
  const auto input = input_of(tool, arguments.rest[1]);
  if (!input) return complain(input.error().message);
  if (arguments.settings.empty() && arguments.mode.empty()) return check_by_settings_in_force(tool, *input);
  JsonObject line{{"tool", tool}, {"input", *input}};
  if (!arguments.mode.empty()) line["mode"] = arguments.mode;
  if (!arguments.settings.empty()) {
    const auto settings = parse_json(arguments.settings);
    if (!settings) return complain("--settings: " + settings.error().message);
    line["settings"] = *settings;
  }
  const auto answer = parse_json(permission_check_line(to_json(line), current_folder(), home_folder()));
  if (const auto error = find_string(*answer, "error")) return complain(*error);
  const std::string_view decision = find_string(*answer, "decision").value_or("ask");
  const auto print = [&](const char* name, std::string_view key) {
    const auto value = find_string(*answer, key);
    if (value) std::printf("  %-9s%s\n", name, safe_display(*value).c_str());
  };
  std::printf("%s\n", std::string(decision).c_str());
  print("because", "reason");
  print("rule", "rule");
  print("from", "source");
  print("command", "command");
  print("stage", "stage");
  return decision == "allow" ? 0 : decision == "deny" ? 3 : 1;
}

}  // namespace

int run_permissions(int argc, const char* const* argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "--help" || command == "-h" || command == "help") return std::fputs(kHelp, stdout), 0;
  if (command == "test") return run_permissions_test(argc - 1, argv + 1);
  if (command == "simulate") return run_permissions_simulate(argc - 1, argv + 1);
  if (command != "check") return complain("say what: check, test or simulate");
  Arguments arguments;
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return std::fputs(kHelp, stdout), 0;
    if (word == "--json" && arguments.rest.empty()) return argc == 3 ? check_lines() : complain("--json stands alone");
    const bool takes_value = word == "--settings" || word == "--permission-mode";
    if (takes_value && arguments.rest.empty()) {
      if (++i == argc) return complain(std::string(word) + " needs a value");
      (word == "--settings" ? arguments.settings : arguments.mode) = argv[i];
    } else {
      arguments.rest.push_back(word);
    }
  }
  return check_one(arguments);
}

}  // namespace deft
