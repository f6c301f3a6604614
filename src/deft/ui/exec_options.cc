#include "deft/ui/exec_options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "deft/ui/bypass.h"
#include "deft/ui/settings_store.h"

namespace deft {
namespace {

constexpr const char* kFooter = R"(
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

Exit code: 0 every call was answered (also with errors), 2 unusable arguments, 130 aborted.
docs/exec.md describes every line.)";

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

struct RawOptions {
  std::string cwd = ".", settings, mode, concurrency, session, ask;
  std::optional<std::string> sources;
  std::vector<std::string> add_dirs, mcp_configs;
  bool events = false, dry_run = false, trust = false, strict_mcp = false;
};

Result<ExecOptions> check(const RawOptions& raw) {
  ExecOptions options{.all_events = raw.events, .dry_run = raw.dry_run};
  auto directory = canonical_directory(raw.cwd, "--cwd");
  if (!directory) return std::unexpected(directory.error());
  options.working_directory = std::move(*directory);
  SettingsRequest request{.directory = options.working_directory, .given = raw.settings, .trust = raw.trust};
  if (raw.sources) {
    const auto wanted = parse_wanted_sources(*raw.sources);
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
  options.mcp = {.configs = raw.mcp_configs, .strict = raw.strict_mcp, .wanted = request.wanted};
  for (const std::string& path : std::exchange(options.permissions.directories, {})) {
    auto added = canonical_directory(path, "additionalDirectories");
    if (added) {
      options.directories.push_back(std::move(*added));
    } else {
      options.notices.push_back(added.error().message);  // settings are shared; not every machine has every folder
    }
  }
  for (const std::string& path : raw.add_dirs) {
    auto added = canonical_directory(path, "--add-dir");
    if (!added) return std::unexpected(added.error());
    options.directories.push_back(std::move(*added));
  }
  if (!raw.mode.empty()) {
    const auto mode = parse_mode(raw.mode);
    if (!mode) {
      return fail(Errc::invalid_input,
                  "--permission-mode must be default, acceptEdits, plan, auto, dontAsk or "
                  "bypassPermissions, not " +
                      json_quote(raw.mode));
    }
    options.permissions.mode = *mode;
  }
  const auto bypass = check_bypass(options.permissions, bypass_ground(!raw.mode.empty()));
  if (!bypass) return std::unexpected(bypass.error());
  if (*bypass) options.notices.push_back(**bypass);
  const auto slots = slots_from(raw.concurrency);
  if (!slots) return std::unexpected(slots.error());
  options.slots = *slots;
  if (raw.ask == "host") {
    options.asking = Asking::frontend;
  } else if (raw.ask == "terminal") {
    options.asking = Asking::person;
  } else if (!raw.ask.empty()) {
    return fail(Errc::invalid_input, "--ask must be host or terminal, not " + json_quote(raw.ask));
  }
  if (!raw.session.empty()) options.session_folder = std::filesystem::absolute(raw.session).lexically_normal().string();
  return options;
}

}  // namespace

Result<std::variant<ExecOptions, ShowText>> parse_exec_options(int argc, const char* const* argv) {
  RawOptions raw;
  CLI::App app("Runs the tool calls of a model's message and answers each, in order. Needs no model.", "deft exec");
  app.footer(kFooter);
  app.add_option("--cwd", raw.cwd, "Working directory")->type_name("DIR");
  app.add_option("--add-dir", raw.add_dirs, "A further directory that tools may work in; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--settings", raw.settings, "Settings: a file, or JSON itself")->type_name("FILE|JSON");
  app.add_option("--setting-sources", raw.sources, "Which settings files are read: user, project, local, with commas")
      ->type_name("LIST");
  app.add_flag("--trust", raw.trust, "Trust the working directory for this run: what its own settings allow counts");
  app.add_option("--permission-mode", raw.mode, "default, acceptEdits, plan, auto, dontAsk or bypassPermissions")
      ->type_name("MODE");
  app.add_option("--max-concurrency", raw.concurrency,
                 "How many calls may work at once (default 10, or DEFT_MAX_TOOL_CONCURRENCY)")
      ->type_name("N");
  app.add_option("--session", raw.session, "Keep the journal and large results there, instead of a temporary folder")
      ->type_name("DIR");
  app.add_option("--ask", raw.ask,
                 "Who answers questions; without it they are denied. host: they go out as permission_request lines. "
                 "terminal: the person at the terminal")
      ->type_name("host|terminal");
  app.add_option("--mcp-config", raw.mcp_configs,
                 "MCP servers for this run: a file like .mcp.json, or JSON itself; may be repeated")
      ->type_name("FILE|JSON")
      ->allow_extra_args(false);
  app.add_flag("--strict-mcp-config", raw.strict_mcp, "No other MCP servers than those");
  app.add_flag("--events", raw.events, "Also print stages, states and other events");
  app.add_flag("--dry-run", raw.dry_run, "Run nothing; print each assembled message");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return ShowText{app.help()};
  } catch (const CLI::ParseError& error) {
    return fail(Errc::invalid_input, std::string(error.what()) + "; see deft exec --help");
  }
  auto options = check(raw);
  if (!options) return std::unexpected(options.error());
  return std::move(*options);
}

}  // namespace deft
