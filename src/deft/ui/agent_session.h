#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/agent.h"
#include "deft/agent/counting_client.h"
#include "deft/agent/found_memory.h"
#include "deft/agent/model_classifier.h"
#include "deft/agent/otel_export.h"
#include "deft/agent/schedule_watch.h"
#include "deft/agent/session_choice.h"
#include "deft/agent/subagents.h"
#include "deft/agent/system_prompt.h"
#include "deft/config/settings.h"
#include "deft/model/make_client.h"
#include "deft/model/provider_choice.h"
#include "deft/model/remembering_client.h"
#include "deft/os/system_http_client.h"
#include "deft/os/warden_processes.h"
#include "deft/tools/builtin.h"
#include "deft/ui/agent_equipment.h"
#include "deft/ui/hook_setup.h"
#include "deft/ui/session_servers.h"
#include "deft/ui/session_settings.h"
#include "deft/ui/settings_store.h"
#include "deft/ui/skill_setup.h"

namespace deft {

inline constexpr std::size_t kThinkingTokensMin = 1'024;  // what the API takes at least

// {"type":"enabled","budget_tokens":…}, or disabled for none.
JsonObject thinking_with_budget(std::size_t tokens);

// What a command line, or a host, says about one run of an agent. What it leaves open the settings and the environment
// say.
struct AgentSessionOptions {
  std::string working_directory;              // canonical
  std::vector<std::string> directories = {};  // canonical; further ones
  SettingsRequest settings = {};
  std::optional<Mode> mode = std::nullopt;
  bool bypass_available = false;                                 // it may be changed to later
  std::optional<std::vector<std::string>> tools = std::nullopt;  // of those that come with deft; nothing: all
  ProviderFlags provider = {};
  std::string effort = {};
  std::optional<Json> thinking = std::nullopt;
  std::string thinking_display = {};  // of whatever thinking there is
  std::vector<std::string> betas = {};
  TurnLimits limits = {};
  std::size_t slots = kSlotsDefault;
  std::optional<SessionChoice> choice = std::nullopt;   // nothing: a session that nobody keeps
  std::optional<std::string> unkept_id = std::nullopt;  // of such a one; nothing: it gets one
  std::optional<std::string> title = std::nullopt;
  std::optional<std::string> system_prompt = std::nullopt;  // instead of our own words
  std::string appended_system_prompt = {};
  std::optional<Json> output_schema = std::nullopt;  // JSON Schema of what each turn ends with
  std::optional<Json> agents = std::nullopt;         // types of subagents: {"name": {"description", "prompt" …}}
  std::optional<std::string> agent = std::nullopt;   // the type that the main agent is of; nothing: as the settings say
  std::string subagent_appended_prompt = {};
  std::string hidden_tool = {};  // of an MCP server, that the model is not offered: it is asked about the model's calls
  bool waits_for_subagents = true;  // a turn does not end before those in the background have
  Asking asking = Asking::nobody;
  bool raw_events = false;
  ResumePoint resume_at = {};  // of a session that is gone on with
  McpRequestedFiles mcp = {};
  std::optional<HostAccess> host = std::nullopt;  // for MCP servers: their questions, and those inside of the host
  // Takes prompts that come by themselves (what was scheduled, what a monitored command printed), from any thread, to
  // be given in a turn of their own; nothing: there is one turn only, in which the model hears what a monitored command
  // prints meanwhile, and what is scheduled is kept for other sessions.
  std::function<void(const std::string& prompt)> give_prompt = nullptr;
  bool slash_commands = true;  // a prompt may call a command; false: "/name" is a text like any other
  // Functions of the host's own program as hooks (use_host_hooks); nothing: there are none.
  decltype(HookServices::call_host) call_host = nullptr;
  decltype(HookServices::tell) tell_of_hooks = nullptr;  // everyone, of every agent
  std::function<void()> tell_of_clear = nullptr;         // the conversation is forgotten
};

// One run of an agent with all that it needs: settings of every source, the model that they name, the session on the
// disk, system prompt and memory, hooks, permissions and tools. Wiring, top to bottom in open(); whatever else a
// session can have (subagents, servers, skills) is added there.
class AgentSession {
 public:
  // `frontend` outlives the session. The error says what to change.
  static Result<std::unique_ptr<AgentSession>> open(AgentSessionOptions options, Frontend& frontend);
  ~AgentSession();
  AgentSession(const AgentSession&) = delete;
  AgentSession& operator=(const AgentSession&) = delete;

  Agent& agent() { return *agent_; }
  const std::string& id() const { return id_; }
  const ProviderChoice& provider() const { return provider_; }
  const Settings& settings() const { return settings_; }
  // What is to be masked wherever it is shown or kept: of the environment and of the settings.
  std::vector<std::string> secrets() const;
  // For people: about settings, memory and what an earlier run left unfinished.
  const std::vector<std::string>& notices() const { return notices_; }
  // What the model is offered now. On the turn's thread, between turns.
  std::vector<std::string> tool_names();
  // Before each turn, on its thread: what MCP servers have published since.
  void take_server_tools();
  void wait_for_servers();  // until they are there, or have had their time, between turns
  SessionServers& servers() { return *servers_; }
  std::vector<ListedCommand> commands() const;  // that a prompt may call
  std::vector<std::string> skill_names() const;
  BackgroundTasks& tasks() { return *tasks_; }
  std::string cost_text() const;
  std::vector<AgentType> agent_types() const { return subagents_->types_for({}); }

  // What runs in the background and would be ended now, for people.
  std::vector<std::string> left_running() const;

  // A whole turn: of the agent, or of a command that needs none, such as /compact.
  TurnEnd run_turn(const Prompt& prompt);

  // Between turns, what a host wants changed.
  // Its own functions as hooks, beside those of the settings. Returns what is wrong with them.
  std::vector<std::string> use_host_hooks(const Json& hooks);
  void use_system_prompt(std::optional<std::string> instead, std::string appended);
  void append_to_subagents(std::string text) { options_.subagent_appended_prompt = std::move(text); }
  Result<void> use_model(const std::string& name);  // "" and "default": the one that it began with
  void use_thinking(std::optional<std::size_t> tokens);
  void use_thinking_display(const std::string& how);
  // More settings of the command line's level: a key replaces what was said of it before, null takes it back. What they
  // say of permissions, hooks, model and effort counts from now on. Errors: then nothing has changed.
  Result<void> apply_settings(const JsonObject& settings);
  Result<SessionSettings> current_settings() const { return load_session_settings(options_.settings); }
  // Rules of the host about tools of servers, instead of those that it gave before; from the next turn on.
  void use_server_rules(std::vector<std::string> denied, std::vector<std::string> asked);
  // Into deft's own file of that level, one key alone.
  Result<void> write_setting(SettingSource destination, std::string_view key, const Json& value);
  HookConfig hooks_in_force() const { return with_host_hooks(settings_hooks_); }
  // A further directory that calls may work in, below one that the session was given at its start; its canonical path.
  // DirectoryAdded hooks are told.
  Result<std::string> add_directory(const std::string& path);
  void tell_memory_of(const std::string& directory);         // the model, with the next prompt
  void look_for_skills();                                    // again, on the disk
  void offer_skills(const std::vector<std::string>& names);  // to the model, no others
  Result<void> use_agents(const Json& agents);               // further types of subagents
  // An error: the type that the main agent shall be of is not there, and nobody brings it any more.
  Result<void> check_type() const;
  // From now on every turn ends with an answer that fits this JSON Schema.
  Result<void> want_structured_output(Json schema);

  // SessionStart and SessionEnd hooks.
  SessionBegin begin();
  // From any thread: it shall end soon, and waits for no server any more.
  void hurry() { starting_.request_stop(); }
  void end(std::string_view reason);

 private:
  AgentSession(AgentSessionOptions options, SessionSettings settings, ProviderChoice provider, std::string signature);

  Result<void> wire(Frontend& frontend);
  Result<std::optional<std::string>> choose_folder();
  AgentOptions agent_options(std::optional<std::string> folder);
  void use_tool_search(AgentOptions& options);
  bool wants_tool(const std::string& name) const;
  Result<void> add_tools();
  void tell(std::string notice);  // people; from any thread
  // agent_session_toolbox.cc
  void use_toolbox(BuiltinOptions& builtin);
  void tell_of_tasks(Frontend& frontend);
  void make_side_client();
  // agent_session_skills.cc
  void use_skills(BuiltinOptions& builtin);
  WorktreeToolOptions worktree_options();
  void add_commands(std::shared_ptr<BackgroundTasks> tasks);
  Result<std::string> compact(const std::string& instructions);
  Result<std::string> clear();
  std::string make_system_prompt();
  SystemPromptInput prompt_ground(const ProjectMemory& memory) const;
  ProjectMemory project_memory() const;
  MemoryRequest memory_request() const;
  SubagentOptions subagent_options();
  // agent_session_type.cc: what the main agent is
  Result<void> choose_type();
  Result<void> become(const AgentType& type);
  void offer_tools();
  std::string prompt_of(const AgentType& type) const;
  std::optional<std::string> own_prompt() const;
  // agent_session_host.cc
  HookConfig with_host_hooks(HookConfig config) const;
  std::optional<Json> thinking_at_start() const;
  static void make_room_for_thinking(AgentOptions& options);
  Result<void> start_servers(Frontend& frontend);  // agent_session_servers.cc
  Result<Json> sample(const std::string& server, const std::string& model, const Json& params,
                      const std::stop_token& stop);  // the same

  AgentSessionOptions options_;
  Settings settings_;
  PermissionSetup permissions_;
  HookConfig settings_hooks_;  // as the files have them
  Json host_hooks_;
  bool trusted_ = false;
  std::vector<LoadedFile> files_;
  ProviderChoice provider_;
  std::string id_;
  std::stop_source starting_;
  std::optional<AgentType> type_;  // of the main agent; nothing: it is of none
  std::vector<std::string> notices_;
  // In the order in which they need each other.
  SystemClock clock_;
  WardenProcesses processes_{clock_};
  SystemHttpClient http_;
  std::unique_ptr<ModelClient> client_;
  std::optional<OtelExport> telemetry_;           // nothing: nobody is told
  std::optional<RememberingClient> remembering_;  // what the agent asks by
  std::optional<CountingClient> side_;            // what is asked beside the conversation
  std::optional<ModelClassifier> classifier_;     // nothing: there is no model for it
  std::optional<HookSetup> hooks_;
  std::optional<SettingsStore> store_;
  std::optional<ScheduleWatch> schedule_;
  // Whom a monitored command talks to. It may print to the last, when nobody listens any more.
  struct Ear {
    std::mutex mutex;
    Agent* agent = nullptr;  // under mutex
    void tell(std::string text) {
      const std::lock_guard lock(mutex);
      if (agent) agent->tell(std::move(text));
    }
  };
  std::shared_ptr<Ear> ear_ = std::make_shared<Ear>();
  class Watch;
  std::unique_ptr<Watch> watch_;  // what happens, on its way to the frontend
  MemoryRequest memory_request_;  // of the session's start: workers use it, whatever a host changes meanwhile
  std::unique_ptr<FoundMemory> found_memory_;
  std::shared_ptr<BackgroundTasks> tasks_ = std::make_shared<BackgroundTasks>();
  std::optional<AgentEquipment> equipment_;
  std::optional<Subagents> subagents_;  // before the agent: they end with it
  std::unique_ptr<Agent> agent_;
  std::optional<SkillSetup> skills_;
  std::shared_ptr<PromptCommands> commands_;  // nothing: none can be called
  std::atomic<std::size_t> samples_ = 0;      // of MCP servers
  std::unique_ptr<SessionServers> servers_;
};

}  // namespace deft
