#include "deft/ui/headless_options.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "deft/base/text.h"
#include "deft/base/whole_file.h"
#include "deft/core/rule.h"
#include "deft/os/uuid.h"
#include "deft/ui/flag_table.h"
#include "deft/ui/headless_flags.h"
#include "deft/ui/version.h"

namespace deft {
namespace {

constexpr std::size_t kPromptFileBytesMax = std::size_t{1} << 20;
constexpr std::size_t kTurnsMax = 1'000'000;
constexpr std::size_t kThinkingTokensMax = 1'000'000;

Result<std::string> canonical_directory(const std::string& path, std::string_view flag) {
  std::error_code ec;
  const auto canonical = std::filesystem::canonical(path, ec);
  if (ec || !std::filesystem::is_directory(canonical, ec)) {
    if (path == ".") return fail(Errc::not_found, "the current folder is gone: go to another, or say --cwd");
    return fail(Errc::not_found, std::string(flag) + ": " + path + " is not a directory");
  }
  return canonical.string();
}

Result<std::string> text_of_file(const std::string& path, std::string_view flag) {
  auto text = read_whole_file(path, kPromptFileBytesMax);
  if (!text) return fail(text.error().code, std::string(flag) + ": " + text.error().message);
  return text;
}

template <class Number>
Result<Number> number_of(const std::string& text, std::string_view flag, Number least, Number most) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= least) || !(number <= most)) {
    return fail(Errc::invalid_input, std::string(flag) + " must be a number" +
                                         (least > Number{} ? " above 0" : " of at least 0") + ", not " +
                                         json_quote(text.substr(0, 60)));
  }
  return number;
}

Result<void> one_of(const FlagValues& flags, std::string_view flag, std::string_view words) {
  const auto given = flags.value(flag);
  if (!given || is_among_words(*given, words)) return {};
  return fail(Errc::invalid_input, std::string(flag) + " must be one of " + std::string(words) + ", not " +
                                       json_quote(given->substr(0, 60)));
}

std::vector<std::string> list_of(const FlagValues& flags, std::string_view flag) {
  std::vector<std::string> entries;
  for (const std::string& given : flags.all(flag)) {
    for (std::string& entry : split_rules(given)) entries.push_back(std::move(entry));
  }
  return entries;
}

// A part of the options each; they stop at the first thing that is wrong.
class Reading {
 public:
  explicit Reading(const FlagValues& flags) : flags_(flags) {}

  Result<HeadlessOptions> read() {
    for (const auto part :
         {&Reading::read_output, &Reading::read_place, &Reading::read_permissions, &Reading::read_model,
          &Reading::read_prompts, &Reading::read_session, &Reading::read_schema, &Reading::read_agents}) {
      if (auto good = (this->*part)(); !good) return std::unexpected(good.error());
    }
    for (const Flag& flag : kIgnoredFlags) {
      const std::string_view name = flag.names.substr(0, flag.names.find(','));
      if (flags_.has(name)) options_.notices.push_back(std::string(name) + " has no effect in deft");
    }
    return std::move(options_);
  }

 private:
  AgentSessionOptions& session() { return options_.session; }
  std::optional<std::string> value(std::string_view flag) const { return flags_.value(flag); }

  Result<void> read_output() {
    if (auto good = one_of(flags_, "--output-format", "text json stream-json"); !good) return good;
    if (auto good = one_of(flags_, "--input-format", "text stream-json"); !good) return good;
    const std::string format = value("--output-format").value_or("text");
    HeadlessOutputOptions& output = options_.output;
    if (format == "json") output.format = OutputFormat::json;
    if (format == "stream-json") output.format = OutputFormat::stream_json;
    output.verbose = flags_.has("--verbose");
    output.partial_messages = flags_.has("--include-partial-messages");
    output.hook_events = flags_.has("--include-hook-events") && output.format == OutputFormat::stream_json;
    if (flags_.has("--include-hook-events") && !output.hook_events) {
      options_.notices.emplace_back("--include-hook-events has no effect without --output-format stream-json");
    }
    output.subagent_texts = flags_.has("--forward-subagent-text");
    const char* const states = std::getenv("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS");
    output.session_states = states && is_among_words(states, "1 true yes on");
    options_.stream_input = value("--input-format") == "stream-json";
    options_.replay_user_messages = flags_.has("--replay-user-messages");
    session().slash_commands = !flags_.has("--disable-slash-commands");
    session().raw_events = output.partial_messages && output.format == OutputFormat::stream_json;
    options_.events_file = value("--events");
    if (options_.stream_input && output.format != OutputFormat::stream_json) {
      return fail(Errc::invalid_input, "--input-format stream-json needs --output-format stream-json");
    }
    if (output.partial_messages && output.format != OutputFormat::stream_json) {
      return fail(Errc::invalid_input, "--include-partial-messages needs --output-format stream-json");
    }
    if (options_.replay_user_messages && !options_.stream_input) {
      return fail(Errc::invalid_input, "--replay-user-messages needs --input-format stream-json");
    }
    return {};
  }

  Result<void> read_place() {
    auto directory = canonical_directory(value("--cwd").value_or("."), "--cwd");
    if (!directory && !value("--cwd")) return fail(Errc::not_found, "the working directory is not there any more");
    if (!directory) return std::unexpected(directory.error());
    session().working_directory = std::move(*directory);
    for (const std::string& path : flags_.all("--add-dir")) {
      auto added = canonical_directory(path, "--add-dir");
      if (!added) return std::unexpected(added.error());
      session().directories.push_back(std::move(*added));
    }
    SettingsRequest& request = session().settings;
    request.directory = session().working_directory;
    request.given = value("--settings").value_or("");
    request.managed = value("--managed-settings").value_or("");
    request.trust = flags_.has("--trust");
    if (const auto sources = value("--setting-sources")) {
      const auto wanted = parse_wanted_sources(*sources);
      if (!wanted) return fail(wanted.error().code, "--setting-sources " + wanted.error().message);
      request.wanted = *wanted;
    }
    for (const std::string& config : flags_.all("--mcp-config")) session().mcp.configs.push_back(config);
    session().mcp.strict = flags_.has("--strict-mcp-config");
    for (const char* name : {"DEFT_MAX_TOOL_CONCURRENCY", "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"}) {
      const char* text = std::getenv(name);
      if (!text) continue;
      const auto slots = parse_concurrency(text, name);
      if (!slots) return std::unexpected(slots.error());
      session().slots = *slots;
      break;
    }
    return {};
  }

  Result<void> read_permissions() {
    session().settings.allowed = list_of(flags_, "--allowedTools");
    session().settings.denied = list_of(flags_, "--disallowedTools");
    if (flags_.has("--tools")) {
      std::vector<std::string> tools = list_of(flags_, "--tools");
      for (std::string& tool : tools) tool = std::string(todays_tool_name(tool));
      if (tools != std::vector<std::string>{"default"}) session().tools = std::move(tools);
    }
    if (const auto word = value("--permission-mode")) {
      const auto mode = parse_mode(*word == "manual" ? "default" : *word);
      if (!mode) {
        return fail(Errc::invalid_input,
                    "--permission-mode must be default, acceptEdits, plan, auto, dontAsk or bypassPermissions, not " +
                        json_quote(word->substr(0, 60)));
      }
      session().mode = *mode;
    }
    const bool skips = flags_.has("--dangerously-skip-permissions");
    if (skips && session().mode && session().mode != Mode::bypass) {
      return fail(Errc::invalid_input, "--dangerously-skip-permissions and --permission-mode contradict each other");
    }
    if (skips) session().mode = Mode::bypass;
    session().bypass_available = skips || flags_.has("--allow-dangerously-skip-permissions");
    return read_asking();
  }

  // Who is asked what nobody has allowed: a host, a tool of an MCP server, or nobody.
  Result<void> read_asking() {
    const auto asked = value("--permission-prompt-tool");
    const bool is_tool = asked && asked->starts_with("mcp__");
    if (asked && *asked != "stdio" && !is_tool) {
      return fail(Errc::invalid_input,
                  "--permission-prompt-tool must be stdio (whoever writes our standard input answers) or a tool of an "
                  "MCP server, mcp__SERVER__TOOL, not " +
                      json_quote(asked->substr(0, 60)));
    }
    if (asked == "stdio" && !options_.stream_input) {
      return fail(Errc::invalid_input, "--permission-prompt-tool stdio needs --input-format stream-json");
    }
    if (auto good = one_of(flags_, "--permission-prompts", "host none"); !good) return good;
    if (!asked || value("--permission-prompts") == "none") return {};
    options_.host_decides = !is_tool;
    session().asking = is_tool ? Asking::person : Asking::frontend;
    if (is_tool) options_.permission_tool = session().hidden_tool = *asked;
    return {};
  }

  Result<void> read_model() {
    ProviderFlags& provider = session().provider;
    provider.model = value("--model").value_or("");
    provider.provider = value("--provider").value_or("");
    provider.base_url = value("--base-url").value_or("");
    provider.script = value("--script").value_or("");
    provider.fallback_models = list_of(flags_, "--fallback-model");
    session().betas = list_of(flags_, "--betas");
    if (auto good = one_of(flags_, "--effort", "low medium high xhigh max"); !good) return good;
    session().effort = value("--effort").value_or("");
    if (const auto turns = value("--max-turns")) {
      const auto number = number_of<std::size_t>(*turns, "--max-turns", 1, kTurnsMax);
      if (!number) return std::unexpected(number.error());
      session().limits.requests_max = *number;
    }
    if (const auto dollars = value("--max-budget-usd")) {
      const auto number = number_of<double>(*dollars, "--max-budget-usd", 0, 1e9);
      if (!number) return std::unexpected(number.error());
      session().limits.cost_max = *number;
    }
    return read_thinking();
  }

  Result<void> read_thinking() {
    if (auto good = one_of(flags_, "--thinking", "adaptive enabled disabled"); !good) return good;
    if (auto good = one_of(flags_, "--thinking-display", "summarized omitted"); !good) return good;
    std::optional<JsonObject> thinking;
    if (const auto word = value("--thinking"))
      thinking = JsonObject{{"type", *word == "disabled" ? "disabled" : "adaptive"}};
    if (const auto tokens = value("--max-thinking-tokens")) {
      const auto number = number_of<std::size_t>(*tokens, "--max-thinking-tokens", 0, kThinkingTokensMax);
      if (!number) return std::unexpected(number.error());
      thinking = thinking_with_budget(*number);
    }
    session().thinking_display = value("--thinking-display").value_or("");
    if (thinking) session().thinking = Json(std::move(*thinking));
    return {};
  }

  Result<std::optional<std::string>> text_or_file(std::string_view flag, std::string_view file_flag) const {
    const auto text = value(flag);
    const auto file = value(file_flag);
    if (text && file) {
      return fail(Errc::invalid_input, "give " + std::string(flag) + " or " + std::string(file_flag) + ", not both");
    }
    if (!file) return text;
    auto read = text_of_file(*file, file_flag);
    if (!read) return std::unexpected(read.error());
    return std::move(*read);
  }

  Result<void> read_prompts() {
    const auto instead = text_or_file("--system-prompt", "--system-prompt-file");
    if (!instead) return std::unexpected(instead.error());
    // SDKs say "" when they have nothing to say.
    if (*instead) session().system_prompt = **instead;
    const auto appended = text_or_file("--append-system-prompt", "--append-system-prompt-file");
    if (!appended) return std::unexpected(appended.error());
    session().appended_system_prompt = appended->value_or("");
    // SDKs write a flag that they have no value for as the flag and "".
    std::vector<std::string> words = flags_.words();
    if (options_.stream_input) std::erase(words, "");
    if (words.size() > 1) {
      return fail(Errc::invalid_input,
                  "there are " + std::to_string(words.size()) + " prompts: put the whole prompt into quotes");
    }
    if (!words.empty()) {
      options_.prompt = words.front();
    } else {
      name_list_that_ends();
    }
    if (options_.prompt && options_.stream_input) {
      return fail(Errc::invalid_input, "with --input-format stream-json, prompts come on standard input");
    }
    return {};
  }

  // A list goes on to the next flag: a prompt behind it is taken for one more entry.
  void name_list_that_ends() {
    for (const Flag& flag : kHeadlessFlags) {
      const std::string_view name = flag.names.substr(0, flag.names.find(','));
      if (flag.takes == Flag::Takes::list && flags_.has(name)) options_.list_before_prompt = name;
    }
  }

  Result<void> read_session() {
    SessionChoice choice{.directory = session().working_directory,
                         .resume = value("--resume"),
                         .go_on = flags_.has("--continue"),
                         .fork = flags_.has("--fork-session"),
                         .session_id = value("--session-id")};
    if (flags_.has("--resume") && !choice.resume) {
      return fail(Errc::invalid_input,
                  "--resume needs a session: its id or its title; `deft sessions list` shows them");
    }
    if (choice.session_id && !is_uuid(*choice.session_id)) {
      return fail(Errc::invalid_input,
                  "--session-id must be a UUID, not " + json_quote(choice.session_id->substr(0, 60)));
    }
    session().resume_at = {.at = value("--resume-session-at").value_or(""),
                           .drops_turn = value("--resume-drops-turn").value_or("")};
    if (flags_.has("--resume-session-at") && !choice.resume && !choice.go_on) {
      return fail(Errc::invalid_input, "--resume-session-at needs --resume or --continue");
    }
    if (flags_.has("--resume-drops-turn") && session().resume_at.at.empty()) {
      return fail(Errc::invalid_input, "--resume-drops-turn needs --resume-session-at");
    }
    session().title = value("--name");
    const bool keeps = !flags_.has("--no-session-persistence");
    if (!keeps && (choice.resume || choice.go_on || choice.fork)) {
      return fail(Errc::invalid_input, "--no-session-persistence is for a new session");
    }
    if (keeps) {
      session().choice = std::move(choice);
    } else {
      session().unkept_id = std::move(choice.session_id);
    }
    return {};
  }

  Result<void> read_schema() {
    const auto given = value("--json-schema");
    if (!given) return {};
    auto schema = parse_json(*given);
    if (!schema) return fail(Errc::invalid_input, "--json-schema is no JSON: " + schema.error().message);
    session().output_schema = std::move(*schema);
    return {};
  }

  Result<void> read_agents() {
    session().agent = value("--agent");
    session().subagent_appended_prompt = value("--append-subagent-system-prompt").value_or("");
    const auto given = value("--agents");
    if (!given) return {};
    auto agents = parse_json(*given);
    if (!agents) return fail(Errc::invalid_input, "--agents is no JSON: " + agents.error().message);
    session().agents = std::move(*agents);
    return {};
  }

  const FlagValues& flags_;
  HeadlessOptions options_;
};

}  // namespace

Result<std::variant<HeadlessOptions, ShowText>> parse_headless_options(std::span<const char* const> arguments) {
  std::vector<Flag> table(std::begin(kHeadlessFlags), std::end(kHeadlessFlags));
  table.insert(table.end(), std::begin(kIgnoredFlags), std::end(kIgnoredFlags));
  for (const RefusedFlag& refused : kRefusedFlags) table.push_back(refused.flag);
  auto flags = parse_flags(table, arguments);
  if (!flags) return fail(flags.error().code, flags.error().message + "; see deft -p --help");
  for (const auto& [flag, instead] : kRefusedFlags) {
    const std::string name(flag.names.substr(0, flag.names.find(',')));
    if (flags->has(name)) return fail(Errc::unsupported, "deft has no " + name + ": " + std::string(instead));
  }
  if (flags->has("--help")) return ShowText{headless_help()};
  if (flags->has("--version")) return ShowText{version_text() + "\n"};
  auto options = Reading(*flags).read();
  if (!options) return std::unexpected(options.error());
  const bool prints = flags->has("--print") || options->stream_input;
  if (!prints) {
    return fail(Errc::invalid_input,
                "say what to do with -p: deft -p \"Why does the build fail?\"; see deft --help for what else there is");
  }
  return std::move(*options);
}

}  // namespace deft
