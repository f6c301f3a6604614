#include "deft/ui/exec_options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

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

Result<std::string> read_settings(const std::string& file_or_json) {
  const auto first = file_or_json.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && file_or_json[first] == '{') return file_or_json;
  std::error_code ec;
  if (!std::filesystem::is_regular_file(file_or_json, ec)) {
    return fail(Errc::not_found, "--settings: " + file_or_json + " is neither a file nor a JSON object");
  }
  if (std::filesystem::file_size(file_or_json, ec) > kSettingsBytesMax || ec) {
    return fail(Errc::limit, "--settings: " + file_or_json + " is larger than 2 MiB");
  }
  std::ifstream file(file_or_json, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return fail(Errc::io, "--settings: " + file_or_json + " cannot be read");
  return text.str();
}

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
  std::vector<std::string> add_dirs;
  bool events = false, dry_run = false;
};

Result<ExecOptions> check(const RawOptions& raw) {
  ExecOptions options{.all_events = raw.events, .dry_run = raw.dry_run};
  if (!raw.settings.empty()) {
    auto text = read_settings(raw.settings);
    if (!text) return std::unexpected(text.error());
    auto settings = parse_settings(*text);
    if (!settings) return fail(settings.error().code, "--settings: " + settings.error().message);
    options.settings = std::move(*settings);
  }
  auto directory = canonical_directory(raw.cwd, "--cwd");
  if (!directory) return std::unexpected(directory.error());
  options.working_directory = std::move(*directory);
  std::vector<std::string> more = raw.add_dirs;
  for (const std::string& path : options.settings.additional_directories) {
    more.push_back(std::filesystem::path(options.working_directory) / path);
  }
  for (const std::string& path : more) {
    auto added = canonical_directory(path, "--add-dir");
    if (!added) return std::unexpected(added.error());
    options.directories.push_back(std::move(*added));
  }
  options.mode = options.settings.default_mode.value_or(Mode::normal);
  if (!raw.mode.empty()) {
    const auto mode = parse_mode(raw.mode);
    if (!mode) {
      return fail(Errc::invalid_input,
                  "--permission-mode must be default, acceptEdits, plan, auto, dontAsk or "
                  "bypassPermissions, not " +
                      json_quote(raw.mode));
    }
    options.mode = *mode;
  }
  const auto slots = slots_from(raw.concurrency);
  if (!slots) return std::unexpected(slots.error());
  options.slots = *slots;
  if (!raw.ask.empty() && raw.ask != "host") {
    return fail(Errc::invalid_input, "--ask can only be host, not " + json_quote(raw.ask));
  }
  options.ask_host = raw.ask == "host";
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
  app.add_option("--permission-mode", raw.mode, "default, acceptEdits, plan, auto, dontAsk or bypassPermissions")
      ->type_name("MODE");
  app.add_option("--max-concurrency", raw.concurrency,
                 "How many calls may work at once (default 10, or DEFT_MAX_TOOL_CONCURRENCY)")
      ->type_name("N");
  app.add_option("--session", raw.session, "Keep the journal and large results there, instead of a temporary folder")
      ->type_name("DIR");
  app.add_option("--ask", raw.ask, "host: questions go out as permission_request lines; without it they are denied")
      ->type_name("host");
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
