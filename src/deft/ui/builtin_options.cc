#include "deft/ui/builtin_options.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "deft/agent/session_store.h"
#include "deft/base/path.h"
#include "deft/lsp/lsp_tool.h"
#include "deft/os/capabilities.h"
#include "deft/os/curl_http_client.h"
#include "deft/os/secret_variables.h"
#include "deft/tools/apply_patch.h"
#include "deft/tools/powershell.h"
#include "deft/tools/shell_environment.h"

namespace deft {
namespace {

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;
constexpr std::int64_t kOutputCharactersFromEnvironmentMax = 150'000;
constexpr std::int64_t kPatienceMsMax = std::int64_t{1000} * 3600 * 24 * 365;

// Generous: they are there for the command that has gone mad, not for the one that needs much. Memory has no limit of
// its own: address sanitizers and virtual machines reserve more than any machine has.
constexpr std::uint64_t kProcessesDefault = 32'768;
constexpr std::uint64_t kFileMegabytesDefault = 256 << 10;
constexpr std::uint64_t kOpenFilesDefault = 65'536;
// Commands at once, of all deft processes: most of them wait for something most of the time.
constexpr std::size_t kCommandsPerProcessor = 16;
constexpr std::size_t kCommandsAtOnceMin = 64;

std::optional<std::int64_t> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  if (!text) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto [stopped, error] = std::from_chars(text, end, number);
  if (error != std::errc{} || stopped != end || number <= 0) return std::nullopt;
  return number;
}

// 0 in the settings: none.
std::optional<std::uint64_t> limit(std::optional<std::uint64_t> from_settings, std::optional<std::uint64_t> otherwise) {
  if (!from_settings) return otherwise;
  return *from_settings == 0 ? std::nullopt : from_settings;
}

std::optional<std::uint64_t> in_bytes(std::optional<std::uint64_t> megabytes) {
  if (megabytes) *megabytes *= kMegabyte;
  return megabytes;
}

UseProfile use_profile(ShellSettings::Profile profile) {
  switch (profile) {
    case ShellSettings::Profile::always: return UseProfile::always;
    case ShellSettings::Profile::never: return UseProfile::never;
    case ShellSettings::Profile::if_needed: break;
  }
  return UseProfile::if_needed;
}

bool offers_apply_patch(ToolSettings::EditTool edit_tool, std::string_view model) {
  switch (edit_tool) {
    case ToolSettings::EditTool::edit: return false;
    case ToolSettings::EditTool::apply_patch: return true;
    case ToolSettings::EditTool::by_model: break;
  }
  return is_trained_on_patches(model);
}

// Beside the sessions; of this machine, whoever else sees that folder.
std::string slots_file() {
  const std::string sessions = SessionStore::default_folder();
  char host[256] = {};
  if (sessions.empty() || ::gethostname(host, sizeof host - 1) != 0) return {};
  return std::string(parent_path(sessions)) + "/commands-" + safe_file_name(host) + ".lock";
}

}  // namespace

std::shared_ptr<const CommandSlots> command_slots(const ShellSettings& shell) {
  const std::size_t usual = std::max(kCommandsAtOnceMin, kCommandsPerProcessor * std::thread::hardware_concurrency());
  return std::make_shared<const CommandSlots>(
      CommandSlots::Options{.file = slots_file(),
                            .most = static_cast<std::size_t>(shell.commands_at_once.value_or(usual)),
                            .is_within_one = std::getenv(std::string(kWithinCommand).c_str()) != nullptr});
}

WorktreeOptions worktree_options(const Settings& settings) {
  return {.symlinked_directories = settings.worktree.symlink_directories,
          .sparse_paths = settings.worktree.sparse_paths,
          .from_remote = settings.worktree.from_remote,
          .environment = ShellEnvironment::own()};
}

BuiltinOptions builtin_options(const Settings& settings, std::string_view model) {
  const ShellSettings& shell = settings.shell;
  const bool can_restrict = can_run_read_only();
  BashOptions bash{.read_only_calls = can_restrict || shell.read_only_without_sandbox,
                   .sandbox = can_restrict,
                   .limits = {.memory_bytes = in_bytes(limit(shell.memory_mb, std::nullopt)),
                              .processes = limit(shell.processes, kProcessesDefault),
                              .file_bytes = in_bytes(limit(shell.file_mb, kFileMegabytesDefault)),
                              .open_files = limit(shell.open_files, kOpenFilesDefault)},
                   .daemons = shell.daemons,
                   .profile = use_profile(shell.profile)};
  bash.slots = command_slots(shell);
  bash.timeout_ms_max = number_in_environment("BASH_MAX_TIMEOUT_MS").value_or(bash.timeout_ms_max);
  bash.timeout_ms_default = number_in_environment("BASH_DEFAULT_TIMEOUT_MS").value_or(bash.timeout_ms_default);
  bash.timeout_ms_default = std::min(bash.timeout_ms_default, bash.timeout_ms_max);
  BuiltinOptions options{.bash = std::move(bash)};
  // Costs nothing before the first transfer.
  const HttpNetwork network = http_network(ShellEnvironment::own());
  options.web.http = std::make_shared<CurlHttpClient>(network);
  options.web.open_socket = [network](const WebSocketPlace& place, std::stop_token stop) {
    return open_web_socket(place, network, std::move(stop));
  };
  options.web.private_hosts = settings.web.private_hosts;
  options.web_search = {.provider = settings.web.search_provider, .url = settings.web.search_url};
  if (const char* key = std::getenv("BRAVE_API_KEY"); key && options.web_search.provider == "brave") {
    options.web_search.key = key;
  }
  options.worktree.git = worktree_options(settings);
  for (const RemoteTarget& target : settings.tools.remote_targets) {
    const char* token = target.token_variable.empty() ? nullptr : std::getenv(target.token_variable.c_str());
    options.remote_targets.push_back(
        {.host = target.host, .variable = target.token_variable, .token = token ? token : ""});
    if (!target.token_variable.empty()) count_as_secret(target.token_variable);
  }
  if (const auto calls = settings.tools.advisor_calls_max) {
    options.advisor.calls_max = static_cast<std::size_t>(*calls);
  }
  if (const auto tokens = settings.tools.advisor_tokens_max) {
    options.advisor.tokens_max = static_cast<std::uint64_t>(*tokens);
  }
  options.others = [of_lsp = settings.lsp, profile = options.bash.profile, can_restrict] {
    auto servers = std::make_shared<lsp::LanguageServers>(
        lsp::LanguageServersOptions{.settings = of_lsp, .profile = profile, .can_restrict = can_restrict});
    return OtherTools{.tools = {lsp::make_lsp_tool(servers, of_lsp.enabled)}, .observer = servers};
  };
  if (const char* path = std::getenv("PATH")) options.powershell = find_powershell(path).value_or("");
  options.apply_patch = offers_apply_patch(settings.tools.edit_tool, model);
  return options;
}

Duration background_patience() {
  constexpr Duration kUsual = std::chrono::minutes(10);
  for (const char* name : {"DEFT_PRINT_BG_WAIT_CEILING_MS", "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS"}) {
    const auto ms = number_in_environment(name);
    if (ms && *ms <= kPatienceMsMax) return std::chrono::milliseconds(*ms);
  }
  return kUsual;
}

ResultOptions result_options(const Settings& settings) {
  const ResultSettings& given = settings.results;
  ResultOptions options{.limits = given.limits, .refers_to_earlier = given.refers_to_earlier};
  if (given.file_mb) options.quota.file_bytes_max = *given.file_mb * kMegabyte;
  if (given.session_mb) options.quota.folder_bytes_max = *given.session_mb * kMegabyte;
  if (given.disk_free_mb) options.quota.free_bytes_min = *given.disk_free_mb * kMegabyte;

  auto shell_max = settings.shell.output_characters_max;
  const auto from_environment = number_in_environment("BASH_MAX_OUTPUT_LENGTH");
  if (!shell_max && from_environment) shell_max = std::min(*from_environment, kOutputCharactersFromEnvironmentMax);
  for (const char* shell : {"Bash", "PowerShell"}) {
    auto& limit = options.limits.tools[shell].characters_max;
    if (shell_max && !limit) limit = static_cast<std::size_t>(*shell_max);
  }
  return options;
}

}  // namespace deft
