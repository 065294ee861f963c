#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "selection/sweep_folder.hpp"

namespace tutti {

/// The times that all parts of a sweep have in its folder, for tune() to make the table of them. What that asks for
/// beyond is what several parts decide together (settle_layouts): it is kept in the folder, too. Thread-safe.
class MergedTimes final : public TimeStore {
 public:
  /// `parts`: by name, those that are taken; the folder must outlive this.
  MergedTimes(const SweepFolder& folder, std::vector<std::string> parts);
  std::vector<Simulated> all() override;
  void put(std::span<const Simulated> times) override;
  /// How many were put.
  std::size_t simulated() const { return simulated_; }
  /// Writes what was put and is not yet in the folder.
  void keep();
  /// Why the folder could not be written; empty: it was. Another merge would simulate that again.
  const std::string& not_kept() const { return not_kept_; }

 private:
  void write();

  const SweepFolder& folder_;
  const std::vector<std::string> parts_;
  std::mutex mutex_;
  PartFile own_;
  std::size_t simulated_ = 0;
  std::string not_kept_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

}  // namespace tutti
