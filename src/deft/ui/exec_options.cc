#include "deft/ui/exec_options.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "deft/ui/bypass.h"
#include "deft/ui/settings_store.h"

namespace deft {
namespace {

constexpr std::string_view kIntroduction =
    R"(Runs the tool calls of a model's message and answers each, in order. Needs no model.

Usage: deft exec [OPTIONS]
)";

constexpr Flag kSessionFlags[] = {
    {.names = "--cwd",
     .takes = Flag::Takes::value,
     .value = "DIR",
     .help = "Work there instead of here.",
     .group = "Where calls work, and what they may"},
    {.names = "--add-dir",
     .takes = Flag::Takes::value,
     .value = "DIR",
     .help = "A further directory that tools may work in; may be repeated."},
    {.names = "--settings",
     .takes = Flag::Takes::value,
     .value = "FILE|JSON",
     .help = "Settings: a file, or JSON itself."},
    {.names = "--setting-sources",
     .takes = Flag::Takes::value,
     .value = "LIST",
     .help = "Which settings files are read: user, project, local, with commas."},
    {.names = "--trust", .help = "Trust the working directory for this run: what its own settings allow counts."},
    {.names = "--permission-mode",
     .takes = Flag::Takes::value,
     .value = "MODE",
     .help = "default, acceptEdits, plan, auto, dontAsk or bypassPermissions."},
    {.names = "--max-concurrency",
     .takes = Flag::Takes::value,
     .value = "N",
     .help = "How many calls may work at once (default 10, or DEFT_MAX_TOOL_CONCURRENCY)."},
    {.names = "--session",
     .takes = Flag::Takes::value,
     .value = "DIR",
     .help = "Keep the journal and large results there, instead of in a temporary folder."},
    {.names = "--mcp-config",
     .takes = Flag::Takes::value,
     .value = "FILE|JSON",
     .help = "MCP servers for this run: a file like .mcp.json, or JSON itself; may be repeated."},
    {.names = "--strict-mcp-config", .help = "No other MCP servers than those."},
};

constexpr Flag kOwnFlags[] = {
    {.names = "--ask",
     .takes = Flag::Takes::value,
     .value = "host|terminal",
     .help = "Who answers questions; without it they are denied. host: they go out as permission_request lines. "
             "terminal: the person at the terminal.",
     .group = "What comes out"},
    {.names = "--events", .help = "Also print stages, states and other events."},
    {.names = "--dry-run", .help = "Run nothing; print each assembled message."},
    {.names = "-h, --help", .help = "This text."},
};

std::vector<Flag> all_flags() {
  std::vector<Flag> flags(std::begin(kSessionFlags), std::end(kSessionFlags));
  flags.insert(flags.end(), std::begin(kOwnFlags), std::end(kOwnFlags));
  return flags;
}

constexpr std::string_view kMore = R"(
Input, on standard input, as it arrives:
  {"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a.txt"}}   a call
  an assistant message with tool_use blocks                                   several calls, one message
  {"type":"end"} {"type":"interrupt"} {"type":"abort"} {"type":"discard"}     control
  {"type":"tools","tools":[{"name","description","input_schema"}]}            tools of your own
  {"type":"permission","id":"perm_1","decision":"allow"}                      an answer (--ask host)
  {"type":"call_result","tool_use_id":"t2","content":"..."}                   the result of your own tool
  or a raw stream of Anthropic Messages, OpenAI chat completions or OpenAI Responses.
Output: one JSON object per line: progress, tool_result in the order of the calls, and a last "done".

Examples:
  echo '{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"README.md"}}' | deft exec
  deft exec --permission-mode acceptEdits --events < calls.jsonl
  curl -sN ... | deft exec --settings '{"permissions":{"allow":["Bash"]}}'
  deft exec --dry-run < recorded.sse

Exit code: 0 every call was answered (also with errors), 1 the answers could not be written, 2 unusable arguments,
130 aborted.
docs/exec.md describes every line.
)";

Result<std::string> canonical_directory(const std::string& path, std::string_view option) {
  std::error_code ec;
  const auto canonical = std::filesystem::canonical(path, ec);
  if (ec || !std::filesystem::is_directory(canonical, ec)) {
    return fail(Errc::not_found, std::string(option) + ": " + path + " is not a directory");
  }
  return canonical.string();
}

Result<std::size_t> slots_from(const std::string& option) {
  if (!option.empty()) return parse_concurrency(option, "--max-concurrency");
  for (const char* name : {"DEFT_MAX_TOOL_CONCURRENCY", "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"}) {
    if (const char* value = std::getenv(name)) return parse_concurrency(value, name);
  }
  return kSlotsDefault;
}

Result<Asking> asking_from(const std::string& who) {
  if (who == "host") return Asking::frontend;
  if (who == "terminal") return Asking::person;
  if (who.empty()) return Asking::nobody;
  return fail(Errc::invalid_input, "--ask must be host or terminal, not " + json_quote(who));
}

}  // namespace

std::span<const Flag> session_flags() { return kSessionFlags; }

Result<ExecOptions> session_options(const FlagValues& flags) {
  const auto value = [&](std::string_view name) { return flags.value(name).value_or(""); };
  ExecOptions options;
  auto directory = canonical_directory(flags.value("--cwd").value_or("."), "--cwd");
  if (!directory) return std::unexpected(directory.error());
  options.working_directory = std::move(*directory);
  SettingsRequest request{
      .directory = options.working_directory, .given = value("--settings"), .trust = flags.has("--trust")};
  if (const auto sources = flags.value("--setting-sources")) {
    const auto wanted = parse_wanted_sources(*sources);
    if (!wanted) return fail(wanted.error().code, "--setting-sources " + wanted.error().message);
    request.wanted = *wanted;
  }
  options.settings_request = request;
  options.settings_signature = settings_signature(request);
  auto session = load_session_settings(request);
  if (!session) return std::unexpected(session.error());
  options.settings = std::move(session->merged.settings);
  options.permissions = std::move(session->merged.permissions);
  options.hooks = std::move(session->merged.hooks);
  options.notices = std::move(session->merged.problems);
  options.settings_files = std::move(session->files);
  options.mcp = {
      .configs = flags.all("--mcp-config"), .strict = flags.has("--strict-mcp-config"), .wanted = request.wanted};
  for (const std::string& path : std::exchange(options.permissions.directories, {})) {
    auto added = canonical_directory(path, "additionalDirectories");
    if (added) {
      options.directories.push_back(std::move(*added));
    } else {
      options.notices.push_back(added.error().message);  // settings are shared; not every machine has every folder
    }
  }
  for (const std::string& path : flags.all("--add-dir")) {
    auto added = canonical_directory(path, "--add-dir");
    if (!added) return std::unexpected(added.error());
    options.directories.push_back(std::move(*added));
  }
  const std::string wanted_mode = value("--permission-mode");
  if (!wanted_mode.empty()) {
    const auto mode = parse_mode(wanted_mode);
    if (!mode) {
      return fail(Errc::invalid_input,
                  "--permission-mode must be default, acceptEdits, plan, auto, dontAsk or "
                  "bypassPermissions, not " +
                      json_quote(wanted_mode));
    }
    options.permissions.mode = *mode;
  }
  const auto bypass = check_bypass(options.permissions, bypass_ground(!wanted_mode.empty()));
  if (!bypass) return std::unexpected(bypass.error());
  if (*bypass) options.notices.push_back(**bypass);
  const auto slots = slots_from(value("--max-concurrency"));
  if (!slots) return std::unexpected(slots.error());
  options.slots = *slots;
  if (const std::string folder = value("--session"); !folder.empty()) {
    options.session_folder = std::filesystem::absolute(folder).lexically_normal().string();
  }
  return options;
}

Result<std::variant<ExecOptions, ShowText>> parse_exec_options(int argc, const char* const* argv) {
  const std::vector<Flag> table = all_flags();
  const auto flags = parse_flags(table, std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  if (!flags) return fail(flags.error().code, flags.error().message + "; see deft exec --help");
  if (flags->has("--help")) return ShowText{std::string(kIntroduction) + flags_help(table) + std::string(kMore)};
  if (!flags->words().empty()) {
    return fail(Errc::invalid_input, "calls come on standard input, not as arguments such as " +
                                         json_quote(flags->words().front()) + "; see deft exec --help");
  }
  auto options = session_options(*flags);
  if (!options) return std::unexpected(options.error());
  const auto asking = asking_from(flags->value("--ask").value_or(""));
  if (!asking) return std::unexpected(asking.error());
  options->asking = *asking;
  options->all_events = flags->has("--events");
  options->dry_run = flags->has("--dry-run");
  return std::move(*options);
}

}  // namespace deft
