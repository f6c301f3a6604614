#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "deft/agent/call_pipeline.h"
#include "deft/agent/call_runner.h"
#include "deft/agent/executor.h"
#include "deft/agent/timeline_sink.h"
#include "deft/agent/workshop.h"
#include "deft/os/secrecy.h"

namespace deft {

struct EngineOptions {
  std::string working_directory;                             // canonical
  std::vector<std::string> directories = {};                 // further ones that tools may work in; canonical
  std::optional<std::string> session_folder = std::nullopt;  // see WorkshopOptions
  PermissionRules rules = {};
  Mode mode = Mode::normal;
  // Instead of the two: settings of several sources. Directories and the view of the disk are added to it.
  std::optional<PermissionSetup> permissions = std::nullopt;
  ExecutorOptions executor = {};
  ResultOptions results = {};
  Survives survives = Survives::killed;  // see WorkshopOptions
  Deferral deferral = {};                // which tools the model is not shown at first; never any, if nothing is said
  HookRunner* hooks = nullptr;           // see WorkshopOptions
  PermissionStore* store = nullptr;      // see WorkshopOptions
  const Clock* clock = nullptr;          // see WorkshopOptions
  // A second opinion on what nobody allows, in auto mode and of what was granted by meaning; outlives the engine.
  CallClassifier* classifier = nullptr;
  Duration opinion_patience = kOpinionPatience;
  // What its people are asked goes there, watched by whoever wants to answer; outlives the engine. Nothing: a queue of
  // its own, which its frontend watches. A subagent is given that of its parent.
  PromptQueue* prompts = nullptr;
  TimelineSink* timeline = nullptr;  // of an Agent: told when calls, requests and turns have ended; outlives it
  std::vector<std::string> secrets = secrets_of_environment();  // of an Agent: masked in what is kept of its times

  // Of a subagent: the session that it works in, instead of one of its own; outlives the engine. `store` is then its
  // own, if it has one.
  Workshop* workshop = nullptr;
  std::string agent_id = {};
  std::string agent_type = {};
  std::string started_by = {};     // the call
  bool only_reads = false;         // calls that change anything are denied, whatever the permissions say
  bool wants_mcp_content = false;  // results keep what MCP servers gave, see ToolResult
};

// What one agent has of its own: its tools, what it has seen of files, its permissions, its journal, and the executor
// that carries out its calls. All else it shares with the other agents of the session, see Workshop. Without others it
// is the way to embed deft:
//   auto engine = Engine::open({.working_directory = "/project"}, frontend);
//   engine->add_tool(std::make_shared<MyTool>());
//   engine->feed(…);  // from any thread
//   engine->run();    // until the input has ended and every call is answered
class Engine {
 public:
  static Result<std::unique_ptr<Engine>> open(EngineOptions options, Frontend& frontend);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Before the first feed().
  using SchemaCheck = ToolRegistry::SchemaCheck;
  Result<void> add_tool(std::shared_ptr<Tool> tool, SchemaCheck check = SchemaCheck::now) {
    return registry_.add(std::move(tool), check);
  }
  // Between turns: see ToolRegistry.
  void offer_only(std::function<bool(const ToolSpec& spec)> offers) { registry_.offer_only(std::move(offers)); }
  void feed(Feed item) { executor_->feed(std::move(item)); }
  ExecutorSummary run() { return executor_->run(); }

  // As they are now; from any thread.
  std::shared_ptr<const Permissions> permissions() const;
  const std::string& session_folder() const { return workshop_->folder(); }
  const SessionState& session() const { return session_; }  // while run() is not running

  // For whoever runs the turn instead of run(), on its thread.
  Executor& executor() { return *executor_; }
  CallRunner& runner() { return *runner_; }
  Journal& journal() { return *journal_; }
  GivenResults& given() { return *given_; }
  SessionState& session() { return session_; }
  // Where an earlier run of the session was, if that is still a place to be; else it stays where it is.
  void go_to(const std::string& directory);
  Workshop& workshop() { return *workshop_; }
  const Clock& clock() const { return workshop_->clock(); }
  PromptQueue& prompts() { return options_.prompts ? *options_.prompts : own_prompts_; }

 private:
  Engine(EngineOptions options, std::unique_ptr<Workshop> own);
  Result<void> wire(Frontend& frontend);
  void tell_of_recovered_files(Frontend& frontend);
  Result<Journal> open_journal() const;
  PermissionSetup permission_setup();

  EngineOptions options_;
  std::unique_ptr<Workshop> own_workshop_;  // null: it is somebody else's
  Workshop* workshop_;
  PromptQueue own_prompts_;
  ToolRegistry registry_;
  SessionState session_;
  mutable std::mutex permissions_mutex_;
  std::shared_ptr<const Permissions> permissions_;  // under the mutex
  std::optional<Journal> journal_;
  std::optional<GivenResults> given_;
  std::optional<CallPipeline> pipeline_;
  std::optional<ThreadRunner> runner_;
  std::optional<Executor> executor_;
};

}  // namespace deft
