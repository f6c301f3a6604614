#include "deft/os/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>

#include <cerrno>

#include "deft/os/unique_fd.h"

namespace deft {
namespace {

constexpr int kBusyMilliseconds = 10'000;

Error error_of(sqlite3* database) {
  const int code = sqlite3_errcode(database);
  const bool is_in_use = code == SQLITE_BUSY || code == SQLITE_LOCKED;
  return {is_in_use ? Errc::timeout : Errc::io, std::string("the index: ") + sqlite3_errmsg(database)};
}

}  // namespace

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Sqlite::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

SqliteStatement& SqliteStatement::bind(int place, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), place, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

SqliteStatement& SqliteStatement::bind(int place, std::int64_t number) {
  sqlite3_bind_int64(statement_.get(), place, number);
  return *this;
}

SqliteStatement& SqliteStatement::bind(int place, double number) {
  sqlite3_bind_double(statement_.get(), place, number);
  return *this;
}

Result<bool> SqliteStatement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return std::unexpected(error_of(sqlite3_db_handle(statement_.get())));
}

void SqliteStatement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

std::int64_t SqliteStatement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double SqliteStatement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string SqliteStatement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return text ? std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))) : "";
}

Result<Sqlite> Sqlite::open(const std::string& path) {
  // SQLite takes the mode from the umask; what is there already keeps its own.
  const bool is_file = path != ":memory:";
  const UniqueFd created(is_file ? ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)
                                 : -1);
  if (is_file && !created) return std::unexpected(system_error(Errc::io, "cannot open " + path, errno));
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  Sqlite database(opened);
  if (code != SQLITE_OK) return std::unexpected(opened ? error_of(opened) : Error{Errc::io, "cannot open " + path});
  sqlite3_busy_timeout(opened, kBusyMilliseconds);
  // What is deleted is overwritten: somebody wanted it to be gone.
  if (auto set = database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA secure_delete=ON;"); !set) {
    return std::unexpected(set.error());
  }
  return database;
}

Result<void> Sqlite::execute(const std::string& statements) {
  if (sqlite3_exec(database_.get(), statements.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return std::unexpected(error());
}

Result<SqliteStatement> Sqlite::prepare(std::string_view statement) {
  sqlite3_stmt* prepared = nullptr;
  const int code =
      sqlite3_prepare_v2(database_.get(), statement.data(), static_cast<int>(statement.size()), &prepared, nullptr);
  if (code != SQLITE_OK) return std::unexpected(error());
  return SqliteStatement(prepared);
}

Error Sqlite::error() const { return error_of(database_.get()); }

}  // namespace deft
