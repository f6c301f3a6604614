#include "deft/tools/git_command.h"

#include <algorithm>
#include <array>

#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/os/environment.h"
#include "deft/os/processes.h"

namespace deft {
namespace {

constexpr std::size_t kErrorBytesMax = std::size_t{64} << 10;
constexpr std::size_t kErrorShownCharactersMax = 1'000;
constexpr std::size_t kFiltersMax = 1'000;

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kAlways = {{
    {"core.hooksPath", "/dev/null"},
    {"core.fsmonitor", "false"},
    {"core.pager", "cat"},
    {"core.editor", "false"},
    {"core.askPass", "false"},
    {"credential.helper", ""},
    {"submodule.recurse", "false"},
    {"gc.auto", "0"},
    {"maintenance.auto", "false"},
    {"color.ui", "false"},
    {"core.quotePath", "false"},
    {"advice.detachedHead", "false"},
}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kForStrangers = {{
    {"core.sshCommand", "false"}, {"protocol.allow", "never"},  // a remote's address can name a program
}};

// Where a repository is, and how it is configured, is ours to say.
std::vector<std::string> without_git_variables(std::vector<std::string> environment) {
  std::erase_if(environment, [](const std::string& variable) { return variable.starts_with("GIT_"); });
  return environment;
}

std::vector<std::string_view> split_zeros(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

void append_bounded(std::string& to, std::string_view more, std::size_t bytes_max) {
  to += more.substr(0, bytes_max - std::min(bytes_max, to.size()));
}

}  // namespace

GitCommand::GitCommand(Os os, std::string directory, bool trusted, std::vector<std::string> environment)
    : os_(os),
      directory_(std::move(directory)),
      filters_are_off_(trusted),
      environment_(without_git_variables(command_environment(environment))) {
  for (const auto& [key, value] : kAlways) settings_.emplace_back(key, value);
  if (trusted) return;
  for (const auto& [key, value] : kForStrangers) settings_.emplace_back(key, value);
}

Result<std::string> GitCommand::run(const std::vector<std::string>& arguments, std::stop_token stop) {
  if (auto off = turn_off_filters(stop); !off) return std::unexpected(off.error());
  return run_with(settings_, arguments, stop);
}

// Filters have names of the repository's own choosing, so git is asked which there are; that runs nothing.
Result<void> GitCommand::turn_off_filters(std::stop_token stop) {
  if (filters_are_off_) return {};
  const auto listed =
      run_with(settings_, {"config", "--list", "--includes", "--show-scope", "--name-only", "-z"}, stop);
  if (!listed) return std::unexpected(listed.error());
  const auto parts = split_zeros(*listed);
  std::vector<std::string> filters;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    const bool is_own = parts[i] == "local" || parts[i] == "worktree";
    if (!is_own || !parts[i + 1].starts_with("filter.")) continue;
    const std::string filter(parts[i + 1].substr(0, parts[i + 1].rfind('.')));
    if (std::ranges::find(filters, filter) == filters.end()) filters.push_back(filter);
  }
  if (filters.size() > kFiltersMax) return fail(Errc::limit, "the repository's configuration has too many filters");
  for (const std::string& filter : filters) {
    for (const char* program : {".clean", ".smudge", ".process"}) settings_.emplace_back(filter + program, "");
    settings_.emplace_back(filter + ".required", "false");
  }
  filters_are_off_ = true;
  return {};
}

Result<std::string> GitCommand::run_with(const std::vector<Setting>& settings,
                                         const std::vector<std::string>& arguments, std::stop_token stop) {
  Command command{.environment = environment_, .directory = directory_, .separate_errors = true};
  command.argv = {"git", "--no-pager"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  auto& environment = command.environment;
  std::erase_if(environment, [](const std::string& variable) {
    return variable.starts_with("LC_ALL=") || variable.starts_with("LANGUAGE=");
  });
  environment.emplace_back("LC_ALL=C.UTF-8");
  environment.emplace_back("GIT_TERMINAL_PROMPT=0");
  environment.push_back("GIT_CONFIG_COUNT=" + std::to_string(settings.size()));
  for (std::size_t i = 0; i < settings.size(); ++i) {
    environment.push_back("GIT_CONFIG_KEY_" + std::to_string(i) + "=" + settings[i].first);
    environment.push_back("GIT_CONFIG_VALUE_" + std::to_string(i) + "=" + settings[i].second);
  }
  std::string output, errors;
  const auto end = os_.processes.run(command,
                                     [&](OutputStream stream, std::string_view bytes) {
                                       stream == OutputStream::output
                                           ? append_bounded(output, bytes, kGitOutputBytesMax)
                                           : append_bounded(errors, bytes, kErrorBytesMax);
                                     },
                                     {.cancel = stop, .deadline = os_.clock.now() + kGitTimeMax});
  const std::string what = "git " + (arguments.empty() ? "" : arguments.front());
  if (!end) return fail(end.error().code, what + " could not be run: " + end.error().message);
  if (end->cause == CommandEnd::Cause::cancel) return fail(Errc::cancelled, what + " was cancelled");
  if (end->cause == CommandEnd::Cause::timeout) return fail(Errc::timeout, what + " took too long");
  if (end->signal != 0 || end->exit_code != 0) {
    return fail(Errc::failed, what + " failed: " + one_line(to_valid_utf8(errors), kErrorShownCharactersMax));
  }
  if (output.size() == kGitOutputBytesMax) return fail(Errc::limit, what + " printed too much");
  return output;
}

}  // namespace deft
