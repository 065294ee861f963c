#include <algorithm>
#include <vector>

#include "algos/patterns/combine_in_order.hpp"
#include "algos/patterns/recursive_exchange.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_recexch(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const RecursiveExchange exchange(size, call.parameter("radix"));
  const int me = exchange.index(rank), others = exchange.radix - 1;
  const Count elements = call.out.elements();
  co_await comm.wait(comm.copy(call.out, call.in));
  if (!exchange.is_active(rank)) {
    co_await comm.blocking_send(exchange.rank(me), call.out);
    co_await comm.wait(comm.recv(exchange.rank(me), call.out));
    co_return;
  }
  const Rank first_folded = exchange.first(me);
  const int folded = rank - first_folded;
  const View inbox = comm.scratch(std::max(folded, exchange.phases > 0 ? others : 0) * elements);
  const auto slot = [=](int i) { return inbox.slice(i * elements, elements); };

  std::vector<Op> ops;
  for (int i = 0; i < folded; ++i) ops.push_back(comm.recv(first_folded + i, slot(i)));
  co_await comm.wait(ops);
  co_await combine_in_order(comm, call.out, inbox, folded + 1, folded);

  for (int phase = 0; phase < exchange.phases; ++phase) {
    exchange_in_phase(comm, exchange, me, phase, ops, slot, call.out);
    co_await comm.wait(ops);
    co_await combine_in_order(comm, call.out, inbox, exchange.radix, exchange.digit(me, phase));
  }

  ops.clear();
  for (int i = folded - 1; i >= 0; --i) ops.push_back(comm.send(first_folded + i, call.out));
  co_await comm.wait(ops);
}

#define TUTTI_MESSAGES TUTTI_ACTIVE "*(" TUTTI_RADIX "-1)*" TUTTI_PHASES " + 2*(p-" TUTTI_ACTIVE ")"

TUTTI_ALGORITHM(allreduce, "recexch", allreduce_recexch)
    .parameter("radix", 2, 2)
    .ports("k-1")
    .rounds(TUTTI_PHASES " + (p == " TUTTI_ACTIVE " ? 0 : 2)")
    .messages(TUTTI_MESSAGES)
    .bytes("(" TUTTI_MESSAGES ")*n")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), 2005")
    .deviates(
        "always combines in rank order, as MPICH does for floating-point elements; receives are posted a phase at a "
        "time, as with MPIR_CVAR_ALLREDUCE_RECEXCH_SINGLE_PHASE_RECV, where MPICH's default posts those of two phases "
        "at once");

}  // namespace tutti
