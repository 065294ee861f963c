#include "selection/local_work.hpp"

#include <stdexcept>

#include "algos/comm.hpp"

namespace tutti {
namespace {

/// Everything is over when it is posted.
class Counter final : public Backend {
 public:
  std::int64_t local = 0;

  Op send(CallScope&, Rank, const View&, int) override { return post(); }
  Op recv(CallScope&, Rank, const View&, int) override { return post(); }
  Op recv_combine(CallScope&, Rank, const View&, const View&, Incoming, int) override { return post(); }
  Op copy(CallScope&, const View& to, const View& from) override {
    local += !(to == from);
    return post();
  }
  Op combine(CallScope&, const View&, const View&, const View&) override {
    ++local;
    return post();
  }
  View scratch(CallScope&, Count elements) override { return View::contiguous(next_buffer_++, 0, elements); }
  bool complete(CallScope&, std::span<const Op>) override { return true; }
  void park(CallScope&, Waiter&, std::span<const Op>) override {
    throw std::logic_error("local_operations: a wait for operations that are over");
  }
  void enter(CallScope& scope) override { scope.number = calls_++; }
  void leave(CallScope&) override {}
  const Group* group(Rank, Level, bool) override {
    throw std::logic_error("local_operations: the algorithm asks which ranks share a node");
  }

 private:
  Op post() { return {posted_++, 0}; }
  std::uint32_t posted_ = 0, calls_ = 0;
  std::int32_t next_buffer_ = View::kFirstScratch;
};

}  // namespace

std::int64_t local_operations(const Choice& real, const Case& c) {
  if (real.algorithm->is_by_node()) return 0;
  Counter counter;
  const Rank rank = c.ranks / 2;
  const Task task = real.algorithm->function()(Comm(counter, rank, c.ranks), make_call(c, real, rank));
  task.rethrow();
  return counter.local;
}

}  // namespace tutti
