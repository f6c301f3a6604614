#include "deft/ui/agent_session.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

#include "deft/agent/agent_files.h"
#include "deft/agent/hook_model.h"
#include "deft/agent/page_question.h"
#include "deft/agent/project_memory.h"
#include "deft/config/agent_file.h"
#include "deft/model/anthropic_client.h"
#include "deft/os/disk_files.h"
#include "deft/os/environment.h"
#include "deft/os/git_state.h"
#include "deft/os/http_network.h"
#include "deft/os/secrecy.h"
#include "deft/os/uuid.h"
#include "deft/tools/shell_environment.h"
#include "deft/ui/builtin_options.h"
#include "deft/ui/bypass.h"
#include "deft/ui/unknown_tools.h"

namespace deft {
namespace {

constexpr const char* kSystemState = "system_prompt";  // of the session's journal

// "env" of the settings is for the model's choice and for every command, hook and server that we start. Before any of
// them is read by another thread.
void use_environment(const std::vector<std::string>& variables) {
  for (const std::string& variable : variables) {
    const auto equals = variable.find('=');
    ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), /*overwrite=*/1);
  }
}

// Settings are shared; not every machine has every folder.
std::vector<std::string> existing_directories(const std::vector<std::string>& paths,
                                              std::vector<std::string>& notices) {
  std::vector<std::string> found;
  for (const std::string& path : paths) {
    std::error_code ec;
    const auto canonical = std::filesystem::canonical(path, ec);
    if (!ec && std::filesystem::is_directory(canonical, ec)) {
      found.push_back(canonical.string());
    } else {
      notices.push_back("additionalDirectories: " + path + " is not a directory");
    }
  }
  return found;
}

}  // namespace

// Hears everything on its way to the frontend: when the model has forgotten what it was told, so have we.
class AgentSession::Watch final : public Frontend {
 public:
  Watch(AgentSession& session, Frontend& frontend) : session_(session), frontend_(frontend) {}
  void show(Event event) override {
    if (std::holds_alternative<CompactionDone>(event) && session_.found_memory_) session_.found_memory_->forget();
    frontend_.show(std::move(event));
  }
  bool wants_stages() const override { return frontend_.wants_stages(); }
  bool wants_progress() const override { return frontend_.wants_progress(); }
  bool wants_hooks() const override { return frontend_.wants_hooks(); }

 private:
  AgentSession& session_;
  Frontend& frontend_;
};

// Agents use servers, and servers what the session has of them: so those end first who use the others.
AgentSession::~AgentSession() {
  if (agent_) subagents_->of_main().end();
  if (equipment_) equipment_->end();
  tasks_->end();
  const std::lock_guard lock(ear_->mutex);
  ear_->agent = nullptr;
}

void AgentSession::tell(std::string notice) { watch_->show(Notice{std::move(notice)}); }

Result<std::unique_ptr<AgentSession>> AgentSession::open(AgentSessionOptions options, Frontend& frontend) {
  std::string signature = settings_signature(options.settings);  // before they are read
  auto settings = load_session_settings(options.settings);
  if (!settings) return std::unexpected(settings.error());
  use_environment(settings->merged.settings.model.environment);
  auto provider = choose_provider(settings->merged.settings.model, options.provider, ShellEnvironment::own());
  if (!provider) return std::unexpected(provider.error());
  if (!options.effort.empty()) provider->effort = options.effort;
  provider->betas.insert(provider->betas.end(), options.betas.begin(), options.betas.end());
  std::unique_ptr<AgentSession> session(
      new AgentSession(std::move(options), std::move(*settings), std::move(*provider), std::move(signature)));
  if (auto wired = session->wire(frontend); !wired) return std::unexpected(wired.error());
  return session;
}

AgentSession::AgentSession(AgentSessionOptions options, SessionSettings settings, ProviderChoice provider,
                           std::string signature)
    : options_(std::move(options)),
      settings_(std::move(settings.merged.settings)),
      permissions_(std::move(settings.merged.permissions)),
      trusted_(settings.trusted),
      files_(std::move(settings.files)),
      provider_(std::move(provider)),
      notices_(std::move(settings.merged.problems)),
      http_(http_network(ShellEnvironment::own())) {
  if (options_.mode) permissions_.mode = *options_.mode;
  permissions_.bypass_available = options_.bypass_available;
  settings_hooks_ = std::move(settings.merged.hooks);
  hooks_.emplace(settings_hooks_, options_.working_directory,
                 HookServices{.call_mcp_tool =
                                  [this](const HookServices::ToolRequest& request, std::stop_token stop) {
                                    return servers_ ? servers_->call_for_hook(request, std::move(stop))
                                                    : Result<std::string>(fail(Errc::tool_disabled,
                                                                               "the MCP servers are not started yet"));
                                  },
                              .call_host = options_.call_host,
                              .ask_model =
                                  [this](const HookServices::Question& question, std::stop_token stop) {
                                    const std::string& model =
                                        provider_.small_model.empty() ? provider_.model : provider_.small_model;
                                    return hook_model(*side_, clock_, model)(question, std::move(stop));
                                  },
                              .tell = options_.tell_of_hooks});
  store_.emplace(options_.settings, std::move(signature), permissions_, [this](HookConfig changed) {
    settings_hooks_ = std::move(changed);
    hooks_->use(with_host_hooks(settings_hooks_));
  });
}

Result<void> AgentSession::wire(Frontend& frontend) {
  watch_ = std::make_unique<Watch>(*this, frontend);
  tell_of_tasks(*watch_);
  const auto bypass = check_bypass(permissions_, bypass_ground(options_.mode == Mode::bypass));
  if (!bypass) return std::unexpected(bypass.error());
  if (*bypass) notices_.push_back(**bypass);
  if (options_.limits.cost_max && !settings_.prices.of(provider_.model)) {
    notices_.push_back("--max-budget-usd limits nothing: the price of " + provider_.model +
                       " is not known; \"prices\" in the settings tells it");
  }

  auto client = make_model_client(provider_, {.http = http_,
                                              .processes = processes_,
                                              .clock = clock_,
                                              .command_environment = command_environment(ShellEnvironment::own())});
  if (!client) return std::unexpected(client.error());
  client_ = std::move(*client);
  client_->prepare();  // it connects while we look at files
  make_side_client();

  auto folder = choose_folder();
  if (!folder) return std::unexpected(folder.error());
  if (!settings_.telemetry.otlp_endpoint.empty()) {
    telemetry_.emplace(OtelOptions{.endpoint = settings_.telemetry.otlp_endpoint,
                                   .headers = settings_.telemetry.otlp_headers,
                                   .session = {.id = id_,
                                               .provider = std::string(client_->name()),
                                               .version = DEFT_VERSION,
                                               .server = otel_server(provider_.base_url)}},
                       http_, clock_);
  }
  subagents_.emplace(subagent_options(), *client_, *watch_);
  // Only for the advisor: a conversation that somebody else holds is copied before it goes on.
  if (settings_.tools.advisor_enabled && !provider_.advisor_model.empty()) remembering_.emplace(*client_);
  ModelClient& model = remembering_ ? static_cast<ModelClient&>(*remembering_) : *client_;
  auto agent = Agent::open(agent_options(std::move(*folder)), model, *watch_);
  if (!agent) return std::unexpected(agent.error());
  agent_ = std::move(*agent);
  hooks_->begin_session(id_, agent_->engine().session_folder());
  if (const std::size_t cut_off = agent_->interrupted_calls(); cut_off > 0) {
    const std::string which =
        cut_off == 1 ? "A call of the earlier run was" : std::to_string(cut_off) + " calls of the earlier run were";
    notices_.push_back(which + " cut off; the model is told what may have had an effect");
  }
  if (options_.title) agent_->set_state("title", Json(*options_.title));
  memory_request_ = memory_request();
  found_memory_ = std::make_unique<FoundMemory>(memory_request_, agent_->engine().workshop().os().files);
  agent_->options().system = make_system_prompt();
  if (auto added = add_tools(); !added) return added;
  if (auto started = start_servers(frontend); !started) return started;
  offer_tools();
  if (auto chosen = choose_type(); !chosen) return chosen;
  return options_.output_schema ? want_structured_output(*options_.output_schema) : Result<void>();
}

std::vector<std::string> AgentSession::secrets() const {
  std::vector<std::string> all = secrets_of_environment();
  std::ranges::move(secrets_among(settings_.model.environment), std::back_inserter(all));
  for (const auto& [name, value] : settings_.telemetry.otlp_headers) all.push_back(value);
  return all;
}

// Nothing: a temporary one.
Result<std::optional<std::string>> AgentSession::choose_folder() {
  if (!options_.choice) {
    id_ = options_.unkept_id.value_or(random_uuid());
    return std::nullopt;
  }
  const std::string sessions = SessionStore::default_folder();
  if (sessions.empty()) {
    return fail(Errc::not_found,
                "there is no home folder to keep sessions in: set HOME or XDG_STATE_HOME, or say "
                "--no-session-persistence");
  }
  auto place = choose_session(SessionStore(sessions), *options_.choice, clock_);
  if (!place && place.error().code == Errc::io) {
    return fail(Errc::io, place.error().message + "; sessions are kept in " + sessions +
                              ": set XDG_STATE_HOME to a folder that can be written, or say --no-session-persistence");
  }
  if (!place) return std::unexpected(place.error());
  id_ = place->id;
  return place->folder;
}

AgentOptions AgentSession::agent_options(std::optional<std::string> folder) {
  std::vector<std::string> directories = existing_directories(std::exchange(permissions_.directories, {}), notices_);
  directories.insert(directories.end(), options_.directories.begin(), options_.directories.end());
  AgentOptions options{.engine = {.working_directory = options_.working_directory,
                                  .directories = std::move(directories),
                                  .session_folder = std::move(folder),
                                  .permissions = permissions_,
                                  .executor = {.slots = options_.slots,
                                               .scheduling = settings_.exclusive_scheduling ? Scheduling::exclusive
                                                                                            : Scheduling::footprints,
                                               .streaming = settings_.streaming,
                                               .sibling_cancellation = settings_.cancel_siblings_on_failure,
                                               .asking = options_.asking,
                                               .defers = true,
                                               .question_time = settings_.question_time},
                                  .results = result_options(settings_),
                                  .survives = settings_.waits_for_disk ? Survives::power_cut : Survives::killed,
                                  .hooks = &hooks_->runner(),
                                  .store = &*store_,
                                  .clock = &clock_,
                                  .classifier = classifier_ ? &*classifier_ : nullptr,
                                  .timeline = telemetry_ ? &*telemetry_ : nullptr,
                                  .secrets = secrets()},
                       .model = provider_.model,
                       .fallback_models = provider_.fallback_models,
                       .thinking = thinking_at_start(),
                       .effort = provider_.effort,
                       .session_id = id_,
                       .resume = options_.resume_at,
                       .raw_events = options_.raw_events,
                       .limits = options_.limits,
                       .retries_max = provider_.retries_max,
                       .retry_overload_for_ever = provider_.retry_overload_for_ever};
  if (provider_.output_tokens_max) options.output_tokens_max = std::min(*provider_.output_tokens_max, kOutputTokensMax);
  make_room_for_thinking(options);
  if (const auto window = settings_.model.context_window) {
    options.context.window_tokens = static_cast<std::uint64_t>(*window);
  }
  options.context.automatic = settings_.model.auto_compact.value_or(true);
  options.mode_is_chosen = options_.mode.has_value();
  use_tool_search(options);
  options.children = &subagents_->of_main();
  options.waits_for_children = options_.waits_for_subagents;
  options.children_patience = background_patience();
  options.tasks = tasks_;
  options.cost = [prices = settings_.prices](const std::string& model, const Json& usage) {
    const ModelPrice* price = prices.of(model);
    return price ? cost_of(*price, token_use(usage)) : 0;
  };
  return options;
}

// Which tools the model is not shown at first. Only the makers' own API is known to load tools itself.
void AgentSession::use_tool_search(AgentOptions& options) {
  const char* wanted = std::getenv("ENABLE_TOOL_SEARCH");
  const bool by_reference =
      provider_.api == ModelApi::anthropic && shown_host(provider_.base_url) == shown_host(kAnthropicUrl);
  auto deferral = parse_deferral(wanted ? wanted : "", options.context.window_tokens, by_reference);
  if (deferral) {
    options.deferral = *deferral;
  } else {
    notices_.push_back(deferral.error().message);
  }
}

// Of those that come with deft.
bool AgentSession::wants_tool(const std::string& name) const {
  return !options_.tools || std::ranges::find(*options_.tools, name) != options_.tools->end();
}

Result<void> AgentSession::add_tools() {
  const auto wants = [this](const std::string& tool) { return wants_tool(tool); };
  BuiltinOptions builtin = builtin_options(settings_, provider_.model);
  builtin.tasks = tasks_;
  builtin.grants_by_meaning = classifier_.has_value();
  if (!provider_.small_model.empty()) builtin.web.ask = page_question(*side_, clock_, provider_.small_model);
  builtin.after_reading = [memory = found_memory_.get()](const std::string& path) {
    return memory->after_reading(path);
  };
  builtin.search.denied = [engine = &agent_->engine()](std::string_view path, bool) {
    return engine->permissions()->hides(path);
  };
  use_skills(builtin);
  use_toolbox(builtin);
  std::vector<std::string> names{"Agent", "SendMessage", "TeamCreate", "TeamDelete"};
  for (auto& tool : make_builtin_tools(builtin)) {
    names.push_back(tool->spec().name);
    if (!wants(tool->spec().name)) continue;
    if (auto added = agent_->add_tool(std::move(tool), Engine::SchemaCheck::with_the_first_call); !added) return added;
  }
  const auto permissions = agent_->engine().permissions();
  std::ranges::move(notices_of_unknown_tools(permissions->setup().sources, options_.tools, names),
                    std::back_inserter(notices_));
  return subagents_->attach(*agent_, wants);
}

SubagentOptions AgentSession::subagent_options() {
  DiskFiles files;
  FoundAgentTypes found = find_agent_types({.places = settings_places(options_.working_directory),
                                            .trusted = trusted_,
                                            .sources = options_.settings.wanted,
                                            .directories = options_.directories,
                                            .given = options_.agents},
                                           files);
  for (const std::string& problem : found.problems) notices_.push_back("agents: " + problem);
  for (AgentType& type : found.types) name_servers_as_tools(type);
  SubagentOptions options{.types = std::move(found.types), .tasks = tasks_, .worktree = worktree_options()};
  equipment_.emplace(hooks_->runner(), [this] { return servers_.get(); }, settings_places(options_.working_directory));
  options.equip = [this](const std::string& id, const AgentType& type, std::stop_token stop) {
    return equipment_->equip(id, type, std::move(stop));
  };
  options.take_away = [this](const std::string& id) { equipment_->take_away(id); };
  options.rules = [this](const AgentType& type) {
    DiskFiles disk;
    return equipment_->rules(type, disk);
  };
  for (const char* name : {"CLAUDE_CODE_SUBAGENT_MODEL", "DEFT_SUBAGENT_MODEL"}) {
    if (const char* model = std::getenv(name); model && *model) options.model = model;
  }
  options.model_named = [settings = settings_.model, flags = options_.provider](const std::string& name) {
    ProviderFlags wanted = flags;
    wanted.model = name;
    const auto choice = choose_provider(settings, wanted, ShellEnvironment::own());
    return choice ? choice->model : name;
  };
  options.system = [this](const AgentType& type, const std::string& model) {
    SystemPromptInput input = prompt_ground(project_memory());  // of its problems the session's start has told
    input.model = model;
    if (!type.prompt.empty()) input.instead = prompt_of(type);
    input.appended = options_.subagent_appended_prompt;
    return system_prompt(input);
  };
  return options;
}

Result<void> AgentSession::use_agents(const Json& agents) {
  auto read = read_agents_object(agents);
  if (!read) return std::unexpected(read.error());
  std::vector<AgentType> types;
  for (ReadAgentType& one : *read) {
    for (const std::string& note : one.notes) tell("agent " + one.type.name + ": " + note);
    one.type.source = SettingSource::command_line;
    name_servers_as_tools(one.type);
    types.push_back(std::move(one.type));
  }
  subagents_->add_types(std::move(types));
  return choose_type();
}

Result<void> AgentSession::want_structured_output(Json schema) {
  auto structured = StructuredOutput::make(std::move(schema));
  if (!structured) return std::unexpected(structured.error());
  agent_->options().structured = *structured;
  return agent_->add_tool((*structured)->tool());
}

// A session that is gone on with keeps what it began with, byte for byte: so the provider's cache holds, and the model
// is not told of a place that has changed behind its back. Unless the command line says something else, or the session
// goes on in another directory: what stands there of the first one would lead the model astray.
std::string AgentSession::make_system_prompt() {
  const std::optional<std::string> instead = own_prompt();
  const JsonObject given{{"instead", instead ? Json(*instead) : Json()}, {"appended", options_.appended_system_prompt}};
  const Json kept = agent_->state(kSystemState);
  const bool is_given = instead || !options_.appended_system_prompt.empty();
  const Json* kept_given = find(kept, "given");
  const auto kept_text = find_string(kept, "text");
  const bool is_here =
      find_string(kept, "directory").value_or(options_.working_directory) == options_.working_directory;
  if (kept_text && kept_given && is_here && (!is_given || *kept_given == given)) return std::string(*kept_text);
  ProjectMemory memory = project_memory();
  notices_.insert(notices_.end(), memory.problems().begin(), memory.problems().end());
  SystemPromptInput input = prompt_ground(memory);
  found_memory_->begin_with(std::move(memory));
  input.instead = instead;
  input.appended = options_.appended_system_prompt;
  std::string text = system_prompt(input);
  if (options_.choice)
    agent_->set_state(kSystemState,
                      JsonObject{{"directory", options_.working_directory}, {"given", given}, {"text", text}});
  return text;
}

// Where a session works, as it is now. Also on workers, for subagents that begin.
SystemPromptInput AgentSession::prompt_ground(const ProjectMemory& memory) const {
  return {.directory = options_.working_directory,
          .directories = options_.directories,
          .git = read_git_state(options_.working_directory, agent_->engine().workshop().os().files),
          .model = provider_.model,
          .now = clock_.wall_time(),
          .memory = memory_text(memory.files())};
}

ProjectMemory AgentSession::project_memory() const { return {memory_request_, agent_->engine().workshop().os().files}; }

MemoryRequest AgentSession::memory_request() const {
  return {.places = settings_places(options_.working_directory),
          .trusted = trusted_,
          .sources = options_.settings.wanted,
          .managed_text = settings_.agent.managed_memory,
          .excludes = settings_.agent.memory_excludes,
          .may_read = [engine = &agent_->engine()](const std::string& path) {
            return !engine->permissions()->hides(path);
          }};
}

std::vector<std::string> AgentSession::tool_names() {
  std::vector<std::string> names;
  const auto pool = agent_->engine().executor().pool();
  for (const RegisteredTool& entry : pool->advertised()) {
    names.push_back(entry.tool->spec().name);
  }
  return names;
}

SessionBegin AgentSession::begin() {
  servers_->wait_for_first(starting_.get_token());
  const bool is_old = options_.choice && (options_.choice->resume || options_.choice->go_on);
  const bool is_fork = options_.choice && options_.choice->fork;
  SessionBegin begun = agent_->begin_session(is_fork ? "fork" : is_old ? "resume" : "startup");
  if (begun.title) agent_->set_state("title", Json(*begun.title));
  if (type_ && !type_->initial_prompt.empty() && !is_old) {
    begun.first_prompt = type_->initial_prompt + (begun.first_prompt ? "\n\n" + *begun.first_prompt : "");
  }
  return begun;
}

void AgentSession::end(std::string_view reason) {
  agent_->end_session(reason);
  servers_->servers().stop();
}

}  // namespace deft
