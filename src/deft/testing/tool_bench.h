#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "deft/os/files.h"
#include "deft/os/processes.h"
#include "deft/tools/tool.h"

namespace deft {

// Starts nothing.
class NoProcesses final : public Processes {
 public:
  Result<CommandEnd> run(const Command&, const OutputSink&, const RunUntil&) override { return refusal(); }
  Result<std::unique_ptr<Child>> start(const Command&, std::stop_token) override { return refusal(); }

 private:
  static std::unexpected<Error> refusal() { return fail(Errc::unsupported, "this test has no processes"); }
};

// Calls tools by hand in a session of the test's own, one after another, as the engine would, each in a message of its
// own: validate, run, map the result, then apply what it changed in the session.
class ToolBench {
 public:
  explicit ToolBench(Files& files, std::string working_directory = "/");
  // For tools that start programs.
  void use(Processes& processes) { processes_ = &processes; }
  // For tools that change files: where they record it.
  void use(FileChanges& changes) { changes_ = &changes; }
  // For tools that may have more to say than is shown.
  void use(std::shared_ptr<OutputFolder> outputs) { outputs_ = std::move(outputs); }
  // For tools that ask what may be read.
  void use(std::shared_ptr<const Permissions> permissions) { permissions_ = std::move(permissions); }

  Result<ToolResult> call(Tool& tool, const Json& input);
  // Only what comes before the permission, and only what comes after it: for what happens in between.
  Result<void> validate(const Tool& tool, const Json& input);
  Result<ToolResult> run(Tool& tool, const Json& input);
  // As the turn itself would, where the tool can; nothing: it cannot. Changes nothing in the session.
  std::optional<Result<ToolResult>> run_briefly(Tool& tool, const Json& input);

  SessionState& session() { return session_; }
  std::stop_source& stop() { return stop_; }
  const std::vector<Json>& progress() const { return progress_; }

 private:
  ToolIo make_io(const SessionView& view);

  Files& files_;
  NoProcesses no_processes_;
  Processes* processes_ = &no_processes_;
  FileChanges* changes_ = nullptr;
  std::shared_ptr<OutputFolder> outputs_;
  std::shared_ptr<const Permissions> permissions_;
  SystemClock clock_;
  SessionState session_;
  std::stop_source stop_;
  std::vector<Json> progress_;
};

}  // namespace deft
