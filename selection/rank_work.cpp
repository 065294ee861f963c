#include "selection/rank_work.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "algos/comm.hpp"

namespace tutti {
namespace {

/// Everything is over when it is posted.
class Counter final : public Backend {
 public:
  Counter(const Case& c, const Compute& compute)
      : sent(static_cast<std::size_t>(c.ranks), 0), element_bytes_(c.element_bytes), compute_(compute) {}

  std::int64_t local = 0;
  double seconds = 0;
  std::vector<Count> sent;  // elements, by receiver

  Op send(CallScope&, Rank to, const View& what, int, SendMode) override {
    sent[to] += what.elements();
    return post();
  }
  Op recv(CallScope&, Rank, const View&, int) override { return post(); }
  Op recv_combine(CallScope&, Rank, const View& to, const View&, Incoming, int) override {
    add(to, compute_.reduce);
    return post();
  }
  Op copy(CallScope&, const View& to, const View& from) override {
    if (to == from) return post();
    ++local;
    add(to, compute_.copy);
    return post();
  }
  Op combine(CallScope&, const View& to, const View&, const View&) override {
    ++local;
    add(to, compute_.reduce);
    return post();
  }
  View scratch(CallScope&, Count elements) override { return View::contiguous(next_buffer_++, 0, elements); }
  bool complete(CallScope&, std::span<const Op>) override { return true; }
  void park(CallScope&, Waiter&, std::span<const Op>) override {
    throw std::logic_error("work_of_middle_rank: a wait for operations that are over");
  }
  void on(CallEvent event, CallScope& scope) override {
    if (event == CallEvent::begun) scope.number = calls_++;
  }
  const Group* group(Rank, Level, GroupKind, const Group*) override {
    throw std::logic_error("work_of_middle_rank: the algorithm asks which ranks share a node");
  }

 private:
  Op post() { return op_of(posted_++, 0); }
  void add(const View& to, const Compute::Rate& rate) {
    if (const std::int64_t bytes = to.elements() * element_bytes_; bytes > 0)
      seconds += rate.overhead_seconds + static_cast<double>(bytes) * rate.seconds_per_byte_at(bytes, 0);
  }

  const std::int64_t element_bytes_;
  const Compute& compute_;
  std::uint32_t posted_ = 0, calls_ = 0;
  std::int32_t next_buffer_ = View::kFirstScratch;
};

}  // namespace

RankWork work_of_middle_rank(const Choice& real, const Case& c, const Compute& compute) {
  if (real.algorithm->is_by_node()) return {};
  Counter counter(c, compute);
  const Rank rank = c.ranks / 2;
  const Task task = real.algorithm->function()(Comm(counter, rank, c.ranks), make_call(c, real, rank));
  task.rethrow();
  counter.sent.erase(counter.sent.begin() + rank);
  const Count least = counter.sent.empty() ? 0 : *std::min_element(counter.sent.begin(), counter.sent.end());
  return {counter.local, counter.seconds, least * c.element_bytes};
}

}  // namespace tutti
