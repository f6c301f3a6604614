#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "deft/agent/call_pipeline.h"
#include "deft/agent/call_runner.h"
#include "deft/agent/executor.h"
#include "deft/agent/temporary_session.h"
#include "deft/os/disk_files.h"
#include "deft/os/file_changes.h"
#include "deft/os/warden_processes.h"

namespace deft {

struct EngineOptions {
  std::string working_directory;                             // canonical
  std::vector<std::string> directories = {};                 // further ones that tools may work in; canonical
  std::optional<std::string> session_folder = std::nullopt;  // nothing: a temporary one, removed at the end
  PermissionRules rules = {};
  Mode mode = Mode::normal;
  // Instead of the two: settings of several sources. Directories and the view of the disk are added to it.
  std::optional<PermissionSetup> permissions = std::nullopt;
  ExecutorOptions executor = {};
  HookRunner* hooks = nullptr;       // outlives the engine; nothing: none run
  PermissionStore* store = nullptr;  // outlives the engine; nothing: rules live as long as the session
};

// An executor with everything that it needs, on the real machine: the way to embed deft.
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
  Result<void> add_tool(std::shared_ptr<Tool> tool) { return registry_.add(std::move(tool)); }
  void feed(Feed item) { executor_->feed(std::move(item)); }
  ExecutorSummary run() { return executor_->run(); }

  // As they are now; from any thread.
  std::shared_ptr<const Permissions> permissions() const;
  const std::string& session_folder() const { return folder_; }
  const SessionState& session() const { return session_; }  // while run() is not running

 private:
  Engine(EngineOptions options, std::optional<TemporarySession> temporary);
  Result<void> wire(Frontend& frontend);
  std::string journal_folder() const;
  PermissionSetup permission_setup();

  EngineOptions options_;
  std::optional<TemporarySession> temporary_;
  std::string folder_;
  SystemClock clock_;
  DiskFiles files_;
  WardenProcesses processes_{clock_};
  NoHooks no_hooks_;
  ResultStore results_;
  FileChanges changes_;
  ToolRegistry registry_;
  SessionState session_;
  mutable std::mutex permissions_mutex_;
  std::shared_ptr<const Permissions> permissions_;  // under the mutex
  std::optional<Journal> journal_;
  std::optional<CallPipeline> pipeline_;
  std::optional<ThreadRunner> runner_;
  std::optional<Executor> executor_;
};

}  // namespace deft
