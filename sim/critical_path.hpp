#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algos/call.hpp"
#include "topologies/network.hpp"

namespace tutti {

/// What a stretch of time was spent on: what would have to be faster for it to be shorter.
struct Spent {
  enum class On : std::uint8_t {
    processor,   // of the rank `which`: its overheads, copies and reductions, or other work of its that came first
    gap,         // the rank `which` may not send, or hear of another peer, so soon after what it did before
    latency,     // handshakes, and all that a message takes that does not depend on others
    connection,  // bytes arrive in order: those of an earlier message to the same rank came first
    rate,        // a message's own: what a core or an adapter makes of it, where no link is slower
    link,        // of number `which`: it gave no more
    links,       // of the way, shared by an engine that does not tell which one was slowest
    receiver     // the receive was not posted yet
  };
  On on = On::processor;
  int which = -1;
  double until_seconds = 0;
};

/// A stretch of the critical path.
struct PathPart {
  std::size_t event = 0;  // index into the trace
  Spent spent;
  double begin_seconds = 0;
};

struct Result;
/// The chain of events that ends last, each let go on by the one before, from the start of its first rank to the end,
/// without gaps: into `critical_path`, first to last, and `path_parts`. `last_rank` is done last, at `end_seconds`: of
/// its sends it may wait for a word that comes back after all events have ended.
void find_critical_path(Result& result, Rank last_rank, double end_seconds);

/// What the critical path's time was spent on, the most first.
struct Bound {
  Spent::On on = Spent::On::processor;
  int which = -1;
  double seconds = 0;
};
std::vector<Bound> bounds_of(const Result& result);
/// "processor", "nic-out": a link's kind is its level.
std::string kind_of(Spent::On on, int which, const Network& network);
/// "rank 3", "node/0/nic/0/out"; empty for what is of no one place.
std::string place_of(Spent::On on, int which, const Network& network);

}  // namespace tutti
