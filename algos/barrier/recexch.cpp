#include <algorithm>

#include "algos/patterns/recursive_exchange.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task barrier_recexch(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const RecursiveExchange pattern(size, call.parameter("radix"));
  const int index = pattern.index(rank);
  const View nothing;
  if (!pattern.is_active(rank)) {
    const Rank active = pattern.rank(index);
    co_await comm.blocking_send(active, nothing);
    co_await comm.wait(comm.recv(active, nothing));
    co_return;
  }

  std::vector<Op> sent, arriving[2];
  for (Rank folded = pattern.first(index); folded < rank; ++folded) arriving[0].push_back(comm.recv(folded, nothing));
  co_await comm.wait(arriving[0]);

  const auto partner = [&](int phase, int i) { return pattern.rank(pattern.met(index, phase, i)); };
  for (int phase = 0; phase < pattern.phases; ++phase) {
    if (phase % 2 == 0)  // receives are posted for two phases at a time
      for (int ahead = phase; ahead < std::min(phase + 2, pattern.phases); ++ahead) {
        arriving[ahead % 2].clear();
        for (int i = 0; i + 1 < pattern.radix; ++i)
          arriving[ahead % 2].push_back(comm.recv(partner(ahead, i), nothing));
      }
    sent.clear();
    for (int i = 0; i + 1 < pattern.radix; ++i) sent.push_back(comm.send(partner(phase, i), nothing));
    co_await comm.wait(sent);
    co_await comm.wait(arriving[phase % 2]);
  }
  for (Rank folded = pattern.first(index); folded < rank; ++folded) comm.send(folded, nothing);
}

TUTTI_ALGORITHM(barrier, "recexch", barrier_recexch)
    .parameter("radix", 2, 2)
    .ports(TUTTI_RADIX "-1")
    .rounds(TUTTI_PHASES " + (p == " TUTTI_ACTIVE " ? 0 : 2)")
    .messages("(" TUTTI_RADIX "-1)*" TUTTI_PHASES "*" TUTTI_ACTIVE " + 2*(p-" TUTTI_ACTIVE ")")
    .bytes("0")
    .cite(
        "MPICH: an allreduce of no elements by recursive exchange; Ruefenacht, Bull, Booth: Generalisation of "
        "recursive "
        "doubling for AllReduce, Parallel Computing 69, 2017");

}  // namespace tutti
