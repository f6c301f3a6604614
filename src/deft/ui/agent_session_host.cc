#include <algorithm>
#include <utility>

#include "deft/agent/hook_input.h"
#include "deft/base/path.h"
#include "deft/os/disk_files.h"
#include "deft/tools/shell_environment.h"
#include "deft/ui/agent_session.h"

// What a host wants changed in a session that is there already.

namespace deft {

JsonObject thinking_with_budget(std::size_t tokens) {
  if (tokens == 0) return {{"type", "disabled"}};
  return {{"type", "enabled"}, {"budget_tokens", std::max(tokens, kThinkingTokensMin)}};
}

namespace {

void show_thinking(std::optional<Json>& thinking, const std::string& how) {
  if (!thinking || find_string(*thinking, "type") == "disabled") return;  // there is nothing to be shown
  thinking->get_object()["display"] = how;
}

}  // namespace

std::optional<Json> AgentSession::thinking_at_start() const {
  std::optional<Json> thinking = options_.thinking;
  if (!thinking && provider_.thinking_tokens) thinking = Json(thinking_with_budget(*provider_.thinking_tokens));
  if (!thinking && settings_.model.thinking) {
    thinking = Json(JsonObject{{"type", *settings_.model.thinking ? "adaptive" : "disabled"}});
  }
  if (!options_.thinking_display.empty()) show_thinking(thinking, options_.thinking_display);
  return thinking;
}

// What is thought counts as output: there must be room for an answer beside it.
void AgentSession::make_room_for_thinking(AgentOptions& options) {
  const auto budget = options.thinking ? find_int(*options.thinking, "budget_tokens") : std::nullopt;
  if (!budget || static_cast<std::size_t>(*budget) < options.output_tokens_max) return;
  options.output_tokens_max = static_cast<std::size_t>(*budget) + kOutputTokensDefault;
}

HookConfig AgentSession::with_host_hooks(HookConfig config) const {
  add_host_hooks(host_hooks_, config);
  return config;
}

std::vector<std::string> AgentSession::use_host_hooks(const Json& hooks) {
  host_hooks_ = hooks;
  HookConfig config = with_host_hooks(settings_hooks_);
  std::vector<std::string> problems(
      config.problems.begin() + static_cast<std::ptrdiff_t>(settings_hooks_.problems.size()), config.problems.end());
  hooks_->use(std::move(config));
  return problems;
}

void AgentSession::use_system_prompt(std::optional<std::string> instead, std::string appended) {
  options_.system_prompt = std::move(instead);
  options_.appended_system_prompt = std::move(appended);
  agent_->options().system = make_system_prompt();
}

Result<void> AgentSession::use_model(const std::string& name) {
  ProviderFlags flags = options_.provider;
  if (!name.empty() && name != "default") flags.model = name;
  const auto choice = choose_provider(settings_.model, flags, ShellEnvironment::own());
  if (!choice) return std::unexpected(choice.error());
  if (choice->api != provider_.api || choice->base_url != provider_.base_url) {
    return fail(Errc::unsupported, name + " is served elsewhere: begin a session with --model " + name);
  }
  provider_.model = choice->model;
  agent_->options().model = choice->model;
  return {};
}

void AgentSession::use_thinking(std::optional<std::size_t> tokens) {
  AgentOptions& options = agent_->options();
  options.thinking = tokens ? std::optional(Json(thinking_with_budget(*tokens))) : thinking_at_start();
  make_room_for_thinking(options);
}

void AgentSession::use_thinking_display(const std::string& how) { show_thinking(agent_->options().thinking, how); }

Result<void> AgentSession::write_setting(SettingSource destination, std::string_view key, const Json& value) {
  const WantedSources& wanted = options_.settings.wanted;
  const bool is_read = destination == SettingSource::user ? wanted.user : wanted.local;
  if (!is_read) return fail(Errc::denied, "this session does not read those settings (--setting-sources)");
  return store_->write(destination, key, value);
}

Result<std::string> AgentSession::add_directory(const std::string& path) {
  Engine& engine = agent_->engine();
  Files& files = engine.workshop().os().files;
  const auto permissions = engine.permissions();
  const auto canonical = files.canonical(absolute_path(path, options_.working_directory));
  if (!canonical) return std::unexpected(canonical.error());
  const auto status = files.status(*canonical);
  if (!status || status->kind != FileKind::directory) return fail(Errc::not_found, *canonical + " is not a directory");
  const auto& known = engine.session().directories;
  if (std::ranges::find(known, *canonical) != known.end()) {
    return fail(Errc::invalid_input, *canonical + " is one of the session's directories already");
  }
  const auto is_above = [&](const std::string& given) { return is_at_or_below(*canonical, given); };
  if (!is_above(options_.working_directory) && std::ranges::none_of(options_.directories, is_above)) {
    return fail(Errc::denied,
                *canonical + " is not below a directory that the session was given at its start (--add-dir)");
  }
  if (permissions->hides(*canonical)) return fail(Errc::denied, "a rule denies to read " + *canonical);
  engine.executor().add_directory(*canonical);
  const HookMoment moment = directory_added(agent_->hook_scene(), *canonical, "register_repo_root");
  if (hooks_->runner().listens(HookEvent::directory_added)) static_cast<void>(hooks_->runner().run(moment, {}));
  agent_->add_context("<system-reminder>The user has added a working directory: " + *canonical + "</system-reminder>");
  return *canonical;
}

void AgentSession::tell_memory_of(const std::string& directory) {
  for (std::string& text : found_memory_->after_reading(directory + "/CLAUDE.md")) agent_->add_context(std::move(text));
}

void AgentSession::use_server_rules(std::vector<std::string> denied, std::vector<std::string> asked) {
  options_.settings.host_denied = std::move(denied);
  options_.settings.host_asked = std::move(asked);
  store_->use(options_.settings);
}

Result<void> AgentSession::apply_settings(const JsonObject& settings) {
  JsonObject merged;
  const std::string& given = options_.settings.given;
  if (!given.empty()) {
    DiskFiles files;
    const bool is_file =
        given.find_first_not_of(" \t\r\n") == std::string::npos || given[given.find_first_not_of(" \t\r\n")] != '{';
    const auto path = is_file ? files.canonical(given) : Result<std::string>(std::string());
    if (!path) return std::unexpected(path.error());
    const auto text = is_file ? files.read(*path, kSettingsBytesMax) : Result<FileContent>(FileContent{{}, given});
    if (!text) return std::unexpected(text.error());
    const auto before = parse_json(text->bytes, {.bytes_max = kSettingsBytesMax});
    if (!before || !before->is_object()) return fail(Errc::invalid_input, "the settings of the start are no object");
    merged = before->get_object();
  }
  for (const auto& [key, value] : settings) {
    const auto before = merged.find(key);
    if (!value.is_null()) {
      merged[key] = value;
    } else if (before != merged.end()) {
      merged.stable_erase(before);
    }
  }
  SettingsRequest request = options_.settings;
  request.given = to_json(merged);
  auto loaded = load_session_settings(request);
  if (!loaded) return std::unexpected(loaded.error());
  const ModelSettings& model = loaded->merged.settings.model;
  if (const auto found = settings.find("model"); found != settings.end()) {
    if (auto used = use_model(found->value().is_null() ? "" : model.model); !used) return used;
  }
  if (settings.contains("effortLevel")) agent_->options().effort = model.effort;
  options_.settings = std::move(request);
  settings_ = std::move(loaded->merged.settings);
  store_->use(options_.settings);
  return {};
}

}  // namespace deft
