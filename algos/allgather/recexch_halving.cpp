#include "algos/allgather/recexch.hpp"
#include "algos/patterns/recursive_exchange.hpp"

namespace tutti {

Task allgather_recexch_halving(Comm comm, Call call) { return allgather_recexch(comm, call, true); }

namespace {

RecursiveExchange exchange_of(const Facts& facts) {
  return {static_cast<int>(facts["p"]), static_cast<int>(std::min(facts["p"], facts["k"]))};
}

double rounds(const Facts& facts) {
  const RecursiveExchange exchange = exchange_of(facts);
  const bool folds = exchange.folded > 0, swaps = exchange.phases > 1;
  // Index 0 never swaps: if only ranks below it fold, both happen side by side.
  const bool one_after_other = swaps && exchange.folded > exchange.radix - 1;
  return exchange.phases + (folds || swaps) + one_after_other + folds;
}

double halving_messages(const Facts& facts) {
  const RecursiveExchange exchange = exchange_of(facts);
  double total = 2.0 * exchange.folded + 1.0 * exchange.active * (exchange.radix - 1) * exchange.phases;
  for (int index = 0; index < exchange.active; ++index) total += exchange.reversed(index) != index;
  return total;
}

double halving_bytes(const Facts& facts) {
  const RecursiveExchange exchange = exchange_of(facts);
  double blocks = facts["p"] * (facts["p"] - 1) + exchange.folded;
  for (int index = 0; index < exchange.active; ++index)
    if (exchange.reversed(index) != index) blocks += exchange.rank(index) - exchange.first(index) + 1;
  return blocks * facts["c"] * facts["e"];
}

}  // namespace

TUTTI_ALGORITHM(allgather, "recexch_halving", allgather_recexch_halving)
    .parameter("radix", 2, 2)
    .ports("k-1")
    .rounds(rounds, "as recexch_doubling, and 1 where a rank both takes in folded blocks and swaps, or none fold")
    .messages(halving_messages,
              "as recexch_doubling, and one from each active rank whose index is no palindrome in base k")
    .bytes(halving_bytes, "as recexch_doubling, and the blocks that those ranks stand for")
    .cite(
        "Sack, Gropp: Faster Topology-aware Collective Algorithms through Non-minimal Communication, PPoPP "
        "2012")
    .deviates(
        "receives are posted a phase at a time, as with MPIR_CVAR_ALLGATHER_RECEXCH_SINGLE_PHASE_RECV; MPICH's default "
        "posts those of two phases at once");

}  // namespace tutti
