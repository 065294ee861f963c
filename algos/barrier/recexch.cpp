#include <algorithm>

#include "algos/patterns/recursive_exchange.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task barrier_recexch(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const RecursiveExchange pattern(size, static_cast<int>(std::min<std::int64_t>(call.parameter("radix"), size)));
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

  const auto own_digit = [&](int phase) { return index / pattern.power(phase) % pattern.radix; };
  const auto partner = [&](int phase, int digit) {  // whose index has this digit instead
    return pattern.rank(index + (digit - own_digit(phase)) * pattern.power(phase));
  };
  for (int phase = 0; phase < pattern.phases; ++phase) {
    if (phase % 2 == 0)  // receives are posted for two phases at a time
      for (int ahead = phase; ahead < std::min(phase + 2, pattern.phases); ++ahead) {
        arriving[ahead % 2].clear();
        for (int digit = 0; digit < pattern.radix; ++digit)
          if (digit != own_digit(ahead)) arriving[ahead % 2].push_back(comm.recv(partner(ahead, digit), nothing));
      }
    sent.clear();
    for (int digit = 0; digit < pattern.radix; ++digit)
      if (digit != own_digit(phase)) sent.push_back(comm.send(partner(phase, digit), nothing));
    co_await comm.wait(sent);
    co_await comm.wait(arriving[phase % 2]);
  }
  for (Rank folded = pattern.first(index); folded < rank; ++folded) comm.send(folded, nothing);
}

TUTTI_ALGORITHM(barrier, "recexch", barrier_recexch)
    .parameter("radix", 2, 2)
    .ports("max(2,min(k,p))-1")
    .rounds("floor_log(p,max(2,min(k,p))) + (p == pow(max(2,min(k,p)),floor_log(p,max(2,min(k,p)))) ? 0 : 2)")
    .messages(
        "(max(2,min(k,p))-1)*floor_log(p,max(2,min(k,p)))*pow(max(2,min(k,p)),floor_log(p,max(2,min(k,p))))"
        " + 2*(p-pow(max(2,min(k,p)),floor_log(p,max(2,min(k,p)))))")
    .bytes("0")
    .cite(
        "MPICH: an allreduce of no elements by recursive exchange; Ruefenacht, Bull, Booth: Generalisation of "
        "recursive "
        "doubling for AllReduce, Parallel Computing 69, 2017");

}  // namespace tutti
