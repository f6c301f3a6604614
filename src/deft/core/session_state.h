#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "deft/core/file_ledger.h"

namespace deft {

// What a call changes in its session, as a value: applied in call order, never a callback into shared state.
struct WorkingDirectoryChanged {
  std::string path;
};
struct FileWasSeen {
  FileSeen seen;
};
using Modifier = std::variant<WorkingDirectoryChanged, FileWasSeen>;

// What belongs to the session and not to the disk. One owner: the thread that runs the turn.
struct SessionState {
  std::string working_directory;         // canonical
  std::vector<std::string> directories;  // canonical; the project and the additional ones: tools may work there
  FileLedger files;

  void apply(const Modifier& modifier);
};

// The session as one call sees it: the state when the calls now running began, and on top what the earlier calls that
// it conflicts with have changed since. Safe to read from the call's thread: the state only changes when no call runs.
class SessionView {
 public:
  SessionView(const SessionState& state, std::vector<Modifier> pending)
      : state_(&state), pending_(std::move(pending)) {}

  std::string_view working_directory() const;
  const std::vector<std::string>& directories() const { return state_->directories; }
  std::optional<FileSeen> file_seen(std::string_view path) const;

 private:
  const SessionState* state_;
  std::vector<Modifier> pending_;
};

}  // namespace deft
