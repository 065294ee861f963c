// Calls of algorithms within a rank: what they wait for, what has happened before what they do next.
#include <algorithm>

#include "sim/proof/executor_state.hpp"

namespace tutti::proof {

bool Executor::State::complete(CallScope& scope, std::span<const Op> ops) {
  const auto provers = own_memory.proof_runs();
  ranks[scope.rank].ports.wait();
  for (const Op op : ops) refuse_foreign(scope.rank, op);
  if (!std::all_of(ops.begin(), ops.end(), [&](Op op) { return is_done(op); })) return false;
  for (const Op op : ops) order_after(scope, op);
  return true;
}

void Executor::State::park(CallScope& scope, Waiter& waiter, std::span<const Op> ops) {
  const auto provers = own_memory.proof_runs();
  for (const Op op : ops)
    if (OpRecord& record = ops_[slot_of(op)]; record.done) {
      order_after(scope, op);
    } else if (record.waiter != &waiter) {  // else it is named twice
      if (record.waiter) throw std::logic_error("two waits for one operation at a time");
      record.waiter = &waiter;
      record.waiting = &scope;
      ++waiter.pending;
    }
}

void Executor::State::on(CallEvent event, CallScope& scope) {
  const auto provers = own_memory.proof_runs();
  if (event == CallEvent::begun) begin(scope);
  if (event == CallEvent::joined) join(scope);
  if (event == CallEvent::left) leave(scope);
}

void Executor::State::begin(CallScope& scope) {
  RankState& rank = ranks[scope.rank];
  scope.number = rank.calls.next(scope);
  LiveCall call{&scope, false, kNoOp, scope.parent ? rank.call(*scope.parent).heard_of : rank.heard_of};
  rank.live.push_back(std::move(call));
  rank.open.begin(scope);
}

void Executor::State::join(CallScope& scope) {
  if (!scope.over()) return;  // it threw
  RankState& rank = ranks[scope.rank];
  LiveCall& call = rank.call(scope);
  call.joined = true;
  rank.open.join(scope);
  if (rank.heard_of.empty()) return;
  for (std::uint32_t slot = call.last; slot != kNoOp; slot = ops_[slot].before) learn(call.heard_of, ops_[slot].news);
  learn(scope.parent ? rank.call(*scope.parent).heard_of : rank.heard_of, call.heard_of);
}

void Executor::State::leave(CallScope& scope) {
  RankState& rank = ranks[scope.rank];
  if (!scope.parent) join(scope);
  const LiveCall& call = rank.call(scope);
  if (running_ && scope.exception && !scope.heard) {
    told_ = told_ ? told_ : fault_of(scope.exception, scope.rank);
    out_of_memory_ = out_of_memory_ || is_of_memory(scope.exception);
  } else if (!call.joined && running_ && !abandoned_)
    // Also if it happens to be over: at another speed of the network it would not be.
    abandoned_ = Fault{FaultKind::call_abandoned, describe(scope.rank) + "gives up a call without waiting for its end"};
  for (std::uint32_t slot = call.last; slot != kNoOp; slot = ops_[slot].before) {
    ops_[slot].scope = nullptr;
    ops_[slot].waiter = nullptr;
  }
  rank.open.leave(scope);
  rank.calls.forget(scope);
  std::erase_if(rank.live, [&](const LiveCall& live) { return live.scope == &scope; });
}

void Executor::State::refuse_foreign(Rank rank, Op op) const {
  if (slot_of(op) >= posted_) throw std::logic_error("waits for what is no operation");
  if (ops_[slot_of(op)].rank != rank) throw std::logic_error("waits for an operation of another rank");
}

void Executor::State::order_after(const CallScope& scope, Op op) {
  ranks[scope.rank].open.close(op, scope);
  const Ranks& news = ops_[slot_of(op)].news;
  if (!news.empty()) learn(ranks[scope.rank].call(scope).heard_of, news);
}

}  // namespace tutti::proof
