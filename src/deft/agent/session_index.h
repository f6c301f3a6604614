#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/session_store.h"
#include "deft/agent/session_summary.h"
#include "deft/base/result.h"
#include "deft/os/sqlite.h"

namespace deft {

// A list of all sessions that is quick however many there are: `index.db` beside their folders. It holds nothing that
// is not in the journals; when it is opened, what has changed since the last time is read again, and one that is broken
// is made anew. Where it cannot be kept it is made in memory.
class SessionIndex {
 public:
  static Result<SessionIndex> open(const SessionStore& store);
  // After sessions were removed: what they said is in the index no more, if there is one.
  static void forget_removed(const SessionStore& store);

  struct Query {
    std::optional<std::string> directory = std::nullopt;
    std::optional<std::string> title = std::nullopt;
    std::size_t limit = 100;
    bool with_empty = false;  // also those in which nothing was said yet
  };
  // The one that was used last first.
  Result<std::vector<SessionSummary>> list(const Query& query);

  struct Hit {
    SessionSummary session;
    std::string excerpt;  // one line, with the words found in «»
  };
  // Sessions in which all of these words were said; the best first. The last word may be the beginning of one.
  Result<std::vector<Hit>> search(std::string_view words, const Query& query);

 private:
  SessionIndex(const SessionStore& store, Sqlite database) : store_(store), database_(std::move(database)) {}
  static Result<SessionIndex> open_file(const SessionStore& store, const std::string& path);
  Result<void> make_tables();
  Result<void> refresh();
  Result<void> put(const SessionStore::Entry& entry);
  Result<void> remove(const std::string& id);

  SessionStore store_;
  Sqlite database_;
};

// A session by its id, by the beginning of it if no other begins so, or by the title that it was given.
Result<SessionPlace> find_session(const SessionStore& store, std::string_view name);

}  // namespace deft
