#include "selection/state.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <mutex>

#include "algos/error.hpp"

namespace tutti {

class SweepState::Database {
 public:
  explicit Database(const std::string& path) : path_(path) {
    if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) fail("cannot be opened");
    sqlite3_busy_timeout(handle_, 10'000);
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(path_ + ": " + what + ": " + sqlite3_errmsg(handle_));
  }
  void execute(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql);
  }

  /// A prepared statement; columns and parameters count from 0.
  class Statement {
   public:
    Statement(Database& database, const char* sql) : database_(database) {
      if (sqlite3_prepare_v2(database.handle_, sql, -1, &statement_, nullptr) != SQLITE_OK) database.fail(sql);
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& bind(int i, const std::string& text) {
      sqlite3_bind_text(statement_, i + 1, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
      return *this;
    }
    Statement& bind(int i, std::int64_t value) {
      sqlite3_bind_int64(statement_, i + 1, value);
      return *this;
    }
    Statement& bind(int i, double value) {
      sqlite3_bind_double(statement_, i + 1, value);
      return *this;
    }
    bool step() {
      const int status = sqlite3_step(statement_);
      if (status != SQLITE_ROW && status != SQLITE_DONE) database_.fail("step");
      return status == SQLITE_ROW;
    }
    void reset() { sqlite3_reset(statement_); }
    std::string text(int i) const { return reinterpret_cast<const char*>(sqlite3_column_text(statement_, i)); }
    std::int64_t integer(int i) const { return sqlite3_column_int64(statement_, i); }
    double real(int i) const { return sqlite3_column_double(statement_, i); }

   private:
    Database& database_;
    sqlite3_stmt* statement_ = nullptr;
  };

  std::mutex mutex;

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

SweepState::SweepState(const std::string& directory, const std::string& identity) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw InputError(directory + ": cannot be made a directory: " + error.message());
  const std::string path = directory + "/sweep.sqlite";
  database_ = std::make_unique<Database>(path);
  database_->execute("PRAGMA journal_mode=WAL");
  database_->execute("CREATE TABLE IF NOT EXISTS identity (text TEXT NOT NULL)");
  database_->execute(
      "CREATE TABLE IF NOT EXISTS times (collective TEXT NOT NULL, nodes INTEGER NOT NULL, ppn INTEGER NOT NULL,"
      " bytes INTEGER NOT NULL, choice TEXT NOT NULL, seconds REAL NOT NULL,"
      " PRIMARY KEY (collective, nodes, ppn, bytes, choice))");
  Database::Statement known(*database_, "SELECT text FROM identity");
  if (!known.step())
    Database::Statement(*database_, "INSERT INTO identity VALUES (?)").bind(0, identity).step();
  else if (known.text(0) != identity)
    throw InputError(path +
                     ": holds another sweep (machine, sizes or candidates differ): expected a new --state directory");
}

SweepState::~SweepState() = default;

std::vector<Cell> SweepState::all() const {
  const std::lock_guard lock(database_->mutex);
  std::vector<Cell> cells;
  Database::Statement rows(*database_,
                           "SELECT collective, nodes, ppn, bytes, choice, seconds FROM times"
                           " ORDER BY collective, nodes, ppn, bytes, choice");
  while (rows.step()) {
    const Place place{collective_named(rows.text(0)), static_cast<int>(rows.integer(1)),
                      static_cast<int>(rows.integer(2))};
    if (cells.empty() || cells.back().place != place || cells.back().bytes != rows.integer(3))
      cells.push_back({place, rows.integer(3), {}});
    cells.back().seconds[rows.text(4)] = rows.real(5);
  }
  return cells;
}

void SweepState::put(const std::vector<Cell>& cells) {
  const std::lock_guard lock(database_->mutex);
  database_->execute("BEGIN");
  Database::Statement insert(*database_, "INSERT OR REPLACE INTO times VALUES (?, ?, ?, ?, ?, ?)");
  for (const Cell& cell : cells)
    for (const auto& [choice, seconds] : cell.seconds) {
      insert.bind(0, std::string(name_of(cell.place.collective))).bind(1, std::int64_t{cell.place.nodes});
      insert.bind(2, std::int64_t{cell.place.ppn}).bind(3, cell.bytes).bind(4, choice).bind(5, seconds).step();
      insert.reset();
    }
  database_->execute("COMMIT");
}

}  // namespace tutti
