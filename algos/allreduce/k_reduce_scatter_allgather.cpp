#include <vector>

#include "algos/patterns/recursive_exchange.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_k_reduce_scatter_allgather(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const RecursiveExchange exchange(size, call.parameter("radix"));
  const int me = exchange.index(rank);
  co_await comm.wait(comm.copy(call.out, call.in));
  if (!exchange.is_active(rank)) {
    co_await comm.blocking_send(exchange.rank(me), call.out);
    co_await comm.wait(comm.recv(exchange.rank(me), call.out));
    co_return;
  }
  const View inbox = comm.scratch(call.out.elements());
  for (Rank folded = rank - 1; folded >= exchange.first(me); --folded) {
    co_await comm.wait(comm.recv(folded, inbox));
    co_await comm.wait(comm.combine(call.out, inbox, call.out));
  }

  const auto held = [=](const View& of, int index, int n) { return exchange.reversed_blocks(of, index, n); };
  int span = exchange.active;                              // so many indices hold the same blocks
  for (int phase = 0; phase < exchange.phases; ++phase) {  // reduce-scatter, nearest first
    span /= exchange.radix;
    const View mine = held(call.out, me, span), theirs = held(inbox, me, span);
    for (int i = 0; i + 1 < exchange.radix; ++i) {
      const int other = exchange.met(me, phase, i);
      const Rank peer = exchange.rank(other);
      co_await comm.exchange(peer, held(call.out, other, span), peer, theirs);
      co_await comm.wait(comm.combine(mine, theirs, mine));
    }
  }
  std::vector<Op> ops;
  for (int phase = exchange.phases - 1; phase >= 0; --phase, span *= exchange.radix) {  // allgather, farthest first
    const auto theirs = [&](int i) { return held(call.out, exchange.met(me, phase, i), span); };
    exchange_in_phase(comm, exchange, me, phase, ops, theirs, held(call.out, me, span));
    co_await comm.wait(ops);
  }
  ops.clear();
  for (Rank folded = rank - 1; folded >= exchange.first(me); --folded) ops.push_back(comm.send(folded, call.out));
  co_await comm.wait(ops);
}

// In a phase of the reduce-scatter digits i and j meet in the (i+j)-th round: the last two after 2*radix - 3.
TUTTI_ALGORITHM(allreduce, "k_reduce_scatter_allgather", allreduce_k_reduce_scatter_allgather)
    .parameter("radix", 2, 2)
    .ports("k-1")
    .commutative()
    .rounds("2*(" TUTTI_RADIX "-1)*" TUTTI_PHASES " + (p == " TUTTI_ACTIVE " ? 0 : 2)")
    .messages("2*(" TUTTI_ACTIVE "*(" TUTTI_RADIX "-1)*" TUTTI_PHASES " + p - " TUTTI_ACTIVE ")")
    .bytes("2*(p-1)*n")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), "
        "2005");

}  // namespace tutti
