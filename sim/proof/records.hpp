#pragma once

#include <algorithm>
#include <deque>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "algos/call_numbers.hpp"
#include "sim/proof/access.hpp"
#include "sim/proof/buffers.hpp"
#include "sim/proof/fault.hpp"
#include "sim/proof/ports.hpp"

/// What the executor keeps of operations, calls and ranks.
namespace tutti::proof {

enum class Kind : std::uint8_t { send, recv, local };
using Ranks = std::vector<bool>;

constexpr std::uint32_t kNoOp = static_cast<std::uint32_t>(-1);

struct OpRecord {
  std::uint32_t generation = 0;
  Kind kind = Kind::local;
  bool done = false;
  std::int64_t round = 0;  // of a send: in which it starts
  CallScope* scope = nullptr;
  Waiter* waiter = nullptr;
  CallScope* waiting = nullptr;  // the call that the waiter is in
  Rank rank = 0, peer = 0;
  int lane = 0;
  View view;
  View own;  // of a receive that combines: the operand that is there
  std::optional<Incoming> combines;
  Ranks news;                    // of a barrier's message: whom its sender had heard of when it posted
  std::uint32_t before = kNoOp;  // which the same call posted
};

/// Group, call and lane: what must agree, beside the pair of ranks, for two operations to match.
struct Channel {
  std::uint32_t group, call;
  int lane;
  friend bool operator==(const Channel&, const Channel&) = default;
};

struct Posted {
  Channel channel;
  std::uint32_t slot;
};

/// A call that has begun and whose frame is there.
struct LiveCall {
  const CallScope* scope;
  bool joined = false;
  std::uint32_t last = kNoOp;  // that it posted
  Ranks heard_of;              // in a barrier: whose entry happens before what the call does next
};

struct RankState {
  Buffers buffers;
  OpenAccesses open;
  Ports ports;
  std::int64_t posted = 0;  // operations
  std::int64_t scratches = 0;
  double scratch_elements = 0;
  CallNumbers calls;
  std::vector<LiveCall> live;
  Ranks heard_of;  // in a barrier: at first itself; at the end, whose entry happens before the rank leaves

  LiveCall& call(const CallScope& scope) {
    return *std::find_if(live.begin(), live.end(), [&](const LiveCall& call) { return call.scope == &scope; });
  }
};

/// "rank 1 sends to rank 2 (3 elements)".
inline std::string text_of(const OpRecord& op) {
  return "rank " + std::to_string(op.rank) + (op.kind == Kind::send ? " sends to rank " : " receives from rank ") +
         std::to_string(op.peer) + " (" + std::to_string(op.view.elements()) + " elements)";
}

inline void learn(Ranks& heard_of, const Ranks& news) {
  for (std::size_t i = 0; i < news.size(); ++i)
    if (news[i]) heard_of[i] = true;
}

/// What a call threw, as a fault.
inline Fault fault_of(const std::exception_ptr& exception, Rank rank) {
  const std::string threw = "rank " + std::to_string(rank) + ": the algorithm threw";
  try {
    std::rethrow_exception(exception);
  } catch (const FaultFound& found) {
    return found.fault;
  } catch (const std::exception& error) {
    return {FaultKind::exception, threw + ": " + error.what()};
  } catch (...) {
    return {FaultKind::exception, threw + " something that is no std::exception"};
  }
}

inline bool is_of_memory(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// What nothing can bring to an end.
inline Fault stuck(const std::deque<OpRecord>& ops, std::size_t posted) {
  const auto end = ops.begin() + static_cast<std::ptrdiff_t>(posted);
  const bool waiting = std::any_of(ops.begin(), end, [](const OpRecord& op) { return !op.done && op.waiter; });
  std::string pending;
  int listed = 0;
  for (auto op = ops.begin(); op != end; ++op) {
    if (op->done || (waiting && !op->waiter)) continue;
    if (++listed > 4) {
      pending += "; …";
      break;
    }
    pending += (pending.empty() ? "" : "; ") + text_of(*op);
  }
  if (waiting) return {FaultKind::deadlock, "ranks wait for each other: " + pending};
  return {FaultKind::unmatched_message, "every rank has returned, yet without partner: " + pending};
}

}  // namespace tutti::proof
