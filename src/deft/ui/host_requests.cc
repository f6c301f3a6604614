#include "deft/ui/host_requests.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "deft/base/secret_mask.h"
#include "deft/base/text.h"
#include "deft/core/mcp_server_word.h"
#include "deft/os/secrecy.h"
#include "deft/ui/version.h"

namespace deft {
namespace {

constexpr std::string_view kDynamicBoundary = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

// Texts that may come as one, or as a list of them.
std::optional<std::string> text_at(const Json& request, std::string_view key) {
  if (const auto text = find_string(request, key)) return std::string(*text);
  const JsonArray* list = find_array(request, key);
  if (!list) return std::nullopt;
  std::string text;
  for (const Json& piece : *list) {
    // Hosts mark so up to where a prompt may be cached for all; it is no part of what they say.
    if (!piece.is_string() || view(piece.get_string()) == kDynamicBoundary) continue;
    if (!text.empty()) text += "\n\n";
    text += view(piece.get_string());
  }
  return text;
}

std::vector<std::string> names_at(const Json& request, std::string_view key) {
  std::vector<std::string> names;
  const JsonArray* list = find_array(request, key);
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    if ((*list)[i].is_string()) names.emplace_back(view((*list)[i].get_string()));
  }
  return names;
}

std::string_view source_word(SettingSource source) {
  switch (source) {
    case SettingSource::managed: return "policySettings";
    case SettingSource::command_line: return "cliArg";
    case SettingSource::session: return "session";
    case SettingSource::local: return "localSettings";
    case SettingSource::project: return "projectSettings";
    case SettingSource::user: return "userSettings";
  }
  return "session";
}

std::string_view editability(SettingSource source) {
  if (source == SettingSource::managed) return "readonly";
  const bool is_kept =
      source == SettingSource::local || source == SettingSource::project || source == SettingSource::user;
  return is_kept ? "persistent" : "session";
}

// Events that other programs have. Hosts listen to them whoever they talk to, which is no reason to warn their users.
constexpr std::string_view kIdleEvents =
    "StopFailure PreModelSwitch PostModelSwitch Setup TeammateIdle Elicitation ElicitationResult InstructionsLoaded "
    "CwdChanged FileChanged MessageDisplay";

Json without_idle_events(const Json& hooks) {
  if (!hooks.is_object()) return hooks;
  JsonObject rest;
  for (const auto& member : hooks.get_object()) {
    if (!is_among_words(member.key(), kIdleEvents)) rest[member.key()] = member.value();
  }
  return rest;
}

// Of `initialize`, what changes what the model is told elsewhere and nothing here. (What would only be shown to people
// beside the work, such as promptSuggestions, is missed by nobody.)
constexpr const char* kIdleFields[] = {"plugins", "toolAliases", "planModeInstructions", "excludeDynamicSections"};

// Of `initialize`, what forbids something, or may: to pass over it would allow that. A command line says it.
constexpr struct {
  const char* field;
  const char* flag;
} kFlagsOnly[] = {
    {"settings", "--settings"}, {"managedSettings", "--managed-settings"}, {"disallowedTools", "--disallowedTools"}};

bool says_something(const Json* value) {
  if (!value || value->is_null()) return false;
  if (value->is_array()) return !value->get_array().empty();
  if (value->is_object()) return !value->get_object().empty();
  return !value->is_bool() || value->get_bool();
}

// What other programs answer, and why deft does not.
constexpr struct {
  std::string_view subtype;
  std::string_view why;
} kRefused[] = {
    {"file_suggestions", "deft completes no paths, and nobody has published what an answer looks like"},
    {"request_user_dialog", "deft shows no dialogs"},
};

}  // namespace

struct HostRequests::Entry {
  std::string_view subtype;
  When when;
  Answer (HostRequests::*answer)(const Json& wanted);
  void (HostRequests::*begin)(const HostRequest& request) = nullptr;  // instead: it waits for somebody else
};

const HostRequests::Entry* HostRequests::find_entry(std::string_view subtype) {
  static constexpr Entry kEntries[] = {
      {"initialize", When::between_turns, &HostRequests::initialize},
      {"set_model", When::in_turn, &HostRequests::set_model},
      {"set_max_thinking_tokens", When::in_turn, &HostRequests::set_thinking},
      {"apply_flag_settings", When::between_turns, &HostRequests::apply_settings},
      {"get_settings", When::in_turn, &HostRequests::get_settings},
      {"update_settings", When::between_turns, &HostRequests::update_settings},
      {"get_hooks_listing", When::in_turn, &HostRequests::hooks_listing},
      {"register_repo_root", When::between_turns, &HostRequests::register_root},
      {"list_permission_rules", When::at_once, &HostRequests::list_rules},
      {"rename_session", When::in_turn, &HostRequests::rename},
      {"get_context_usage", When::in_turn, &HostRequests::context_usage},
      {"get_session_cost", When::in_turn, &HostRequests::session_cost},
      {"get_usage", When::in_turn, &HostRequests::usage},
      {"get_binary_version", When::at_once, &HostRequests::version},
      {"list_models", When::in_turn, &HostRequests::list_models},
      {"reload_skills", When::between_turns, &HostRequests::reload_skills},
      {"reload_plugins", When::between_turns, &HostRequests::reload_plugins},
      {"reload_output_styles", When::at_once, &HostRequests::reload_styles},
      {"set_color", When::at_once, &HostRequests::nothing_to_do},
      {"set_has_subscribers", When::at_once, &HostRequests::nothing_to_do},
      {"rewind_files", When::between_turns, &HostRequests::rewind_files},
      {"read_file", When::at_once, &HostRequests::read_file},
      {"seed_read_state", When::in_turn, &HostRequests::seed_read_state},
      {"stop_task", When::at_once, &HostRequests::stop_task},
      {"background_tasks", When::in_turn, &HostRequests::background_tasks},
      {"get_task_output", When::at_once, &HostRequests::task_output},
      {"mcp_status", When::at_once, &HostRequests::mcp_status},
      {"mcp_set_servers", When::between_turns, &HostRequests::mcp_set_servers},
      {"mcp_reconnect", When::between_turns, &HostRequests::mcp_reconnect},
      {"mcp_toggle", When::between_turns, &HostRequests::mcp_toggle},
      {"mcp_read_resource", When::at_once, nullptr, &HostRequests::mcp_read_resource},
      {"mcp_call", When::in_turn, nullptr, &HostRequests::mcp_call},
      {"mcp_message", When::at_once, &HostRequests::mcp_message},
      {"set_mcp_permission_mode_override", When::at_once, &HostRequests::mcp_set_mode},
  };
  const auto* const found = std::ranges::find(kEntries, subtype, &Entry::subtype);
  return found == std::end(kEntries) ? nullptr : found;
}

std::optional<HostRequests::When> HostRequests::when(std::string_view subtype) {
  const Entry* entry = find_entry(subtype);
  return entry ? std::optional(entry->when) : std::nullopt;
}

std::string HostRequests::refusal(std::string_view subtype) {
  if (subtype.empty()) return "\"request\" must be an object with a \"subtype\"";
  for (const auto& [known, why] : kRefused) {
    if (known == subtype) return "deft does not answer " + std::string(subtype) + ": " + std::string(why);
  }
  return "there is no control request " + json_quote(subtype.substr(0, 60)) + " here";
}

void HostRequests::carry_out(const HostRequest& request) {
  const Entry* entry = find_entry(request.subtype);
  if (!entry) return parts_.port.refuse(request.id, refusal(request.subtype));
  if (work_.was_cancelled(request.id)) return;
  if (entry->begin) return (this->*entry->begin)(request);
  auto answer = (this->*entry->answer)(request.request);
  if (!answer) return parts_.port.refuse(request.id, answer.error().message);
  if (request.subtype != "initialize") return parts_.port.answer(request.id, std::move(*answer));
  parts_.port.answer_begin(request.id, std::move(*answer));
  // A host that comes back has missed what began meanwhile.
  if (is_initialized_.exchange(true)) parts_.output.show_tasks();
}

void HostRequests::forget_hooks() {
  parts_.port.give_up("hook_callback", {Errc::failed, "the host began anew while its hook was asked; try it again"});
}

void HostRequests::initialize_again(const HostRequest& request) {
  if (work_.was_cancelled(request.id)) return;
  use_hooks(request.request);
  parts_.port.answer_begin(request.id, beginning(request.request));
  parts_.output.show_tasks();
}

// --- what a session begins with ---

JsonArray HostRequests::commands() const {
  JsonArray commands;
  for (const ListedCommand& command : parts_.session.commands()) {
    commands.push_back(JsonObject{
        {"name", command.name}, {"description", command.description}, {"argumentHint", command.argument_hint}});
  }
  return commands;
}

JsonArray HostRequests::agents() const {
  JsonArray agents;
  for (const AgentType& type : parts_.session.agent_types()) {
    JsonObject agent{{"name", type.name}, {"description", type.description}};
    if (!type.model.empty()) agent["model"] = type.model;
    agents.push_back(std::move(agent));
  }
  return agents;
}

JsonArray HostRequests::models() const {
  const ProviderChoice& provider = parts_.session.provider();
  std::vector<std::string> names{provider.model};
  names.insert(names.end(), provider.fallback_models.begin(), provider.fallback_models.end());
  JsonArray models;
  for (const std::string& name : names) {
    models.push_back(JsonObject{{"value", name}, {"displayName", name}, {"description", ""}});
  }
  return models;
}

void HostRequests::use_hooks(const Json& wanted) {
  const Json* hooks = find(wanted, "hooks");
  if (!hooks || hooks->is_null()) return;
  for (const std::string& problem : parts_.session.use_host_hooks(without_idle_events(*hooks))) {
    parts_.output.notice(problem, "warning");
  }
}

// What a host is told of a session.
JsonObject HostRequests::beginning(const Json& wanted) const {
  const std::string& key = parts_.session.provider().key_source;
  JsonObject answer{{"commands", commands()},
                    {"agents", agents()},
                    {"models", models()},
                    {"account", JsonObject{{"apiKeySource", key.empty() ? "none" : key}}},
                    {"output_style", "default"},
                    {"available_output_styles", JsonArray{"default"}},
                    {"claude_code_version", kProtocolVersion},
                    {"hook_on_failure_supported", true}};
  if (const Json* hooks = find(wanted, "hooks"); hooks && !hooks->is_null()) answer["hooks_applied"] = true;
  const JsonObject* servers = find_object(wanted, "mcpServers");
  if (servers && !servers->empty()) answer["mcp_servers_applied"] = *servers == named_servers_;
  if (says_something(find(wanted, "plugins"))) answer["plugins_applied"] = false;
  return answer;
}

HostRequests::Answer HostRequests::initialize(const Json& wanted) {
  AgentSession& session = parts_.session;
  for (const auto& [field, flag] : kFlagsOnly) {
    if (!says_something(find(wanted, field))) continue;
    return fail(Errc::unsupported, std::string(field) + " is not taken from initialize: start deft with " + flag);
  }
  use_hooks(wanted);
  if (find_array(wanted, "sdkMcpServers")) session.servers().add_host_servers(names_at(wanted, "sdkMcpServers"));
  const JsonObject* servers = find_object(wanted, "mcpServers");
  for (const JsonObject* with_policies : {find_object(wanted, "sdkMcpServerConfigs"), servers}) {
    if (with_policies) note_policies(*with_policies, /*replaces=*/false);
  }
  // Only at the start, as those of the command line, which others could read there; mcp_set_servers is for later.
  if (servers && !servers->empty() && !is_initialized_) {
    session.servers().add_named_servers(*servers);
    named_servers_ = *servers;
  }
  const auto instead = text_at(wanted, "systemPrompt");
  const auto appended = text_at(wanted, "appendSystemPrompt");
  if (instead || appended) session.use_system_prompt(instead, appended.value_or(""));
  if (const auto appended_to_subagents = find_string(wanted, "appendSubagentSystemPrompt")) {
    session.append_to_subagents(std::string(*appended_to_subagents));
  }
  if (const auto title = find_string(wanted, "title")) session.agent().set_state("title", Json(*title));
  if (const Json* schema = find(wanted, "jsonSchema"); schema && !schema->is_null()) {
    if (auto done = session.want_structured_output(*schema); !done) return std::unexpected(done.error());
  }
  if (const Json* types = find(wanted, "agents"); types && !types->is_null()) {
    if (auto done = session.use_agents(*types); !done) return std::unexpected(done.error());
  }
  if (auto good = session.check_type(); !good) return std::unexpected(good.error());
  if (find_array(wanted, "skills")) session.offer_skills(names_at(wanted, "skills"));
  for (const char* key : kIdleFields) {
    if (!says_something(find(wanted, key))) continue;
    parts_.output.notice(std::string(key) + " of initialize has no effect in deft", "warning");
  }
  if (find_bool(wanted, "forwardSubagentText").value_or(false)) parts_.output.tell_subagent_texts();
  return beginning(wanted);
}

// --- settings ---

HostRequests::Answer HostRequests::set_model(const Json& wanted) {
  const Json* given = find(wanted, "model");
  const bool is_word = !given || given->is_null() || given->is_string();
  if (!is_word) return fail(Errc::invalid_input, "\"model\" must be the name of a model, or null");
  auto done = parts_.session.use_model(std::string(find_string(wanted, "model").value_or("")));
  if (!done) return std::unexpected(done.error());
  return JsonObject{};
}

HostRequests::Answer HostRequests::set_thinking(const Json& wanted) {
  const Json* tokens = find(wanted, "max_thinking_tokens");
  const Json* display = find(wanted, "thinking_display");
  if (tokens && !tokens->is_null()) {
    const auto number = find_int(wanted, "max_thinking_tokens");
    if (!number || *number < 0) return fail(Errc::invalid_input, "max_thinking_tokens must be a number of at least 0");
    parts_.session.use_thinking(static_cast<std::size_t>(*number));
  } else if (tokens) {
    parts_.session.use_thinking(std::nullopt);
  }
  if (!display || display->is_null()) return JsonObject{};
  const auto word = find_string(wanted, "thinking_display");
  if (!word || !is_among_words(*word, "summarized omitted")) {
    return fail(Errc::unsupported, "thinking_display must be summarized or omitted");
  }
  parts_.session.use_thinking_display(std::string(*word));
  return JsonObject{};
}

HostRequests::Answer HostRequests::apply_settings(const Json& wanted) {
  const JsonObject* settings = find_object(wanted, "settings");
  if (!settings) return fail(Errc::invalid_input, "\"settings\" must be an object");
  if (auto done = parts_.session.apply_settings(*settings); !done) return std::unexpected(done.error());
  return JsonObject{};
}

// Few things are written for a host: files of settings also say what is allowed, and what runs.
HostRequests::Answer HostRequests::update_settings(const Json& wanted) {
  constexpr struct {
    std::string_view source;
    SettingSource file;
    std::string_view key;
    std::string_view values;
  } kWritable[] = {{"localSettings", SettingSource::local, "outputStyle", "default"},
                   {"userSettings", SettingSource::user, "effortLevel", "low medium high xhigh"}};
  const auto source = find_string(wanted, "source");
  const auto* const writable = std::ranges::find_if(kWritable, [&](const auto& one) { return one.source == source; });
  if (writable == std::end(kWritable)) {
    return fail(Errc::invalid_input, "\"source\" must be localSettings or userSettings");
  }
  const JsonObject* settings = find_object(wanted, "settings");
  if (!settings || settings->empty()) return fail(Errc::invalid_input, "\"settings\" must be an object with a key");
  for (const auto& [key, value] : *settings) {
    if (std::string_view(key.data(), key.size()) != writable->key) {
      return fail(Errc::denied, "of " + std::string(writable->source) + " only " + std::string(writable->key) +
                                    " can be written; apply_flag_settings is for this session");
    }
    if (!value.is_string() || !is_among_words(view(value.get_string()), writable->values)) {
      return fail(Errc::invalid_input,
                  std::string(writable->key) + " must be one of: " + std::string(writable->values));
    }
  }
  auto written = parts_.session.write_setting(writable->file, writable->key, settings->begin()->value());
  if (!written) return std::unexpected(written.error());
  return JsonObject{};
}

HostRequests::Answer HostRequests::get_settings(const Json&) {
  const auto settings = parts_.session.current_settings();
  if (!settings) return std::unexpected(settings.error());
  const SecretMask mask(secrets_of_environment());
  const AgentOptions& options = parts_.session.agent().options();
  return JsonObject{{"effective", mask.masked_json(settings->merged.values)},
                    {"applied", JsonObject{{"model", options.model},
                                           {"effort", options.effort.empty() ? Json() : Json(options.effort)}}}};
}

HostRequests::Answer HostRequests::list_rules(const Json&) {
  const auto permissions = parts_.session.agent().engine().permissions();
  const PermissionSetup& setup = permissions->setup();
  JsonArray rules;
  const auto add = [&](const PermissionSource& source, const std::vector<Rule>& list, std::string_view behavior) {
    for (const Rule& rule : list) {
      JsonObject entry{{"behavior", behavior},
                       {"source", source_word(source.source)},
                       {"rule", rule.text},
                       {"editability", editability(source.source)}};
      if (setup.only_managed_rules && source.source != SettingSource::managed && behavior == "allow") {
        entry["notInEffect"] = true;
      }
      rules.push_back(std::move(entry));
    }
  };
  for (const PermissionSource& source : setup.sources) {
    add(source, source.rules.allow, "allow");
    add(source, source.rules.ask, "ask");
    add(source, source.rules.deny, "deny");
  }
  JsonArray directories;
  for (const std::string& path : setup.directories) {
    directories.push_back(JsonObject{{"path", path}, {"source", "session"}});
  }
  return JsonObject{{"state", JsonObject{{"rules", std::move(rules)},
                                         {"workspaceDirectories", std::move(directories)},
                                         {"originalCwd", setup.directory},
                                         {"managedOnly", setup.only_managed_rules}}}};
}

HostRequests::Answer HostRequests::rename(const Json& wanted) {
  const auto title = find_string(wanted, "title");
  if (!title) return fail(Errc::invalid_input, "\"title\" is missing");
  const auto meant = find_string(wanted, "session_id");
  if (meant && *meant != parts_.session.id()) return fail(Errc::invalid_input, "that is another session");
  parts_.session.agent().set_state("title", Json(*title));
  return JsonObject{};
}

// --- what was used ---

HostRequests::Answer HostRequests::context_usage(const Json&) {
  Agent& agent = parts_.session.agent();
  const std::uint64_t window = agent.options().context.window_tokens;
  const std::uint64_t total = agent.context_tokens();
  const std::uint64_t system = agent.options().system.size() / kBytesPerToken;
  std::uint64_t own_tools = 0, server_tools = 0;
  JsonArray listed;
  const auto servers = parts_.session.servers().servers().connections();
  const auto server_of = [&](std::string_view tool) -> std::string {
    for (const auto& server : servers) {
      if (tool.starts_with(mcp_server_word(server->name()) + "__")) return server->name();
    }
    return {};
  };
  const auto pool = agent.engine().executor().pool();
  for (const RegisteredTool& entry : pool->advertised()) {
    const ToolSpec& spec = entry.tool->spec();
    const std::uint64_t tokens = (spec.name.size() + to_json(spec.input_schema).size()) / kBytesPerToken;
    const bool is_own = spec.origin != Origin::mcp;
    (is_own ? own_tools : server_tools) += tokens;
    if (is_own) continue;
    listed.push_back(JsonObject{{"name", spec.name}, {"serverName", server_of(spec.name)}, {"tokens", tokens}});
  }
  const std::uint64_t known = std::min(total, system + own_tools + server_tools);
  JsonArray categories;
  const auto add = [&](std::string_view id, std::string_view name, std::uint64_t tokens, std::string_view kind) {
    categories.push_back(JsonObject{{"id", id}, {"name", name}, {"tokens", tokens}, {"color", ""}, {"kind", kind}});
  };
  add("system_prompt", "System prompt", std::min(system, total), "used");
  add("system_tools", "Tools", own_tools, "used");
  if (server_tools > 0) add("mcp_tools", "MCP tools", server_tools, "used");
  add("messages", "Messages", total - known, "used");
  add("free_space", "Free space", window - std::min(window, total), "free");
  JsonArray types;
  for (const AgentType& type : parts_.session.agent_types()) {
    const std::string_view source = type.origin.empty() ? "built-in" : "file";
    types.push_back(JsonObject{{"agentType", type.name},
                               {"source", source},
                               {"tokens", (type.name.size() + type.description.size()) / kBytesPerToken}});
  }
  const double percentage = window > 0 ? 100.0 * static_cast<double>(total) / static_cast<double>(window) : 0;
  return JsonObject{{"categories", std::move(categories)},
                    {"totalTokens", total},
                    {"maxTokens", window},
                    {"rawMaxTokens", window},
                    {"percentage", std::min(percentage, 100.0)},
                    {"gridRows", JsonArray{}},
                    {"model", agent.options().model},
                    {"memoryFiles", JsonArray{}},
                    {"mcpTools", std::move(listed)},
                    {"agents", std::move(types)},
                    {"isAutoCompactEnabled", agent.options().context.automatic},
                    {"apiUsage", Json()}};
}

HostRequests::Answer HostRequests::session_cost(const Json&) {
  const SessionUsage& usage = parts_.session.agent().usage();
  return JsonObject{
      {"text", parts_.session.cost_text()}, {"total_cost_usd", usage.cost}, {"total_tokens", usage.tokens}};
}

HostRequests::Answer HostRequests::usage(const Json&) {
  AgentSession& session = parts_.session;
  const ReportedSession reported{.id = session.id(),
                                 .usage = session.agent().usage(),
                                 .prices = session.settings().prices,
                                 .output_tokens_max = session.agent().options().output_tokens_max,
                                 .window_tokens = session.agent().options().context.window_tokens};
  const auto ms = [](Duration time) { return std::chrono::duration_cast<std::chrono::milliseconds>(time).count(); };
  const HeadlessOutput::Durations spent = parts_.output.durations();
  return JsonObject{{"session", JsonObject{{"total_cost_usd", reported.usage.cost},
                                           {"total_api_duration_ms", ms(spent.of_models)},
                                           {"total_duration_ms", ms(spent.of_turns)},
                                           {"total_lines_added", 0},
                                           {"total_lines_removed", 0},
                                           {"model_usage", parts_.output.model_usage(reported)}}},
                    {"subscription_type", Json()},
                    {"rate_limits_available", false},
                    {"rate_limits", Json()},
                    {"behaviors", Json()}};
}

HostRequests::Answer HostRequests::version(const Json&) {
  return JsonObject{{"version", kProtocolVersion}, {"deft", DEFT_VERSION}};
}

HostRequests::Answer HostRequests::list_models(const Json&) { return JsonObject{{"models", models()}}; }

// --- files that were read at the start ---

HostRequests::Answer HostRequests::reload_skills(const Json&) {
  parts_.session.look_for_skills();
  JsonArray skills;
  const std::vector<std::string> names = parts_.session.skill_names();
  for (const ListedCommand& command : parts_.session.commands()) {
    if (std::ranges::find(names, command.name) == names.end()) continue;
    skills.push_back(JsonObject{
        {"name", command.name}, {"description", command.description}, {"argumentHint", command.argument_hint}});
  }
  return JsonObject{{"skills", std::move(skills)}};
}

// There are no plugins; what else is listed is as it is.
HostRequests::Answer HostRequests::reload_plugins(const Json& wanted) {
  const JsonArray* more = find_array(wanted, "add_plugins");
  if (more && !more->empty()) return fail(Errc::unsupported, "deft has no plugins");
  return JsonObject{{"commands", commands()},
                    {"agents", agents()},
                    {"plugins", JsonArray{}},
                    {"mcpServers", parts_.session.servers().statuses()},
                    {"error_count", 0}};
}

HostRequests::Answer HostRequests::reload_styles(const Json&) {
  return JsonObject{{"available_output_styles", JsonArray{"default"}}};
}

HostRequests::Answer HostRequests::nothing_to_do(const Json&) { return JsonObject{}; }

}  // namespace deft
