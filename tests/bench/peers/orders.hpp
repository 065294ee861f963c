#pragma once
// What the programs of `make bench-peers` have in common, so that all libraries are timed by the same discipline.

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti::peers {

using Clock = std::chrono::steady_clock;

/// One block of measurements: so many calls of a collective, `bytes` as OSU prints them.
struct Order {
  std::string collective;
  long long bytes = 0;
  int iterations = 0;
};

/// Reads orders from FOLDER/orders.RANK, one a line, until its end; rank 0 answers each with a line in FOLDER/answers:
/// microseconds, median over the iterations, of the slowest rank and of the mean of the ranks. Both files are FIFOs, so
/// that a job that has no order sleeps and disturbs nobody. Before each call a barrier.
///
/// A Library has rank(), barrier(), prepare(Order) which returns what call() runs, and maximum() and mean(), which
/// replace the elements of a vector by those over all ranks, on rank 0.
template <class Library>
void serve(Library& library, const std::string& folder) {
  std::ifstream orders(folder + "/orders." + std::to_string(library.rank()));
  std::ofstream answers;
  if (library.rank() == 0) answers.open(folder + "/answers");
  const auto median = [](std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  };
  for (std::string line; std::getline(orders, line);) {
    Order order;
    std::istringstream(line) >> order.collective >> order.bytes >> order.iterations;
    if (order.iterations < 1) throw std::runtime_error("no order: " + line);
    auto& call = library.prepare(order);
    std::vector<double> own(static_cast<std::size_t>(order.iterations));
    const int warm_up = order.iterations / 10 + 2;
    for (int i = -warm_up; i < order.iterations; ++i) {
      library.barrier();
      const auto begin = Clock::now();
      call();
      const double microseconds = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      if (i >= 0) own[static_cast<std::size_t>(i)] = microseconds;
    }
    std::vector<double> slowest = own, mean = own;
    library.maximum(slowest);
    library.mean(mean);
    if (library.rank() == 0) answers << median(slowest) << ' ' << median(mean) << std::endl;
  }
}

}  // namespace tutti::peers
