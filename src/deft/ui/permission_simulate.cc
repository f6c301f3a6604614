#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/permission_ground.h"
#include "deft/base/text.h"
#include "deft/ui/permission_check.h"
#include "deft/ui/permission_replay.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/session_settings.h"

namespace deft {
namespace {

constexpr const char* kHelp = R"help(Says what another rule would have changed in past sessions. Runs nothing.

Usage: deft permissions simulate --rule RULE [--list allow|ask|deny] [--json] SESSION…

SESSION is the folder of a session (deft exec --session). Every call in its journal that asked somebody or began is
judged twice by the settings in force here: as they are, and with the rule.

Example:
  deft permissions simulate --rule 'Bash(npm run test:*)' sessions/*

Exit code: 0, 2 unusable arguments.
)help";

constexpr std::size_t kCallShownCharacters = 100;

struct Change {
  Verdict before = Verdict::ask;
  Verdict after = Verdict::ask;
  std::size_t count = 0;
};

int complain(std::string_view what) {
  std::fprintf(stderr, "deft permissions simulate: %.*s; see deft permissions simulate --help\n",
               static_cast<int>(what.size()), what.data());
  return 2;
}

std::string shown(const ReplayedCall& call) {
  return one_line(call.tool + " " + to_json(call.input), kCallShownCharacters);
}

struct Simulation {
  std::size_t calls = 0;
  std::size_t asked_before = 0;
  std::size_t asked_after = 0;
  std::map<std::string, Change> changes;  // by call, as it is shown
};

Simulation simulate(const PermissionSetup& before_setup, const PermissionSetup& after_setup,
                    const std::vector<ReplayedCall>& calls) {
  const Permissions before(before_setup);
  const Permissions after(after_setup);
  Simulation result;
  for (const ReplayedCall& call : calls) {
    const Verdict was = judge(before, before_setup, call).verdict;
    const Verdict is = judge(after, after_setup, call).verdict;
    ++result.calls;
    result.asked_before += was == Verdict::ask ? 1 : 0;
    result.asked_after += is == Verdict::ask ? 1 : 0;
    if (was == is) continue;
    Change& change = result.changes[shown(call)];
    change = {was, is, change.count + 1};
  }
  return result;
}

void print_json(const Simulation& simulation) {
  JsonArray changes;
  for (const auto& [call, change] : simulation.changes) {
    changes.push_back(JsonObject{{"call", call},
                                 {"before", to_string(change.before)},
                                 {"after", to_string(change.after)},
                                 {"count", change.count}});
  }
  std::printf("%s\n", to_json(JsonObject{{"calls", simulation.calls},
                                         {"asked_before", simulation.asked_before},
                                         {"asked_after", simulation.asked_after},
                                         {"changes", std::move(changes)}})
                          .c_str());
}

void print_text(const Simulation& simulation) {
  std::printf("%zu calls, %zu questions without the rule, %zu with it\n", simulation.calls, simulation.asked_before,
              simulation.asked_after);
  for (const auto& [call, change] : simulation.changes) {
    std::printf("  %s -> %s  %zu x  %s\n", std::string(to_string(change.before)).c_str(),
                std::string(to_string(change.after)).c_str(), change.count, safe_display(json_quote(call)).c_str());
  }
}

}  // namespace

int run_permissions_simulate(int argc, const char* const* argv) {
  std::string rule;
  std::string list = "allow";
  bool json = false;
  std::vector<ReplayedCall> calls;
  std::size_t sessions = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return std::fputs(kHelp, stdout), 0;
    if (word == "--json") {
      json = true;
    } else if (word == "--rule" || word == "--list") {
      if (++i == argc) return complain(std::string(word) + " needs a value");
      (word == "--rule" ? rule : list) = argv[i];
    } else if (word.starts_with("-")) {
      return complain("unknown option " + std::string(word));
    } else {
      auto its = calls_of_session(std::string(word));
      if (!its) return complain(its.error().message);
      calls.insert(calls.end(), its->begin(), its->end());
      ++sessions;
    }
  }
  const auto parsed = parse_rule(rule);
  if (!parsed) return complain(rule.empty() ? "--rule is missing" : parsed.error().message);
  if (sessions == 0) return complain("give the folder of a session");
  PermissionSource added{.rules = {}, .source = SettingSource::command_line, .origin = "--rule"};
  if (list == "allow") {
    added.rules.allow.push_back(*parsed);
  } else if (list == "ask") {
    added.rules.ask.push_back(*parsed);
  } else if (list == "deny") {
    added.rules.deny.push_back(*parsed);
  } else {
    return complain("--list must be allow, ask or deny");
  }

  std::error_code ec;
  const std::string directory = std::filesystem::current_path(ec).string();
  auto settings = load_session_settings({.directory = directory, .given = {}, .wanted = {}});
  if (!settings) return complain(settings.error().message);
  PermissionSetup setup = settings->merged.permissions;
  setup.directory = directory;
  put_on_ground(setup);
  PermissionSetup with_rule = setup;
  with_rule.sources.push_back(std::move(added));
  const Simulation simulation = simulate(setup, with_rule, calls);
  json ? print_json(simulation) : print_text(simulation);
  return 0;
}

}  // namespace deft
