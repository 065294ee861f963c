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

/// Of so many in ascending order of work: the first is on level 0, the last and that in the middle on 1, those in the
/// middles of the halves on 2: done by levels, little work tells much of what is left.
std::vector<int> levels_of(std::size_t count);

/// Calls `work` for every part of every chain, those of a chain one after the other in search_order(), `jobs` at a
/// time. Of the chains of a collective, equally filled, that of the fewest nodes comes first, then that of the most,
/// that in the middle, those in the middles of the halves: so what is foreseen lies between what is known. Next is a
/// part of the chain with the most left to do, so that all jobs end together. Throws what the first that failed threw.
class Schedule {
 public:
  /// The chains must outlive this.
  explicit Schedule(std::vector<Chain>& chains);
  void run(int jobs, const std::function<void(Chain&, std::size_t)>& work);

 private:
  struct Line {
    Chain* chain;
    std::vector<std::size_t> order;
    int level = 0;  // those of lower ones first
    std::size_t next = 0, left = 0;
    bool taken = false;
  };
  void job(const std::function<void(Chain&, std::size_t)>& work);

  std::vector<Line> lines_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;
};

}  // namespace tutti
