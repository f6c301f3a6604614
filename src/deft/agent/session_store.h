#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/journal.h"
#include "deft/base/clock.h"
#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kSessionsMax = 1'000'000;  // looked at
inline constexpr std::size_t kSessionPrefixCharactersMin = 4;

// Where a session is.
struct SessionPlace {
  std::string id;      // a UUID
  std::string folder;  // exists
  std::string journal() const { return folder + "/" + std::string(kJournalFile); }
};

// The sessions of one user: a folder for each below $XDG_STATE_HOME/deft/sessions, named by its id, private (0700).
// What is in it: journal.jsonl (agent/journal.h), changes.jsonl and before/ (os/file_changes.h), tool-results/.
class SessionStore {
 public:
  explicit SessionStore(std::string folder) : folder_(std::move(folder)) {}
  // $XDG_STATE_HOME/deft/sessions; empty without a home.
  static std::string default_folder();

  // `id`: nothing: a new one. One that is used already is an error.
  Result<SessionPlace> create(const std::string& directory, const Clock& clock,
                              const std::optional<std::string>& id = std::nullopt) const;
  // A new session that knows everything that `from` knows now, and goes its own way from there. `from` may be in use.
  Result<SessionPlace> fork(const SessionPlace& from, const Clock& clock,
                            const std::optional<std::string>& id = std::nullopt) const;

  // By its id, or by the beginning of it if no other begins so. By its title too: find_session(), session_index.h.
  Result<SessionPlace> find(std::string_view id) const;
  // The one of this directory that was used last, and in which something was said.
  Result<SessionPlace> latest(std::string_view directory) const;

  // Its folder and all that is in it. Not one that is in use.
  Result<void> remove(const SessionPlace& place) const;

  // All there are, the one that was used last first.
  struct Entry {
    SessionPlace place;
    std::int64_t used_ns = 0;
    std::int64_t bytes = 0;  // of the journal
  };
  Result<std::vector<Entry>> list() const;

  const std::string& folder() const { return folder_; }

 private:
  Result<SessionPlace> make(const std::optional<std::string>& id) const;
  // As long as what it returns lives, nobody takes it for one that was given up.
  static Result<Journal> copy(const SessionPlace& from, const SessionPlace& to, const Clock& clock);

  std::string folder_;
};

// The error that names them.
std::unexpected<Error> several_sessions(std::string_view name, const std::vector<SessionPlace>& found);

}  // namespace deft
