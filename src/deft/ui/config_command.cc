#include "deft/ui/config_command.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/base/secret_mask.h"
#include "deft/os/secrecy.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/session_settings.h"
#include "deft/ui/settings_markdown.h"

namespace deft {
namespace {

constexpr const char* kHelp = R"(Shows the settings in force in this folder, and where each value comes from.

Usage: deft config [--json] [--settings FILE|JSON] [--setting-sources user,project,local] [--trust]
       deft config --markdown                 every key that there is, as the page docs/settings.md

Values are listed with the strongest source first: where a key stands twice, the first line counts; lists are joined.
What an untrusted folder allows is not listed: deft trust. Secrets are masked.

Examples:
  deft config
  deft config --json --trust

Exit code: 0, 1 if a file or rule cannot be used or a key seems mistyped, 2 unusable arguments.
)";

int complain(std::string_view what) {
  std::fprintf(stderr, "deft config: %.*s; see deft config --help\n", static_cast<int>(what.size()), what.data());
  return 2;
}

// What is shown may be shown to others: values of what is named as a secret are not.
std::string masked_value(const SettingOrigin& origin, const SecretMask& mask) {
  const std::string name = origin.key.substr(origin.key.rfind('.') + 1);
  const Json named = mask.masked_json(JsonObject{{name, *parse_json(origin.value)}});
  const Json* value = find(named, name);
  return value ? to_json(*value) : to_json("****");
}

SecretMask mask_of(const SessionSettings& session) {
  std::vector<std::string> secrets = secrets_of_environment();
  for (std::string& value : secrets_among(session.merged.settings.model.environment)) secrets.push_back(value);
  for (const auto& [name, value] : session.merged.settings.telemetry.otlp_headers) secrets.push_back(value);
  return SecretMask(std::move(secrets));
}

void print_json(const SessionSettings& session) {
  const SecretMask mask = mask_of(session);
  JsonArray files, values, problems;
  for (const LoadedFile& file : session.files) {
    files.push_back(JsonObject{{"path", file.file.path},
                               {"source", to_string(file.file.source)},
                               {"exists", file.exists},
                               {"used", file.exists && !file.problem}});
  }
  for (const SettingOrigin& origin : session.merged.origins) {
    values.push_back(
        JsonObject{{"key", origin.key}, {"value", *parse_json(masked_value(origin, mask))}, {"from", origin.file}});
  }
  for (const std::string& problem : session.merged.problems) problems.emplace_back(problem);
  std::printf("%s\n", to_json(JsonObject{{"mode", to_string(session.merged.permissions.mode)},
                                         {"trusted", session.trusted},
                                         {"files", std::move(files)},
                                         {"values", std::move(values)},
                                         {"problems", std::move(problems)}})
                          .c_str());
}

void print_text(const SessionSettings& session) {
  std::printf("mode %s, folder %s\n", std::string(to_string(session.merged.permissions.mode)).c_str(),
              session.trusted ? "trusted" : "not trusted");
  for (const LoadedFile& file : session.files) {
    const char* state = file.problem ? "broken" : file.exists ? "read" : "none";
    std::printf("  %-8s %-7s %s\n", std::string(to_string(file.file.source)).c_str(), state,
                safe_display(file.file.path).c_str());
  }
  const SecretMask mask = mask_of(session);
  for (const SettingOrigin& origin : session.merged.origins) {
    std::printf("%s = %s\n    from %s\n", safe_display(origin.key).c_str(),
                safe_display(masked_value(origin, mask)).c_str(), safe_display(origin.file).c_str());
  }
  for (const std::string& problem : session.merged.problems)
    std::printf("problem: %s\n", safe_display(problem).c_str());
}

}  // namespace

int run_config(int argc, const char* const* argv) {
  std::error_code ec;
  SettingsRequest request{.directory = std::filesystem::current_path(ec).string()};
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return std::fputs(kHelp, stdout), 0;
    if (word == "--markdown") return std::fputs(settings_markdown().c_str(), stdout), 0;
    if (word == "--json") {
      json = true;
    } else if (word == "--trust") {
      request.trust = true;
    } else if (word == "--settings" && i + 1 < argc) {
      request.given = argv[++i];
    } else if (word == "--setting-sources" && i + 1 < argc) {
      const auto wanted = parse_wanted_sources(argv[++i]);
      if (!wanted) return complain("--setting-sources " + wanted.error().message);
      request.wanted = *wanted;
    } else {
      return complain("unknown or incomplete option " + std::string(word));
    }
  }
  const auto session = load_session_settings(request);
  if (!session) return complain(session.error().message);
  json ? print_json(*session) : print_text(*session);
  return session->merged.problems.empty() ? 0 : 1;
}

}  // namespace deft
