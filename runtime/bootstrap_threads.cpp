#include <condition_variable>
#include <mutex>

#include "runtime/bootstrap.hpp"
#include "runtime/error.hpp"

namespace tutti {
namespace {

struct Shared {
  const Secret secret = Secret::make();
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> given, result;
  std::vector<bool> here;
  int missing = 0;
  std::uint64_t round = 0;
};

class ThreadBootstrap final : public Bootstrap {
 public:
  ThreadBootstrap(Rank rank, int size, std::shared_ptr<Shared> shared, Limit limit)
      : Bootstrap(rank, size), shared_(std::move(shared)), limit_(limit) {}

  std::vector<std::string> allgather(std::string_view mine) override {
    Shared& s = *shared_;
    std::unique_lock lock(s.mutex);
    s.given[rank()] = mine;
    s.here[rank()] = true;
    if (--s.missing == 0) {
      s.result = s.given;
      s.here.assign(s.here.size(), false);
      s.missing = size();
      ++s.round;
      s.changed.notify_all();
      return s.result;
    }
    // The next round cannot end, nor overwrite the result, before this rank has joined it.
    if (!s.changed.wait_for(lock, limit_, [&, round = s.round] { return s.round != round; }))
      throw TeamError("rank " + std::to_string(rank()) + " waited " + std::to_string(limit_.count()) +
                      " s for other threads to join: missing" + absent());
    return s.result;
  }
  const Secret& secret() const override { return shared_->secret; }

 private:
  std::string absent() const {
    std::string text;
    for (std::size_t r = 0; r < shared_->here.size(); ++r)
      if (!shared_->here[r]) text += " rank " + std::to_string(r);
    return text;
  }
  std::shared_ptr<Shared> shared_;
  Limit limit_;
};

}  // namespace

std::vector<std::unique_ptr<Bootstrap>> bootstrap_threads(int size, Limit limit) {
  auto shared = std::make_shared<Shared>();
  shared->given.resize(static_cast<std::size_t>(size));
  shared->here.resize(static_cast<std::size_t>(size));
  shared->missing = size;
  std::vector<std::unique_ptr<Bootstrap>> all;
  for (Rank r = 0; r < size; ++r) all.push_back(std::make_unique<ThreadBootstrap>(r, size, shared, limit));
  return all;
}

}  // namespace tutti
