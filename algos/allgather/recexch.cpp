#include "algos/allgather/recexch.hpp"

#include <vector>

#include "algos/patterns/recursive_exchange.hpp"

namespace tutti {

Task allgather_recexch(Comm comm, Call call, bool halving) {
  const Rank rank = comm.rank();
  const int ranks = comm.size();
  const RecursiveExchange exchange(ranks, call.parameter("radix"));
  const int me = exchange.index(rank);
  if (!exchange.is_active(rank)) {
    co_await comm.blocking_send(exchange.rank(me), call.in);
    co_await comm.wait(comm.recv(exchange.rank(me), call.block(0, ranks)));
    co_return;
  }

  const Rank first_folded = exchange.first(me);
  co_await comm.wait(comm.copy(call.block(rank), call.in));
  std::vector<Op> folded;
  for (Rank r = rank - 1; r >= first_folded; --r) folded.push_back(comm.recv(r, call.block(r)));
  co_await comm.wait(folded);

  // Blocks come together by position: that of `span` positions holds all their ranks' blocks.
  const auto blocks_of = [&](int position, int span) {
    const int low = position / span * span;
    const Rank first = exchange.first(low);
    return call.block(first, exchange.rank(low + span - 1) - first + 1);
  };
  const int position = halving ? exchange.reversed(me) : me;
  if (position != me) {
    const Rank partner = exchange.rank(position);
    co_await comm.exchange(partner, blocks_of(me, 1), partner, blocks_of(position, 1));
  }

  int span = 1;  // positions whose blocks are held
  std::vector<Op> ops;
  for (int phase = 0; phase < exchange.phases; ++phase, span *= exchange.radix) {
    const int changing = halving ? exchange.phases - 1 - phase : phase;
    const int place = exchange.power(changing);
    const auto into = [&](int i) {
      return blocks_of(position + (exchange.met(me, changing, i) - me) / place * span, span);
    };
    exchange_in_phase(comm, exchange, me, changing, ops, into, blocks_of(position, span));
    co_await comm.wait(ops);
  }

  folded.clear();
  for (Rank r = rank - 1; r >= first_folded; --r) folded.push_back(comm.send(r, call.block(0, ranks)));
  co_await comm.wait(folded);
}

}  // namespace tutti
