#include "selection/sweep_state.hpp"

#include <sqlite3.h>

#include <bit>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>

#include "base/error.hpp"

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
    if (sqlite3_errcode(handle_) == SQLITE_NOMEM) throw std::bad_alloc();
    throw InputError(path_ + ": " + what + ": " + sqlite3_errmsg(handle_) +
                     ": expected the state of a sweep, or a new --state directory");
  }
  void execute(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql);
  }

  std::mutex mutex;

 private:
  friend class Statement;
  friend class Transaction;
  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// A prepared statement; columns and parameters count from 0.
class SweepState::Statement {
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
  std::string text(int i) const {
    const auto* found = reinterpret_cast<const char*>(sqlite3_column_text(statement_, i));
    return found ? found : "";  // a damaged file may say that there is none
  }
  std::int64_t integer(int i) const { return sqlite3_column_int64(statement_, i); }
  double real(int i) const { return sqlite3_column_double(statement_, i); }

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// Everything until commit() is kept, or nothing.
class SweepState::Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.execute("BEGIN IMMEDIATE"); }
  ~Transaction() {
    if (open_) sqlite3_exec(database_.handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  void commit() {
    database_.execute("COMMIT");
    open_ = false;
  }

 private:
  Database& database_;
  bool open_ = true;
};

namespace {

/// Of all that a row says: SQLite does not notice what is changed inside of a value.
std::int64_t checksum(const Simulated& time) {
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](const std::string& text) {
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    sum = (sum ^ 0x100) * 0x100000001b3;
  };
  for (const std::string& text :
       {time.engine, std::string(name_of(time.place.collective)), std::to_string(time.place.nodes),
        std::to_string(time.place.ppn), std::to_string(time.bytes), time.choice,
        std::to_string(std::bit_cast<std::uint64_t>(time.seconds)), std::to_string(time.exceeded)})
    add(text);
  return std::bit_cast<std::int64_t>(sum);
}

std::optional<Collective> collective_or_none(const std::string& name) {
  try {
    return collective_named(name);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// A file of another format is of another sweep.
std::string with_format(const std::string& identity) { return "format 2\n" + identity; }

}  // namespace

SweepState::SweepState(const std::string& directory, const std::string& identity) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw InputError(directory + ": cannot be made a directory: " + error.message());
  const std::string path = directory + "/sweep.sqlite";
  database_ = std::make_unique<Database>(path);
  database_->execute("PRAGMA journal_mode=WAL");
  database_->execute("PRAGMA synchronous=NORMAL");  // a killed process loses nothing, and a commit need not wait
  Transaction transaction(*database_);              // two sweeps that begin at once must not both put their identity
  database_->execute("CREATE TABLE IF NOT EXISTS identity (text TEXT NOT NULL)");
  database_->execute(
      "CREATE TABLE IF NOT EXISTS simulated (engine TEXT NOT NULL, collective TEXT NOT NULL, nodes INTEGER NOT NULL,"
      " ppn INTEGER NOT NULL, bytes INTEGER NOT NULL, choice TEXT NOT NULL, seconds REAL NOT NULL,"
      " exceeded INTEGER NOT NULL, checksum INTEGER NOT NULL,"
      " PRIMARY KEY (engine, collective, nodes, ppn, bytes, choice))");
  {
    Statement known(*database_, "SELECT text FROM identity");
    if (!known.step())
      Statement(*database_, "INSERT INTO identity VALUES (?)").bind(0, with_format(identity)).step();
    else if (known.text(0) != with_format(identity))
      throw InputError(path +
                       ": holds times of another machine, mode, placement or version of the program: expected a new "
                       "--state directory");
  }
  transaction.commit();
}

SweepState::~SweepState() = default;

std::vector<Simulated> SweepState::all() {
  const std::lock_guard lock(database_->mutex);
  damaged_ = 0;
  std::vector<Simulated> times;
  Statement rows(*database_,
                 "SELECT engine, collective, nodes, ppn, bytes, choice, seconds, exceeded, checksum FROM simulated"
                 " ORDER BY engine, collective, nodes, ppn, bytes, choice");
  while (rows.step()) {
    const std::optional<Collective> collective = collective_or_none(rows.text(1));
    const Simulated time{rows.text(0),
                         {collective.value_or(Collective::barrier), static_cast<int>(rows.integer(2)),
                          static_cast<int>(rows.integer(3))},
                         rows.integer(4),
                         rows.text(5),
                         rows.real(6),
                         rows.integer(7) != 0};
    if (collective && rows.integer(8) == checksum(time))
      times.push_back(time);
    else
      ++damaged_;
  }
  return times;
}

void SweepState::put(std::span<const Simulated> times) {
  const std::lock_guard lock(database_->mutex);
  Transaction transaction(*database_);
  {
    Statement insert(*database_, "INSERT OR REPLACE INTO simulated VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const Simulated& time : times) {
      insert.bind(0, time.engine).bind(1, std::string(name_of(time.place.collective)));
      insert.bind(2, std::int64_t{time.place.nodes}).bind(3, std::int64_t{time.place.ppn}).bind(4, time.bytes);
      insert.bind(5, time.choice).bind(6, time.seconds).bind(7, std::int64_t{time.exceeded});
      insert.bind(8, checksum(time)).step();
      insert.reset();
    }
  }
  transaction.commit();
}

}  // namespace tutti
