#include "selection/database.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include "base/error.hpp"

namespace tutti {

Database::Database(const std::string& directory, const std::string& file) : path_(directory + "/" + file) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw InputError(directory + ": cannot be made a directory: " + error.message());
  try {
    if (sqlite3_open(path_.c_str(), &handle_) != SQLITE_OK) fail("cannot be opened");
    sqlite3_busy_timeout(handle_, 10'000);
    execute("PRAGMA journal_mode=WAL");
    execute("PRAGMA synchronous=NORMAL");  // a killed process loses nothing, and a commit need not wait
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail(const std::string& what) const {
  if (sqlite3_errcode(handle_) == SQLITE_NOMEM) throw std::bad_alloc();
  std::string why = sqlite3_errmsg(handle_);  // with names that the file has
  std::replace_if(
      why.begin(), why.end(), [](unsigned char letter) { return letter < ' '; }, ' ');
  throw InputError(path_ + ": " + what + ": " + why + ": expected the state of a sweep, or a new --state directory");
}

void Database::execute(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql);
}

void Database::expect_identity(const std::string& identity, const std::string& otherwise) {
  execute("CREATE TABLE IF NOT EXISTS identity (text TEXT NOT NULL)");
  Statement known(*this, "SELECT text FROM identity");
  if (!known.step())
    Statement(*this, "INSERT INTO identity VALUES (?)").bind(0, identity).step();
  else if (known.text(0) != identity)
    throw InputError(path_ + ": " + otherwise + ": expected a new --state directory");
}

Statement::Statement(Database& database, const char* sql) : database_(database) {
  if (sqlite3_prepare_v2(database.handle_, sql, -1, &statement_, nullptr) != SQLITE_OK) database.fail(sql);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int i, const std::string& text) {
  sqlite3_bind_text(statement_, i + 1, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::bind(int i, std::int64_t value) {
  sqlite3_bind_int64(statement_, i + 1, value);
  return *this;
}

Statement& Statement::bind(int i, double value) {
  sqlite3_bind_double(statement_, i + 1, value);
  return *this;
}

Statement& Statement::bind_bytes(int i, const std::string& bytes) {
  if (sqlite3_bind_blob64(statement_, i + 1, bytes.data(), bytes.size(), SQLITE_TRANSIENT) != SQLITE_OK)
    database_.fail("bind");
  return *this;
}

bool Statement::step() {
  const int status = sqlite3_step(statement_);
  if (status != SQLITE_ROW && status != SQLITE_DONE) database_.fail("step");
  return status == SQLITE_ROW;
}

void Statement::reset() { sqlite3_reset(statement_); }

std::string Statement::text(int i) const {
  const auto* found = reinterpret_cast<const char*>(sqlite3_column_text(statement_, i));
  return found ? found : "";
}

std::string Statement::bytes(int i) const {
  const auto* found = static_cast<const char*>(sqlite3_column_blob(statement_, i));
  return found ? std::string(found, static_cast<std::size_t>(sqlite3_column_bytes(statement_, i))) : "";
}

std::int64_t Statement::integer(int i) const { return sqlite3_column_int64(statement_, i); }
double Statement::real(int i) const { return sqlite3_column_double(statement_, i); }

Transaction::Transaction(Database& database) : database_(database) { database_.execute("BEGIN IMMEDIATE"); }

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.handle_, "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace tutti
