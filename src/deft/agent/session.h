#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/journal_branch.h"
#include "deft/agent/journal_entry.h"
#include "deft/agent/journal_reader.h"
#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/file_ledger.h"
#include "deft/core/history.h"
#include "deft/core/message.h"
#include "deft/core/todo_list.h"
#include "deft/core/token_use.h"
#include "deft/core/tool_discovery.h"

namespace deft {

// What the models of a session have used, added up.
struct SessionUsage {
  std::uint64_t tokens = 0;  // in and out, of all models
  double cost = 0;           // as far as it was known
  std::map<std::string, TokenUse> by_model = {};

  void add(const std::string& model, const Json& usage, double cost_of_it);
  void add(const SessionUsage& other);
  void subtract(const SessionUsage& earlier);  // of which it has become this
};

// A session as its journal tells it. Whatever happened to the process that wrote it, `history` is one that the API
// accepts, up to a new word of the user's: finished calls have their results, calls that may have had an effect are
// answered as interrupted, all others as not done; none of them is ever run by being resumed.
struct Session {
  // `journal`: its path. With a point, it is the session as it was there; whoever goes on with it writes the repairs,
  // and from then on that is the session. Errors of the point: JournalBranch::find().
  static Result<Session> load(const std::string& journal, const ResumePoint& point = {});

  JournalOpening opening;
  History history;
  std::vector<std::string> call_ids;  // ever used
  FileLedger files;
  std::string working_directory;  // empty: it was never changed
  std::optional<WorktreeStay> worktree = std::nullopt;
  TodoList todos;
  ToolDiscovery tools;                // that were loaded, and told of
  std::map<std::string, Json> state;  // Journal::state(): "title", "mode" …
  SessionUsage usage;
  std::int64_t changed_ms = 0;        // time of the last entry
  std::optional<ToolCall> deferred;   // the last message's only call, which waits to be decided: it is not answered
  std::size_t interrupted_calls = 0;  // that the end of the process cut off
  std::vector<JournalEntry> repairs;  // what whoever goes on with the session writes first
};

// Journal::state() of a call that is to be decided later: {"call": its id}.
inline constexpr std::string_view kDeferredState = "deferred";
// True: planning has begun while the session was used, by the model or by a person, and has not been ended since.
inline constexpr std::string_view kPlanningState = "planning";

// Journal::state() of the names of tools that the model was told of.
inline constexpr std::string_view kAnnouncedToolsKey = "announced_tools";
// What the model is told of a call that the end of the process cut off.
inline constexpr std::string_view kInterruptedText =
    "Interrupted: deft was ended while this call ran, and it is not known how far it came. It may have had its effect, "
    "wholly or in part. It was not started again: look first what it has done.";
inline constexpr std::string_view kNotDoneText =
    "Not done: deft was ended before this call had a result. It has changed nothing; call it again if you still need "
    "it.";

}  // namespace deft
