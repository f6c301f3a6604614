#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "deft/agent/session_effects.h"
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

// As it stands in a patch, and in a list of paths: quoted if a line could end in it.
std::string path_on_one_line(const std::string& path);

// What undoing would do to one file.
struct UndoOfFile {
  std::string path;
  std::optional<ContentId> now;        // what it must still have; nothing: there must be none
  std::string bytes_now;               // the same as bytes
  std::optional<std::string> before;   // what it gets; nothing: it is removed, because the change created it
  std::string folder_made;             // the topmost one that the change had to create for it; empty: none
  std::uint32_t mode = 0;              // of a file that comes back
  std::optional<FileOwner> owner;      // of a file that comes back, if it is known
  bool was_removed = false;            // meanwhile: what is there now is another file of its name
  std::vector<std::uint64_t> changes;  // that are undone with it
  std::string patch;                   // unified; what would change, for people
};
struct NotUndone {
  std::string what;  // a path, or the title of a call
  std::string why;
};
// A change that was recorded and did not happen, or was taken back by somebody who was killed before he could say so.
struct NeverMade {
  std::uint64_t number = 0;
  std::string path;
  std::string folder_made;  // that may have been made for it; empty: none
};
struct UndoPlan {
  std::string title;  // "turn 3 (2 calls)"
  std::vector<UndoOfFile> files;
  std::vector<NotUndone> refused;     // files that somebody has changed since, or whose old content is not kept
  std::vector<NotUndone> cannot;      // effects of calls that no file tool made
  std::vector<NeverMade> never_made;  // for carry_out() to tidy up after
  bool is_for_nobody() const { return files.empty() && refused.empty() && cannot.empty(); }
};

// Looks, and changes nothing. `inside`: files elsewhere are refused; nothing: they may be anywhere. Errors: `not_found`
// if there is nothing of this name, or nothing left to be undone. A plan that is for nobody only tidies up.
Result<UndoPlan> plan_undo(const std::string& journal, const UndoTarget& target, FileChanges& changes, Files& files,
                           const std::optional<std::string>& inside = std::nullopt);

// The same for all that was changed since a person's prompt was given, by whichever agent of the session: `folder` is
// the session's, `uuid` the prompt's. A plan without files: nothing was changed. Errors: `not_found` if there is no
// such prompt.
Result<UndoPlan> plan_rewind(const std::string& folder, std::string_view uuid, FileChanges& changes, Files& files);

// Does it, all of it or nothing: where one file cannot be changed as planned, the others get back what they had, and
// all of them move to `refused`. Returns the paths.
Result<std::vector<std::string>> carry_out(UndoPlan& plan, FileChanges& changes, Files& files);

}  // namespace deft
