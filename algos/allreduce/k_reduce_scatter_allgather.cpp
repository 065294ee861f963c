#include <algorithm>
#include <vector>

#include "algos/patterns/recursive_exchange.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_k_reduce_scatter_allgather(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const RecursiveExchange exchange(size, static_cast<int>(std::min<std::int64_t>(call.parameter("radix"), size)));
  const int me = exchange.index(rank), others = exchange.radix - 1;
  const Count elements = call.out.elements(), each = elements / exchange.active;
  co_await comm.wait(comm.copy(call.out, call.in));
  if (!exchange.is_active(rank)) {
    co_await comm.blocking_send(exchange.rank(me), call.out);
    co_await comm.wait(comm.recv(exchange.rank(me), call.out));
    co_return;
  }
  const View inbox = comm.scratch(elements);
  for (Rank folded = rank - 1; folded >= exchange.first(me); --folded) {
    co_await comm.wait(comm.recv(folded, inbox));
    co_await comm.wait(comm.combine(call.out, inbox, call.out));
  }

  // One block for each active rank, by its index with the digits reversed; the last takes the remainder. Where `span`
  // indices hold the same blocks, this is what one of them holds:
  const auto held = [=](View buffer, int index, int span) {
    const int low = exchange.reversed(index) / span * span;
    const Count end = low + span == exchange.active ? elements : (low + span) * each;
    return buffer.slice(low * each, end - low * each);
  };
  const auto peer = [=](int phase, int i) {  // the i-th of the others, in rank order
    const int power = exchange.power(phase), digit = me / power % exchange.radix;
    return me + (i < digit ? i - digit : i + 1 - digit) * power;
  };
  int span = exchange.active;
  for (int phase = 0; phase < exchange.phases; ++phase) {  // reduce-scatter, nearest first
    span /= exchange.radix;
    const View mine = held(call.out, me, span), theirs = held(inbox, me, span);
    for (int i = 0; i < others; ++i) {
      const Rank other = exchange.rank(peer(phase, i));
      co_await comm.exchange(other, held(call.out, peer(phase, i), span), other, theirs);
      co_await comm.wait(comm.combine(mine, theirs, mine));
    }
  }
  std::vector<Op> ops;
  for (int phase = exchange.phases - 1; phase >= 0; --phase, span *= exchange.radix) {  // allgather, farthest first
    ops.clear();
    for (int i = 0; i < others; ++i)
      ops.push_back(comm.recv(exchange.rank(peer(phase, i)), held(call.out, peer(phase, i), span)));
    for (int i = 0; i < others; ++i) ops.push_back(comm.send(exchange.rank(peer(phase, i)), held(call.out, me, span)));
    co_await comm.wait(ops);
  }

  ops.clear();
  for (Rank folded = rank - 1; folded >= exchange.first(me); --folded) ops.push_back(comm.send(folded, call.out));
  co_await comm.wait(ops);
}

// Of p ranks the largest power of min(k,p) is active. In the reduce-scatter a phase's ranks meet in pairs, digits i and
// j in the (i+j)-th round: the last two after 2*radix - 3.
#define TUTTI_RADIX "max(2,min(k,p))"
#define TUTTI_PHASES "floor_log(p," TUTTI_RADIX ")"
#define TUTTI_ACTIVE "pow(" TUTTI_RADIX "," TUTTI_PHASES ")"

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
