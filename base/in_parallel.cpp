#include "base/in_parallel.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.hpp"

namespace tutti {

void in_parallel(int threads, std::size_t count, const std::function<void(std::size_t, std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto all_it_can = [&](std::size_t thread) {
    try {
      for (std::size_t i; (i = next++) < count;) work(i, thread);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(all_it_can, static_cast<std::size_t>(t));
    all_it_can(0);
  }
  if (failure) std::rethrow_exception(failure);
}

void expect_thread_count(int threads, const std::string& what) {
  if (threads < 1 || threads > 1024) throw InputError(what + ": expected 1 to 1024");
}

}  // namespace tutti
