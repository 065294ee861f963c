#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "selection/time_store.hpp"

namespace tutti {

class Database;

/// Simulated times of a sweep in a SQLite file, so that a killed sweep goes on where it stopped. Each put is one
/// transaction: all of it is kept or nothing. Thread-safe.
class SweepState final : public TimeStore {
 public:
  /// Opens or makes DIRECTORY/sweep.sqlite. `identity` is everything beside the keys that decides the results; a file
  /// made with another one is refused with an InputError.
  SweepState(const std::string& directory, const std::string& identity);
  ~SweepState() override;
  SweepState(const SweepState&) = delete;

  /// In the order of their keys; without rows that the file's damage has changed, which their checksums tell.
  std::vector<Simulated> all() override;
  /// How many those were.
  std::size_t damaged() const { return damaged_; }
  void put(std::span<const Simulated> times) override;

 private:
  std::mutex mutex_;
  std::unique_ptr<Database> database_;
  std::size_t damaged_ = 0;
};

}  // namespace tutti
