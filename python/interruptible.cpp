#include "python/interruptible.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "sim/interruption.hpp"

namespace nb = nanobind;

namespace tutti::python {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);

/// What the caller and the threads share, and what outlives a caller that gives up.
struct Shared {
  std::function<void(std::size_t)> work;
  std::size_t count = 0;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t next = 0, done = 0;
  int running = 0;
  bool stopped = false;
  std::atomic<bool> given_up = false;  // what is under way need not be ended
  std::exception_ptr thrown;
};

void take_turns(const std::shared_ptr<Shared>& shared) {
  const Interruptible interruptible(shared->given_up);
  std::unique_lock lock(shared->mutex);
  while (!shared->stopped && shared->next < shared->count) {
    const std::size_t i = shared->next++;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      shared->work(i);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    ++shared->done;
    if (thrown) shared->stopped = true;
    if (thrown && !shared->thrown) shared->thrown = thrown;
    shared->changed.notify_all();
  }
  --shared->running;
  shared->changed.notify_all();
}

/// With Python's lock held.
std::vector<std::thread>& abandoned() {
  static std::vector<std::thread> threads;
  return threads;
}

/// Ends with all threads joined, or, where the caller is interrupted, handed over to whoever ends the process.
class Threads {
 public:
  Threads(int threads, std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {
    shared_->running = threads;
    for (int t = 0; t < threads; ++t) threads_.emplace_back(take_turns, shared_);
  }
  ~Threads() {
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->stopped = true;
      if (shared_->running > 0) {
        shared_->given_up = true;
        for (std::thread& thread : threads_) abandoned().push_back(std::move(thread));
        return;
      }
    }
    for (std::thread& thread : threads_) thread.join();
  }
  Threads(const Threads&) = delete;

  /// How many are done, after a moment; all threads have ended: second is false.
  std::pair<std::size_t, bool> look() {
    const nb::gil_scoped_release release;
    std::unique_lock lock(shared_->mutex);
    shared_->changed.wait_for(lock, kBetweenLooks, [this] { return shared_->running == 0; });
    return {shared_->done, shared_->running > 0};
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::vector<std::thread> threads_;
};

}  // namespace

void run_interruptibly(int threads, std::size_t count, std::function<void(std::size_t)> work,
                       const nb::object& progress) {
  if (count == 0) return;
  const auto shared = std::make_shared<Shared>();
  shared->work = std::move(work);
  shared->count = count;
  Threads running(static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), count)), shared);
  for (bool more = true; more;) {
    const auto [done, under_way] = running.look();
    more = under_way;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(done, count);
  }
  if (shared->thrown) std::rethrow_exception(shared->thrown);
}

void join_abandoned() {
  std::vector<std::thread> threads = std::exchange(abandoned(), {});
  const nb::gil_scoped_release release;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tutti::python
