#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "deft/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace deft {

// A statement of a database: bind what stands for its question marks (counted from 1), then step through its rows.
class SqliteStatement {
 public:
  SqliteStatement& bind(int place, std::string_view text);
  SqliteStatement& bind(int place, std::int64_t number);
  SqliteStatement& bind(int place, double number);

  Result<bool> step();  // false: no further row
  void reset();         // for another time

  // Of the row; columns are counted from 0.
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;

 private:
  friend class Sqlite;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// A database file that holds nothing that cannot be made again: it is not waited for until it is on the disk. Used by
// one thread at a time, and by several processes at once.
class Sqlite {
 public:
  // Private to its user (0600).
  static Result<Sqlite> open(const std::string& path);

  Result<void> execute(const std::string& statements);
  Result<SqliteStatement> prepare(std::string_view statement);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Sqlite(sqlite3* database) : database_(database) {}
  Error error() const;

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace deft
