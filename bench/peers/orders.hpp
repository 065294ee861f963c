#pragma once
// What the programs of `make bench-peers` have in common, so that all libraries are timed by the same discipline.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
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

/// An instant of the node's clock at which all ranks begin a call. Ranks leave a library's own barrier one after the
/// other, in an order that helps some collectives and hampers others, by as much as a small call takes (Hunold and
/// Carpen-Amarie, "MPI Benchmarking Revisited", 2015, section 4); here all do it alike. Needs a core for every rank.
class CommonStart {
 public:
  explicit CommonStart(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, kBytes) != 0) throw std::runtime_error("cannot make " + path);
    void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (memory == MAP_FAILED) throw std::runtime_error("cannot map " + path);
    instant_ = static_cast<std::atomic<Clock::rep>*>(memory);
  }
  /// Called by all ranks, after a barrier. Rank 0 gives those that leave it late the time to.
  Clock::time_point await(int rank) {
    if (rank == 0) instant_->store((Clock::now() + kMargin).time_since_epoch().count(), std::memory_order_release);
    Clock::rep next = last_;
    while (next == last_) next = instant_->load(std::memory_order_acquire);
    const Clock::time_point begin{Clock::duration(last_ = next)};
    while (Clock::now() < begin) {
    }
    return begin;
  }

 private:
  static constexpr long kBytes = 4096;
  static constexpr std::chrono::microseconds kMargin{3};
  std::atomic<Clock::rep>* instant_;
  Clock::rep last_ = 0;
};

/// Reads orders from FOLDER/orders.RANK, one a line, until its end; rank 0 answers each with a line in FOLDER/answers:
/// microseconds, median over the iterations, of the slowest rank and of the mean of the ranks. Both files are FIFOs, so
/// that a job that has no order sleeps and disturbs nobody. Before each call a barrier, and a common start if told so.
///
/// A Library has rank(), barrier(), prepare(Order) which returns what call() runs, and maximum() and mean(), which
/// replace the elements of a vector by those over all ranks, on rank 0.
template <class Library>
void serve(Library& library, const std::string& folder, const std::string& from) {
  const bool common_start = from == "clock", loop = from == "loop";
  CommonStart start(folder + "/start");
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
    // What is in the caches, others have put there in their turns: the first calls change that.
    const int warm_up = order.iterations / 10 + 4;
    auto last_end = Clock::now();
    for (int i = -warm_up; i < order.iterations; ++i) {
      library.barrier();
      const auto begin = common_start ? start.await(library.rank()) : Clock::now();
      call();
      const auto end = Clock::now();
      const double microseconds = std::chrono::duration<double, std::micro>(end - (loop ? last_end : begin)).count();
      last_end = end;
      if (i >= 0) own[static_cast<std::size_t>(i)] = microseconds;
    }
    std::vector<double> slowest = own, mean = own;
    library.maximum(slowest);
    library.mean(mean);
    if (library.rank() == 0) answers << median(slowest) << ' ' << median(mean) << std::endl;
  }
}

}  // namespace tutti::peers
