#include "deft/ui/hooks_command.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "deft/agent/hook_sample.h"
#include "deft/agent/temporary_session.h"
#include "deft/config/hook_settings.h"
#include "deft/ui/hook_setup.h"
#include "deft/ui/hook_trial.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/session_settings.h"

namespace deft {
namespace {

constexpr std::size_t kSampleBytesMax = std::size_t{64} << 20;

constexpr const char* kHelp = R"(Shows the hooks in force in this folder, and tries them out.

Usage: deft hooks list [OPTIONS]
       deft hooks test EVENT [OPTIONS]

test runs the hooks for EVENT (PreToolUse, PostToolUse, UserPromptSubmit, Stop …) for real, on a sample, and says what
would happen.

  --input JSON|-          fields in the place of the sample's, as a hook reads them: {"tool_name":"Write","tool_input":{…}};
                          - reads them from standard input
  --json                  for programs
  --settings FILE|JSON    settings beside the usual files
  --setting-sources LIST  which of user, project, local are read
  --trust                 hooks of this folder's own settings run, too

Examples:
  deft hooks list
  deft hooks test PreToolUse --input '{"tool_name":"Bash","tool_input":{"command":"rm -rf build"}}'

Exit code: 0; 1 if a hook failed or cannot be used; 2 unusable arguments.
)";

struct Options {
  std::optional<HookEvent> event = std::nullopt;  // nothing: list
  std::optional<std::string> input = std::nullopt;
  bool json = false;
  SettingsRequest settings = {};
};

std::string event_names() {
  std::string names;
  for (const HookEvent event : all_hook_events()) names += (names.empty() ? "" : ", ") + std::string(to_string(event));
  return names;
}

Result<Options> parse(int argc, const char* const* argv) {
  Options options;
  std::error_code ec;
  options.settings.directory = std::filesystem::current_path(ec).string();
  const std::string_view action = argc > 1 ? argv[1] : "";
  int next = 2;
  if (action == "test") {
    options.event = parse_hook_event(argc > 2 ? argv[2] : "");
    if (!options.event) return fail(Errc::invalid_input, "the event must be one of " + event_names());
    next = 3;
  } else if (action != "list") {
    return fail(Errc::invalid_input, "say list or test");
  }
  for (int i = next; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--json") {
      options.json = true;
    } else if (word == "--trust") {
      options.settings.trust = true;
    } else if (word == "--input" && has_value && options.event) {
      options.input = argv[++i];
    } else if (word == "--settings" && has_value) {
      options.settings.given = argv[++i];
    } else if (word == "--setting-sources" && has_value) {
      const auto wanted = parse_wanted_sources(argv[++i]);
      if (!wanted) return fail(wanted.error().code, "--setting-sources " + wanted.error().message);
      options.settings.wanted = *wanted;
    } else {
      return fail(Errc::invalid_input, "unknown or incomplete option " + std::string(word));
    }
  }
  return options;
}

Result<Json> read_fields(const std::string& given) {
  std::string text = given;
  if (given == "-") {
    text.clear();
    char buffer[65536];
    for (ssize_t count = 0; (count = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(count));
      if (text.size() > kSampleBytesMax) return fail(Errc::limit, "--input: more than 64 MB");
    }
  }
  auto json = parse_json(text);
  if (!json) return fail(Errc::invalid_input, "--input: " + json.error().message);
  return json;
}

// Hooks that would run if the folder were trusted.
std::size_t untrusted_hooks(const SessionSettings& session) {
  if (session.trusted) return 0;
  const auto count = [](const HookConfig& config) {
    std::size_t hooks = 0;
    for (const auto& of_event : config.by_event) hooks += of_event.size();
    return hooks;
  };
  const std::size_t all = count(merge_hooks(session.files, true));
  return all - std::min(all, count(session.merged.hooks));
}

int list(const Options& options, const SessionSettings& session) {
  const HookConfig& hooks = session.merged.hooks;
  const std::size_t untrusted = untrusted_hooks(session);
  if (options.json) {
    JsonArray problems;
    for (const std::string& problem : hooks.problems) problems.emplace_back(problem);
    std::printf(
        "%s\n",
        to_json(JsonObject{{"hooks", hooks_json(hooks)}, {"untrusted", untrusted}, {"problems", std::move(problems)}})
            .c_str());
  } else {
    std::fputs(hooks.empty() ? "no hooks\n" : hooks_text(hooks).c_str(), stdout);
    if (untrusted > 0) {
      std::printf("%zu more in this folder's settings do not run: it is not trusted (deft trust)\n", untrusted);
    }
    for (const std::string& problem : hooks.problems) std::printf("problem: %s\n", safe_display(problem).c_str());
  }
  return hooks.problems.empty() ? 0 : 1;
}

Result<int> test(const Options& options, const SessionSettings& session) {
  const HookScene scene{.directory = options.settings.directory, .mode = session.merged.permissions.mode};
  HookSample sample = sample_of(*options.event, scene);
  if (options.input) {
    const auto fields = read_fields(*options.input);
    if (!fields) return std::unexpected(fields.error());
    auto given = sample_of(*options.event, scene, *fields);
    if (!given) return std::unexpected(given.error());
    sample = std::move(*given);
  }
  std::error_code ec;
  const auto folder = TemporarySession::make(std::filesystem::temp_directory_path(ec).string());
  if (!folder) return std::unexpected(folder.error());
  HookSetup hooks(session.merged.hooks, options.settings.directory);
  hooks.begin_session("deft-hooks-test", folder->path());
  const HookOutcome outcome = hooks.runner().run(sample.moment, {});
  const std::string shown =
      options.json ? to_json(trial_json(sample.moment, outcome)) + "\n" : trial_text(sample.moment, outcome);
  std::fputs(shown.c_str(), stdout);
  const std::size_t untrusted = untrusted_hooks(session);
  if (untrusted > 0 && !options.json) {
    std::printf("Hooks of this folder's own settings did not run: it is not trusted (deft trust, or --trust).\n");
  }
  const bool has_failed = std::ranges::any_of(
      outcome.reports, [](const HookReport& report) { return report.end == HookReport::End::failed; });
  return has_failed ? 1 : 0;
}

int complain(std::string_view what) {
  std::fprintf(stderr, "deft hooks: %.*s; see deft hooks --help\n", static_cast<int>(what.size()), what.data());
  return 2;
}

}  // namespace

int run_hooks_command(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return std::fputs(kHelp, stdout), 0;
  }
  const auto options = parse(argc, argv);
  if (!options) return complain(options.error().message);
  const auto session = load_session_settings(options->settings);
  if (!session) return complain(session.error().message);
  if (!options->event) return list(*options, *session);
  const auto tested = test(*options, *session);
  return tested ? *tested : complain(tested.error().message);
}

}  // namespace deft
