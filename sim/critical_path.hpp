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
    processor,      // of the rank `which`: its overheads, copies and reductions, or other work of its that came first
    gap,            // the rank `which` may not send, or hear of another peer, so soon after what it did before
    latency,        // handshakes, and all that a message takes that does not depend on others
    connection,     // bytes arrive in order: those of an earlier message to the same rank came first
    rate,           // a message's own: what a core or an adapter makes of it, where no link is slower
    link,           // of number `which`: it gave no more
    links,          // of the way, shared by an engine that does not tell which one was slowest
    receiver,       // the receive was not posted yet
    retransmission  // the message was lost and is sent again only after a time-out
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
/// The stay of a rank in what is timed.
struct TimedStay {
  Rank rank = 0;
  double begin_seconds = 0, end_seconds = 0;
  std::int64_t last_event = -1;  // that let it be done; -1: the one that ends last of all events
};
/// The chain of events, each let go on by the one before, from the stay's beginning (of its first rank, if that is
/// later) to its end, without gaps: into `critical_path`, first to last, and `path_parts`. The rank may wait, after all
/// events have ended, for a word that comes back of one of its sends.
void find_critical_path(Result& result, const TimedStay& stay);

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
