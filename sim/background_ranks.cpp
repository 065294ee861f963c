// Another job beside the experiment's.
#include "sim/simulation.hpp"

namespace tutti {

/// The ranks that ask for a round later hear what the first one did.
bool Simulation::has_round(int round) {
  if (round > background_.last) {
    background_.last = round;
    background_.has_last = ended_ < simulated_ranks() && !left_off_;
    const double ranks = background_ranks(),
                 messages = experiment_.background->kind == Background::Kind::incast ? ranks - 1 : ranks * (ranks - 1);
    if (background_.has_last && messages * (round + 1) > kMostMessages)
      throw ExperimentRefused("beside the background " + experiment_.background->text() + ", of whose messages " +
                              choice_.algorithm->full_name() + " would see more than 2^26, which takes too long");
  }
  return round < background_.last || background_.has_last;
}

Op Simulation::sleep(Rank rank, double seconds) {
  const Op op = operations_.open(*background_.calls[rank - experiment_.c.ranks]);
  record_.set_operation(slot_of(op), TraceEvent::kNone);
  plan(now() + seconds, Event::Kind::acknowledged, slot_of(op));
  return op;
}

Task Simulation::drive_background(Comm comm, Simulation* simulation, Rank rank) {
  Simulation& s = *simulation;
  const Background background = *s.experiment_.background;
  const Rank first = s.experiment_.c.ranks, end = first + background.ranks, own = rank - first;
  const Count element = s.experiment_.c.element_bytes;
  const View message = View::contiguous(View::kIn, 0, (background.bytes + element - 1) / element),
             decision = View::contiguous(View::kIn, 0, 1);
  constexpr int kDecisions = 1;  // a lane of their own
  std::vector<Op> ops;
  double burst_began = 0;
  for (int round = 0; s.has_round(round); ++round) {
    ops.clear();
    for (Rank peer = first; peer < end; ++peer) {
      const bool all = background.kind == Background::Kind::alltoall;
      if (peer != rank && (all || peer == first)) ops.push_back(comm.send(peer, message));
      if (peer != rank && (all || own == 0)) ops.push_back(comm.recv(peer, message));
    }
    co_await comm.wait(ops);
    if (background.burst_seconds > 0) {
      if (own == 0) s.background_.pauses.push_back(s.now() - burst_began >= background.burst_seconds);
      int mask = 1;
      for (; mask < background.ranks; mask <<= 1)
        if (own & mask) {
          co_await comm.wait(comm.recv(rank - mask, decision, kDecisions));
          break;
        }
      ops.clear();
      while (mask >>= 1)
        if (own + mask < background.ranks) ops.push_back(comm.send(rank + mask, decision, kDecisions));
      co_await comm.wait(ops);
      if (s.background_.pauses[round]) {
        co_await comm.wait(s.sleep(rank, background.pause_seconds));
        burst_began = s.now();
      }
    }
    if (background.gap_seconds > 0) co_await comm.wait(s.sleep(rank, background.gap_seconds));
  }
}

}  // namespace tutti
