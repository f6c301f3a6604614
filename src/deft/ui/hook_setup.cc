#include "deft/ui/hook_setup.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "deft/base/path.h"
#include "deft/os/disk_files.h"

namespace deft {
namespace {

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  return variables;
}

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? home : "";
}

std::optional<std::string> canonical(const std::string& path) {
  auto found = DiskFiles().canonical(path);
  if (!found) return std::nullopt;
  return std::move(*found);
}

// CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS, also with our own name.
HookConfig with_budget(HookConfig config) {
  for (const char* name : {"DEFT_SESSIONEND_HOOKS_TIMEOUT_MS", "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"}) {
    const char* text = std::getenv(name);
    char* end = nullptr;
    const long milliseconds = text ? std::strtol(text, &end, 10) : 0;
    if (milliseconds <= 0 || *end != '\0') continue;
    config.session_end_budget = std::chrono::milliseconds(milliseconds);
    break;
  }
  return config;
}

}  // namespace

HookSetup::HookSetup(HookConfig config, std::string project, HookServices services)
    : HookSetup(std::move(config), std::move(project), std::move(services), own_environment()) {}

HookSetup::HookSetup(HookConfig config, std::string project, HookServices services,
                     std::vector<std::string> environment)
    : project_(std::move(project)),
      http_(http_network(environment)),
      runner_({.processes = processes_,
               .clock = clock_,
               .http = &http_,
               .services = std::move(services),
               .environment = std::move(environment),
               .home = home_folder(),
               .resolve = canonical},
              with_budget(std::move(config))) {}

void HookSetup::begin_session(const std::string& id, const std::string& folder) {
  runner_.begin_session(
      {.id = id, .transcript_path = folder + "/journal.jsonl", .folder = folder, .project = project_});
}

void HookSetup::use(HookConfig config) { runner_.use(with_budget(std::move(config))); }

}  // namespace deft
