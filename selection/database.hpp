#pragma once

#include <cstdint>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace tutti {

/// A SQLite file in a --state directory. A process that is killed loses nothing that was committed. Used by one thread
/// at a time, and by any number of processes. What SQLite refuses is an InputError that names the file.
class Database {
 public:
  /// Opens or makes DIRECTORY/FILE.
  Database(const std::string& directory, const std::string& file);
  ~Database();
  Database(const Database&) = delete;

  void execute(const char* sql);
  /// Says that this is a state of `identity`, within a transaction. Throws InputError "FILE: `otherwise`: expected a
  /// new
  /// --state directory" where another one was said before.
  void expect_identity(const std::string& identity, const std::string& otherwise);
  [[noreturn]] void fail(const std::string& what) const;

 private:
  friend class Statement;
  friend class Transaction;
  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// A prepared statement; columns and parameters count from 0.
class Statement {
 public:
  Statement(Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& bind(int i, const std::string& text);
  Statement& bind(int i, std::int64_t value);
  Statement& bind(int i, double value);
  Statement& bind_bytes(int i, const std::string& bytes);
  /// Whether there is a row.
  bool step();
  void reset();
  std::string text(int i) const;  ///< empty where a damaged file says that there is none
  std::string bytes(int i) const;
  std::int64_t integer(int i) const;
  double real(int i) const;

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// Everything until commit() is kept, or nothing.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace tutti
