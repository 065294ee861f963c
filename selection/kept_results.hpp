#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "sim/result_store.hpp"

namespace tutti {

class Database;

/// Results of simulations in DIRECTORY/results.sqlite. What is kept is written a fifth of a second later at most where
/// more follows: so much work is lost where the process is killed.
class KeptResults final : public ResultStore {
 public:
  /// `identity` is everything beside the keys that decides the results; a directory of another one is refused with an
  /// InputError.
  KeptResults(const std::string& directory, const std::string& identity);
  ~KeptResults() override;
  KeptResults(const KeptResults&) = delete;

  std::optional<Result> find(const std::string& key) override;
  void keep(const std::string& key, const Result& result) override;
  /// Writes what is not written yet. Throws InputError where the file cannot be.
  void flush();
  /// How many were found changed by the file's damage, and were made anew.
  std::size_t damaged() const;

 private:
  void write();

  mutable std::mutex mutex_;
  std::unique_ptr<Database> database_;
  std::map<std::string, std::string> waiting_;  // results by key, as they are written
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
  std::size_t damaged_ = 0;
};

/// A result as bytes, exactly, and back. Throws InputError on bytes that are none.
std::string bytes_of(const Result& result);
Result result_of(const std::string& bytes);

}  // namespace tutti
