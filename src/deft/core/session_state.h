#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "deft/core/file_ledger.h"
#include "deft/core/mode.h"
#include "deft/core/todo_list.h"
#include "deft/core/tool_discovery.h"

namespace deft {

// What a call changes in its session, as a value: applied in call order, never a callback into shared state.
struct WorkingDirectoryChanged {
  std::string path;
};
struct FileWasSeen {
  FileSeen seen;
};
// A file that was seen has another modification time, and the model need not be told of that any more.
struct FileWasLookedAt {
  std::string path;  // canonical
  std::int64_t modified_ns = 0;
};
struct TodosReplaced {
  TodoList todos;
};
using Modifier =
    std::variant<WorkingDirectoryChanged, FileWasSeen, FileWasLookedAt, ModeChanged, TodosReplaced, ToolsLoaded>;

// What belongs to the session and not to the disk. One owner: the thread that runs the turn.
struct SessionState {
  std::string working_directory;         // canonical
  std::vector<std::string> directories;  // canonical; the project and the additional ones: tools may work there
  FileLedger files;
  ModeMemory mode = {};  // kept by whoever owns the permissions
  ToolDiscovery tools = {};
  TodoList todos = {};

  void apply(const Modifier& modifier);
};

// The session as one call sees it: the state when the calls now running began, and on top what the earlier calls that
// it conflicts with have changed since. Safe to read from the call's thread: the state only changes when no call runs.
class SessionView {
 public:
  SessionView(const SessionState& state, std::vector<Modifier> pending)
      : state_(&state), pending_(std::move(pending)), mode_(state.mode) {}

  std::string_view working_directory() const;
  const std::vector<std::string>& directories() const { return state_->directories; }
  std::optional<FileSeen> file_seen(std::string_view path) const;
  std::vector<std::string> files_seen() const;  // their paths, sorted
  Mode mode() const;
  const TodoList& todos() const;
  bool has_loaded_tool(std::string_view name) const;

 private:
  const SessionState* state_;
  std::vector<Modifier> pending_;
  ModeMemory mode_;  // as it was then: people may change it while calls run
};

}  // namespace deft
