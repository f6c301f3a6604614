#include "deft/agent/session_index.h"

#include <unistd.h>

#include <unordered_map>
#include <utility>

#include "deft/base/text.h"
#include "deft/os/private_folder.h"

namespace deft {
namespace {

constexpr int kIndexVersion = 3;  // 1: kept words of sessions that were gone; 2: without what subagents cost
constexpr std::size_t kWordsMax = 20;
constexpr std::size_t kExcerptCharactersMax = 160;
constexpr const char* kInMemory = ":memory:";
constexpr std::string_view kColumns =
    "id, directory, forked_from, title, prompt, model, began_ms, changed_ms, turns, messages, effects, tokens, cost";

void remove_file_of_index(const std::string& path) {
  for (const char* ending : {"", "-wal", "-shm"}) ::unlink((path + ending).c_str());
}

SessionSummary summary_of(const SqliteStatement& row, const std::string& folder) {
  SessionSummary summary;
  summary.place = {.id = row.text(0), .folder = folder + "/" + row.text(0)};
  summary.directory = row.text(1);
  summary.forked_from = row.text(2);
  summary.title = row.text(3);
  summary.prompt = row.text(4);
  summary.model = row.text(5);
  summary.began_ms = row.integer(6);
  summary.changed_ms = row.integer(7);
  summary.turns = row.integer(8);
  summary.messages = row.integer(9);
  summary.effects = row.integer(10);
  summary.tokens = row.integer(11);
  summary.cost = row.real(12);
  return summary;
}

// Whatever a person types, as words that all have to be there: "\"make\" \"test\"*".
std::string match_expression(std::string_view words) {
  std::string expression;
  std::size_t count = 0;
  for (std::size_t at = 0; at < words.size() && count < kWordsMax;) {
    const std::size_t begin = words.find_first_not_of(" \t\r\n", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(words.find_first_of(" \t\r\n", begin), words.size());
    expression += expression.empty() ? "\"" : " \"";
    for (const char c : words.substr(begin, end - begin)) {
      if (c == '"') expression += '"';
      if (c != '\0') expression += c;
    }
    expression += '"';
    at = end;
    ++count;
  }
  return expression.empty() ? expression : expression + "*";
}

std::string conditions(const SessionIndex::Query& query) {
  std::string text = query.with_empty ? "1" : "sessions.prompt != ''";
  if (query.directory) text += " AND sessions.directory = ?1";
  if (query.title) text += " AND sessions.title = ?2";
  return text;
}

void bind(SqliteStatement& statement, const SessionIndex::Query& query) {
  if (query.directory) statement.bind(1, *query.directory);
  if (query.title) statement.bind(2, *query.title);
}

}  // namespace

Result<SessionIndex> SessionIndex::open(const SessionStore& store) {
  if (auto made = make_private_folders(store.folder()); !made) return std::unexpected(made.error());
  const std::string path = store.folder() + "/index.db";
  auto index = open_file(store, path);
  if (index) return index;
  // One that others write is not broken: who removed it would break it.
  if (index.error().code == Errc::timeout) return open_file(store, kInMemory);
  remove_file_of_index(path);
  index = open_file(store, path);
  return index ? std::move(index) : open_file(store, kInMemory);
}

void SessionIndex::forget_removed(const SessionStore& store) {
  if (::access((store.folder() + "/index.db").c_str(), F_OK) == 0) static_cast<void>(open(store));
}

Result<SessionIndex> SessionIndex::open_file(const SessionStore& store, const std::string& path) {
  auto database = Sqlite::open(path);
  if (!database) return std::unexpected(database.error());
  SessionIndex index(store, std::move(*database));
  if (auto made = index.make_tables(); !made) return std::unexpected(made.error());
  if (auto done = index.refresh(); !done) return std::unexpected(done.error());
  return index;
}

Result<void> SessionIndex::make_tables() {
  auto version = database_.prepare("PRAGMA user_version");
  if (!version) return std::unexpected(version.error());
  if (auto row = version->step(); !row) return std::unexpected(row.error());
  if (version->integer(0) == kIndexVersion) return {};
  version->reset();
  return database_.execute(
      "BEGIN IMMEDIATE;"
      "DROP TABLE IF EXISTS sessions; DROP TABLE IF EXISTS said;"
      "CREATE TABLE sessions(number INTEGER PRIMARY KEY, id TEXT UNIQUE, journal_ns INTEGER, journal_bytes INTEGER,"
      " directory TEXT, forked_from TEXT, title TEXT, prompt TEXT, model TEXT, began_ms INTEGER, changed_ms INTEGER,"
      " turns INTEGER, messages INTEGER, effects INTEGER, tokens INTEGER, cost REAL);"
      "CREATE INDEX by_time ON sessions(changed_ms);"
      "CREATE INDEX by_directory ON sessions(directory, changed_ms);"
      "CREATE VIRTUAL TABLE said USING fts5(text);"
      "PRAGMA user_version=" +
      std::to_string(kIndexVersion) + "; COMMIT;");
}

// Journals only grow, so size and time say whether one has changed.
Result<void> SessionIndex::refresh() {
  const auto entries = store_.list();
  if (!entries) return std::unexpected(entries.error());
  struct Known {
    std::int64_t used_ns = 0;
    std::int64_t bytes = 0;
  };
  std::unordered_map<std::string, Known> known;
  auto rows = database_.prepare("SELECT id, journal_ns, journal_bytes FROM sessions");
  if (!rows) return std::unexpected(rows.error());
  for (;;) {
    const auto row = rows->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) break;
    known[rows->text(0)] = {rows->integer(1), rows->integer(2)};
  }
  rows->reset();

  std::vector<const SessionStore::Entry*> changed;
  for (const SessionStore::Entry& entry : *entries) {
    const auto found = known.find(entry.place.id);
    const bool is_new =
        found == known.end() || found->second.used_ns != entry.used_ns || found->second.bytes != entry.bytes;
    if (is_new) changed.push_back(&entry);
    if (found != known.end()) known.erase(found);
  }
  if (changed.empty() && known.empty()) return {};
  if (auto begun = database_.execute("BEGIN IMMEDIATE"); !begun) return begun;
  for (const auto& [id, ignored] : known) {  // those that are gone
    if (auto removed = remove(id); !removed) return removed;
  }
  for (const SessionStore::Entry* entry : changed) {
    if (auto done = put(*entry); !done) return done;
  }
  // Only then are their words gone from the lists of words, too.
  if (!known.empty()) {
    if (auto done = database_.execute("INSERT INTO said(said) VALUES('optimize')"); !done) return done;
  }
  return database_.execute("COMMIT");
}

Result<void> SessionIndex::remove(const std::string& id) {
  for (const char* text : {"DELETE FROM said WHERE rowid = (SELECT number FROM sessions WHERE id = ?1)",
                           "DELETE FROM sessions WHERE id = ?1"}) {
    auto statement = database_.prepare(text);
    if (!statement) return std::unexpected(statement.error());
    if (auto done = statement->bind(1, id).step(); !done) return std::unexpected(done.error());
  }
  return {};
}

Result<void> SessionIndex::put(const SessionStore::Entry& entry) {
  if (auto removed = remove(entry.place.id); !removed) return removed;
  std::string said;
  const auto summary = summarise_session(entry.place, &said);
  if (!summary) return {};  // not a journal that we can read: it is not in the list
  auto row = database_.prepare(
      "INSERT INTO sessions(id, journal_ns, journal_bytes, directory, forked_from, title, prompt, model, began_ms,"
      " changed_ms, turns, messages, effects, tokens, cost) "
      "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)");
  if (!row) return std::unexpected(row.error());
  row->bind(1, entry.place.id).bind(2, entry.used_ns).bind(3, entry.bytes);
  row->bind(4, summary->directory).bind(5, summary->forked_from).bind(6, summary->title).bind(7, summary->prompt);
  row->bind(8, summary->model).bind(9, summary->began_ms).bind(10, summary->changed_ms).bind(11, summary->turns);
  row->bind(12, summary->messages).bind(13, summary->effects).bind(14, summary->tokens).bind(15, summary->cost);
  if (auto done = row->step(); !done) return std::unexpected(done.error());
  auto text = database_.prepare("INSERT INTO said(rowid, text) VALUES(last_insert_rowid(), ?1)");
  if (!text) return std::unexpected(text.error());
  if (auto done = text->bind(1, said).step(); !done) return std::unexpected(done.error());
  return {};
}

Result<std::vector<SessionSummary>> SessionIndex::list(const Query& query) {
  auto rows = database_.prepare("SELECT " + std::string(kColumns) + " FROM sessions WHERE " + conditions(query) +
                                " ORDER BY changed_ms DESC, id LIMIT ?3");
  if (!rows) return std::unexpected(rows.error());
  bind(*rows, query);
  rows->bind(3, static_cast<std::int64_t>(query.limit));
  std::vector<SessionSummary> found;
  for (;;) {
    const auto row = rows->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return found;
    found.push_back(summary_of(*rows, store_.folder()));
  }
}

Result<std::vector<SessionIndex::Hit>> SessionIndex::search(std::string_view words, const Query& query) {
  std::vector<Hit> hits;
  const std::string expression = match_expression(words);
  if (expression.empty()) return hits;
  std::string columns(kColumns);
  auto rows = database_.prepare("SELECT " + columns +
                                ", snippet(said, 0, '«', '»', '…', 20) FROM said JOIN sessions ON number = said.rowid"
                                " WHERE said MATCH ?4 AND " +
                                conditions(query) + " ORDER BY rank LIMIT ?3");
  if (!rows) return std::unexpected(rows.error());
  bind(*rows, query);
  rows->bind(3, static_cast<std::int64_t>(query.limit)).bind(4, expression);
  for (;;) {
    const auto row = rows->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return hits;
    hits.push_back({summary_of(*rows, store_.folder()), one_line(rows->text(13), kExcerptCharactersMax)});
  }
}

Result<SessionPlace> find_session(const SessionStore& store, std::string_view name) {
  auto by_id = store.find(name);
  if (by_id || by_id.error().code != Errc::not_found || name.empty()) return by_id;  // untitled ones have no name
  auto index = SessionIndex::open(store);
  if (!index) return std::unexpected(index.error());
  const auto titled = index->list({.title = std::string(name), .limit = 3, .with_empty = true});
  if (!titled) return std::unexpected(titled.error());
  std::vector<SessionPlace> found;
  for (const SessionSummary& summary : *titled) found.push_back(summary.place);
  if (found.size() > 1) return several_sessions(name, found);
  return found.empty() ? by_id : found.front();
}

}  // namespace deft
