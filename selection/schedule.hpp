#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

#include "selection/search_result.hpp"

namespace tutti {

struct Part {
  Place place;
  std::vector<std::int64_t> bytes;
  SearchResult result;
  std::size_t work() const { return static_cast<std::size_t>(place.ranks()) * bytes.size(); }
};
using Chain = std::vector<Part>;  // ascending numbers of nodes of one collective, equally filled

/// Calls `work` for every part of every chain, those of a chain one after the other, `jobs` at a time; next is a part
/// of the chain with the most left to do, so that all jobs end together. Throws what the first that failed threw.
class Schedule {
 public:
  /// The chains must outlive this.
  explicit Schedule(std::vector<Chain>& chains);
  void run(int jobs, const std::function<void(Chain&, std::size_t)>& work);

 private:
  struct Line {
    Chain* chain;
    std::size_t next, left;
    bool taken;
  };
  void job(const std::function<void(Chain&, std::size_t)>& work);

  std::vector<Line> lines_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;
};

}  // namespace tutti
