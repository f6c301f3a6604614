#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "deft/core/file_ledger.h"
#include "deft/core/meaning_grant.h"
#include "deft/core/mode.h"
#include "deft/core/rule.h"
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
// A skill is at work: what it allows and forbids until the turn ends, and the model that the turn goes on with.
struct TurnGrant {
  std::string origin;  // for people: "the skill review"
  PermissionRules rules = {};
  std::string model = {};   // empty: as before
  std::string effort = {};  // the same
};
// A person has granted this with a plan, for the rest of the session.
struct MeaningsGranted {
  std::vector<MeaningGrant> grants;
};
// The session works in another checkout of its repository.
struct WorktreeStay {
  std::string path;           // canonical
  std::string from;           // where it began, and goes back to; canonical
  std::string branch = {};    // that was made with it
  std::string base = {};      // commit that it began with
  bool is_made_here = false;  // by this session: it may remove it
  bool is_by_hook = false;    // and a hook made it, which knows how to remove it
};
struct WorktreeChanged {
  std::optional<WorktreeStay> stay;  // nothing: back where it began
};
using Modifier = std::variant<WorkingDirectoryChanged, FileWasSeen, FileWasLookedAt, ModeChanged, TodosReplaced,
                              ToolsLoaded, TurnGrant, WorktreeChanged, MeaningsGranted>;

// What belongs to the session and not to the disk. One owner: the thread that runs the turn.
struct SessionState {
  std::string working_directory;         // canonical
  std::vector<std::string> directories;  // canonical; the project and the additional ones: tools may work there
  FileLedger files;
  ModeMemory mode = {};  // kept by whoever owns the permissions
  ToolDiscovery tools = {};
  TodoList todos = {};
  std::vector<TurnGrant> grants = {};                   // of this turn
  std::vector<MeaningGrant> meanings = {};              // that people have granted; a session that is resumed has none
  std::optional<WorktreeStay> worktree = std::nullopt;  // it works in; `directories` begins with that then

  void apply(const Modifier& modifier);
};

// The session as one call sees it: the state when the calls now running began, and on top what the earlier calls that
// it conflicts with have changed since. Safe to read from the call's thread: the state only changes when no call runs.
class SessionView {
 public:
  SessionView(const SessionState& state, std::vector<Modifier> pending);

  std::string_view working_directory() const;
  const std::vector<std::string>& directories() const { return directories_ ? *directories_ : state_->directories; }
  std::optional<FileSeen> file_seen(std::string_view path) const;
  std::vector<std::string> files_seen() const;  // their paths, sorted
  Mode mode() const { return mode_memory().now; }
  Mode mode_after_plan() const { return mode_memory().after_plan(); }
  std::vector<TurnGrant> grants() const;
  std::vector<MeaningGrant> meanings() const;
  std::optional<WorktreeStay> worktree() const;
  const TodoList& todos() const;
  bool has_loaded_tool(std::string_view name) const;

 private:
  ModeMemory mode_memory() const;

  const SessionState* state_;
  std::vector<Modifier> pending_;
  ModeMemory mode_;                                      // as it was then: people may change it while calls run
  std::optional<std::vector<std::string>> directories_;  // if earlier calls have changed them
};

}  // namespace deft
