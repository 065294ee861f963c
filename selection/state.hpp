#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tables/table.hpp"

namespace tutti {

/// Finished cells of a sweep in a SQLite file, so that a killed sweep goes on where it stopped. Each put is one
/// transaction. Thread-safe.
class SweepState {
 public:
  /// Opens or makes DIRECTORY/sweep.sqlite. `identity` is everything that decides the results; a file made with another
  /// one is refused with an InputError.
  SweepState(const std::string& directory, const std::string& identity);
  ~SweepState();
  SweepState(const SweepState&) = delete;

  std::vector<Cell> all() const;
  void put(const std::vector<Cell>& cells);

 private:
  class Database;
  std::unique_ptr<Database> database_;
};

}  // namespace tutti
