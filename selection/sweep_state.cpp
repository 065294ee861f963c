#include "selection/sweep_state.hpp"

#include <bit>
#include <optional>

#include "base/error.hpp"
#include "selection/database.hpp"

namespace tutti {

namespace {

/// Of all that a row says: SQLite does not notice what is changed inside of a value.
std::int64_t time_checksum(const Simulated& time) {
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](const std::string& text) {
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    sum = (sum ^ 0x100) * 0x100000001b3;
  };
  for (const std::string& text :
       {time.engine, std::string(name_of(time.place.collective)), std::to_string(time.place.nodes),
        std::to_string(time.place.ppn), time.place.counts, std::to_string(time.bytes), time.choice, time.load,
        std::to_string(std::bit_cast<std::uint64_t>(time.seconds)), std::to_string(time.exceeded)})
    add(text);
  return std::bit_cast<std::int64_t>(sum);
}

std::optional<Collective> collective_or_none(const std::string& name) {
  try {
    return any_collective_named(name);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// A file of another format is of another sweep.
std::string with_format(const std::string& identity) { return "format 4\n" + identity; }

}  // namespace

SweepState::SweepState(const std::string& directory, const std::string& identity) {
  database_ = std::make_unique<Database>(directory, "sweep.sqlite");
  Transaction transaction(*database_);  // two sweeps that begin at once must not both put their identity
  database_->execute(
      "CREATE TABLE IF NOT EXISTS simulated (engine TEXT NOT NULL, collective TEXT NOT NULL, nodes INTEGER NOT NULL,"
      " ppn INTEGER NOT NULL, counts TEXT NOT NULL, bytes INTEGER NOT NULL, choice TEXT NOT NULL, load TEXT NOT NULL, "
      "seconds REAL NOT NULL,"
      " exceeded INTEGER NOT NULL, checksum INTEGER NOT NULL,"
      " PRIMARY KEY (engine, collective, nodes, ppn, counts, bytes, choice, load))");
  database_->expect_identity(with_format(identity),
                             "holds times of another machine, mode, placement, plug-in or version of the program");
  transaction.commit();
}

SweepState::~SweepState() = default;

std::vector<Simulated> SweepState::all() {
  const std::lock_guard lock(mutex_);
  damaged_ = 0;
  std::vector<Simulated> times;
  Statement rows(
      *database_,
      "SELECT engine, collective, nodes, ppn, counts, bytes, choice, load, seconds, exceeded, checksum FROM simulated"
      " ORDER BY engine, collective, nodes, ppn, counts, bytes, choice, load");
  while (rows.step()) {
    const std::optional<Collective> collective = collective_or_none(rows.text(1));
    const Simulated time{rows.text(0),
                         {collective.value_or(Collective::barrier), static_cast<int>(rows.integer(2)),
                          static_cast<int>(rows.integer(3)), rows.text(4)},
                         rows.integer(5),
                         rows.text(6),
                         rows.real(8),
                         rows.integer(9) != 0,
                         rows.text(7)};
    if (collective && rows.integer(10) == time_checksum(time))
      times.push_back(time);
    else
      ++damaged_;
  }
  return times;
}

void SweepState::put(std::span<const Simulated> times) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(*database_);
  {
    Statement insert(*database_, "INSERT OR REPLACE INTO simulated VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const Simulated& time : times) {
      insert.bind(0, time.engine).bind(1, std::string(name_of(time.place.collective)));
      insert.bind(2, std::int64_t{time.place.nodes}).bind(3, std::int64_t{time.place.ppn});
      insert.bind(4, time.place.counts).bind(5, time.bytes).bind(6, time.choice).bind(7, time.load);
      insert.bind(8, time.seconds).bind(9, std::int64_t{time.exceeded}).bind(10, time_checksum(time)).step();
      insert.reset();
    }
  }
  transaction.commit();
}

}  // namespace tutti
