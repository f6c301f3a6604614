#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "deft/base/result.h"
#include "deft/os/file_changes.h"
#include "deft/os/files.h"

namespace deft {

// What of a session is to be taken back.
struct UndoTarget {
  enum class What : std::uint8_t { call, message, turn };
  What what = What::turn;
  std::string call_id = {};           // of a call; empty: the last one that changed a file
  std::optional<std::size_t> number;  // of a message or a turn, counted from 1; nothing: the last that changed a file
};
// "turn", "turn 3", "message", "message 7", "call", "call ID", "ID"; nothing: the last turn.
Result<UndoTarget> parse_undo_target(const std::vector<std::string>& words);

// A call of a session that may have had an effect, in the order of the journal.
struct EffectOfCall {
  std::string call_id;
  std::string tool;
  std::string title;  // "Bash: make test"
  std::size_t message = 0;
  std::size_t turn = 0;
  bool is_finished = false;  // its result is known
};
Result<std::vector<EffectOfCall>> effects_of_session(const std::string& journal);

// What undoing would do to one file.
struct UndoOfFile {
  std::string path;
  std::optional<ContentId> now;        // what it must still have; nothing: there must be none
  std::optional<std::string> before;   // what it gets; nothing: it is removed, because the change created it
  std::uint32_t mode = 0;              // of a file that comes back
  std::vector<std::uint64_t> changes;  // that are undone with it
  std::string patch;                   // unified; what would change, for people
};
struct NotUndone {
  std::string what;  // a path, or the title of a call
  std::string why;
};
struct UndoPlan {
  std::string title;  // "turn 3 (2 calls)"
  std::vector<UndoOfFile> files;
  std::vector<NotUndone> refused;         // files that somebody has changed since, or whose old content is not kept
  std::vector<NotUndone> cannot;          // effects of calls that no file tool made
  std::vector<std::uint64_t> never_made;  // changes that were recorded and did not happen
};

// Looks, and changes nothing. Errors: `not_found` if there is nothing of this name, or nothing left to be undone.
Result<UndoPlan> plan_undo(const std::string& journal, const UndoTarget& target, FileChanges& changes, Files& files);

// Does it, file by file; one that has changed since the plan was made is refused, and moves to `refused`.
Result<std::vector<std::string>> carry_out(UndoPlan& plan, FileChanges& changes, Files& files);

}  // namespace deft
