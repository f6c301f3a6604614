#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "deft/agent/permission_ground.h"
#include "deft/base/whole_file.h"
#include "deft/config/settings.h"
#include "deft/ui/permission_check.h"
#include "deft/ui/permission_replay.h"
#include "deft/ui/safe_display.h"

namespace deft {
namespace {

constexpr const char* kHelp = R"help(Checks that rules do what their author meant. Runs nothing.

Usage: deft permissions test [--json] FILE…

FILE holds settings, and examples beside them:
  {
    "permissions": { "allow": ["Bash(npm run test:*)"], "deny": ["Read(.env)"] },
    "permissionExamples": { "allow": ["Bash(npm run test -- a.ts)"],
                            "ask":   ["Bash(npm run deploy)"],
                            "deny":  ["Read(.env)", "Bash(cat .env)"] }
  }
Each example is a call with its main input; it is judged by the rules of this file alone, in the current folder.

Exit code: 0 if every example comes out as it says, 1 if not, 2 unusable arguments.
)help";

int complain(std::string_view what) {
  std::fprintf(stderr, "deft permissions test: %.*s; see deft permissions test --help\n", static_cast<int>(what.size()),
               what.data());
  return 2;
}

struct Outcome {
  std::size_t right = 0;
  JsonArray wrong{};
};

Result<void> try_examples(const Json& settings, Outcome& outcome) {
  std::error_code ec;
  const char* home = std::getenv("HOME");
  PermissionSetup setup{.directory = std::filesystem::current_path(ec).string(), .home = home ? home : ""};
  if (const Json* permissions = find(settings, "permissions")) {
    auto rules = parse_permission_rules(*permissions);
    if (!rules) return std::unexpected(rules.error());
    setup.sources.push_back({.rules = std::move(*rules), .source = SettingSource::command_line});
  }
  put_on_ground(setup);
  const Permissions permissions(setup);
  const Json* examples = find(settings, "permissionExamples");
  if (!examples || !examples->is_object()) return fail(Errc::invalid_input, "\"permissionExamples\" is missing");
  for (const Verdict expected : {Verdict::allow, Verdict::ask, Verdict::deny}) {
    const JsonArray* calls = find_array(*examples, to_string(expected));
    if (!calls) continue;
    for (const Json& text : *calls) {
      if (!text.is_string()) return fail(Errc::invalid_input, "an example is a text such as \"Bash(npm test)\"");
      const auto call = parse_call(view(text.get_string()));
      if (!call) return std::unexpected(call.error());
      const Decision decision = judge(permissions, setup, *call);
      if (decision.verdict == expected) {
        ++outcome.right;
        continue;
      }
      outcome.wrong.push_back(JsonObject{{"example", text},
                                         {"expected", to_string(expected)},
                                         {"decision", to_string(decision.verdict)},
                                         {"reason", decision.reason}});
    }
  }
  return {};
}

}  // namespace

int run_permissions_test(int argc, const char* const* argv) {
  bool json = false;
  std::size_t files = 0;
  Outcome outcome;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return std::fputs(kHelp, stdout), 0;
    if (word == "--json") {
      json = true;
      continue;
    }
    if (word.starts_with("-")) return complain("unknown option " + std::string(word));
    const auto text = read_whole_file(std::string(word), kSettingsBytesMax);
    if (!text) return complain(text.error().message);
    const auto settings = parse_json(*text);
    if (!settings) return complain(std::string(word) + ": " + settings.error().message);
    if (auto tried = try_examples(*settings, outcome); !tried) {
      return complain(std::string(word) + ": " + tried.error().message);
    }
    ++files;
  }
  if (files == 0) return complain("give a file with rules and examples");
  const bool all_right = outcome.wrong.empty();
  if (json) {
    std::printf("%s\n", to_json(JsonObject{{"right", outcome.right}, {"wrong", outcome.wrong}}).c_str());
    return all_right ? 0 : 1;
  }
  for (const Json& wrong : outcome.wrong) {
    std::printf("%s: %s, not %s: %s\n", safe_display(json_quote(*find_string(wrong, "example"))).c_str(),
                std::string(*find_string(wrong, "decision")).c_str(),
                std::string(*find_string(wrong, "expected")).c_str(),
                safe_display(json_quote(*find_string(wrong, "reason"))).c_str());
  }
  std::printf("%zu of %zu examples come out as they say\n", outcome.right, outcome.right + outcome.wrong.size());
  return all_right ? 0 : 1;
}

}  // namespace deft
