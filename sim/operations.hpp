#pragma once

#include <stdexcept>
#include <utility>
#include <vector>

#include "algos/comm.hpp"

namespace tutti {

/// The operations that simulated ranks have posted: which of them are complete, and who waits for them. A number is
/// used again once its operation was waited for.
class Operations {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot kMost = (1u << 30) - 1;

  explicit Operations(std::size_t ranks) : newest_(ranks, kNone) {}

  /// Throws std::length_error where there are too many.
  Op open(CallScope& scope) {
    if (free_.empty()) {
      if (states_.size() > kMost) throw std::length_error("Simulation: too many operations under way");
      free_.push_back(static_cast<Slot>(states_.size()));
      states_.emplace_back();
    }
    const Slot slot = free_.back();
    free_.pop_back();
    State& state = states_[slot];
    Slot& newest = newest_[scope.rank];
    state.done = false;
    state.rank = static_cast<std::uint32_t>(scope.rank) & ~0u >> 1;
    state.scope = &scope;
    state.waiter = nullptr;
    state.previous = kNone;
    state.next = newest;
    if (newest != kNone) states_[newest].previous = slot;
    newest = slot;
    ++scope.outstanding;
    return op_of(slot, state.generation);
  }

  /// Calls let_go_on(waiter) for each that has nothing else to wait for.
  template <class LetGoOn>
  void complete(Slot slot, const LetGoOn& let_go_on) {
    State& state = states_[slot];
    state.done = true;
    if (!state.scope) return release(op_of(slot, state.generation));
    if (state.waiter && --state.waiter->pending == 0) let_go_on(*state.waiter);
    if (const Waiter* waiter = state.scope->completed_one()) let_go_on(*waiter);
    if (state.waiter) release(op_of(slot, state.generation));
  }

  /// Whether nobody can tell when the first completes, if the other does later: who waits for both goes on when both
  /// have completed, and a call that has returned ends with all that it has posted.
  bool end_together(Slot first, Slot other) const {
    const State &a = states_[first], &b = states_[other];
    if (!a.scope || a.scope != b.scope || a.waiter != b.waiter) return false;
    return a.waiter || a.scope->returned;
  }

  /// If all are complete, releases them, each after release_of(slot). Throws std::logic_error where one is none of the
  /// rank's.
  template <class ReleaseOf>
  bool take_if_complete(Rank rank, std::span<const Op> ops, const ReleaseOf& release_of) {
    bool all = true;
    for (const Op op : ops) {
      if (slot_of(op) >= states_.size()) throw std::logic_error("waits for what is no operation");
      const State& state = states_[slot_of(op)];
      if (state.generation != generation_of(op)) continue;  // waited for before
      if (static_cast<Rank>(state.rank) != rank) throw std::logic_error("waits for an operation of another rank");
      all &= state.done != 0;
    }
    if (!all) return false;
    for (const Op op : ops) {
      if (states_[slot_of(op)].generation != generation_of(op)) continue;  // waited for before
      release_of(slot_of(op));
      release(op);
    }
    return true;
  }

  /// Somebody waits for those that are not complete. Throws std::logic_error where somebody else does already.
  void park(Waiter& waiter, std::span<const Op> ops) {
    for (const Op op : ops) {
      State& state = states_[slot_of(op)];
      if (state.generation != generation_of(op)) continue;
      if (state.done) {
        release(op);
      } else if (state.waiter != &waiter) {  // else it is named twice
        if (state.waiter) throw std::logic_error("two waits for one operation at a time");
        state.waiter = &waiter;
        ++waiter.pending;
      }
    }
  }

  /// The call is gone: nothing can wait for what it has posted.
  void forget(const CallScope& scope) {
    for (Slot slot = newest_[scope.rank]; slot != kNone;) {
      State& state = states_[slot];
      const Op gone = op_of(std::exchange(slot, state.next), state.generation);
      if (state.scope != &scope) continue;
      state.scope = nullptr;
      state.waiter = nullptr;
      if (state.done) release(gone);
    }
  }

  Rank rank_of(Slot slot) const { return static_cast<Rank>(states_[slot].rank); }
  const CallScope* scope_of(Slot slot) const { return states_[slot].scope; }
  void fetch_ahead(Slot slot) const { __builtin_prefetch(&states_[slot]); }

 private:
  static constexpr Slot kNone = ~0u;
  // Two on a line of the cache.
  struct alignas(32) State {
    std::uint32_t generation = 0;
    std::uint32_t rank : 31 = 0;
    std::uint32_t done : 1 = 1;
    CallScope* scope = nullptr;  // nullptr: its call is gone, and nothing can wait for it
    Waiter* waiter = nullptr;
    Slot previous = kNone, next = kNone;  // of the rank's operations that are not released
  };
  static_assert(sizeof(State) == 32);

  void release(Op op) {
    State& state = states_[slot_of(op)];
    if (state.generation != generation_of(op)) return;  // waited for before
    ++state.generation;
    (state.previous == kNone ? newest_[state.rank] : states_[state.previous].next) = state.next;
    if (state.next != kNone) states_[state.next].previous = state.previous;
    free_.push_back(slot_of(op));
  }

  std::vector<State> states_;
  std::vector<Slot> newest_;  // of each rank, of those that are not released
  std::vector<Slot> free_;
};

}  // namespace tutti
