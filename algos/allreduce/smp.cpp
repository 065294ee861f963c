#include <bit>

#include "algos/patterns/compose.hpp"
#include "algos/patterns/fold.hpp"
#include "algos/patterns/node_places.hpp"
#include "algos/patterns/round_clock.hpp"
#include "algos/patterns/tree_pipeline.hpp"

namespace tutti {

Task allreduce_recursive_doubling(Comm comm, Call call);  // allreduce/recursive_doubling.cpp
Task bcast_binomial(Comm comm, Call call);                // bcast/binomial.cpp
Task reduce_binomial(Comm comm, Call call);               // reduce/binomial.cpp

Task allreduce_smp(Comm comm, Call call) {
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  co_await reduce_binomial(node, reduce_to_first(node.rank(), call, call.out));
  if (leaders.is_member()) {
    Call across = call;
    across.in = call.out;
    across.in_place = true;
    co_await allreduce_recursive_doubling(leaders, across);
  }
  co_await bcast_binomial(node, bcast_from_first(call));
}

namespace {

double smp_messages(const Facts& facts) {
  const double nodes = static_cast<double>(node_sizes(facts).size());
  const Fold fold(static_cast<int>(nodes));
  const int steps = std::bit_width(static_cast<unsigned>(fold.core)) - 1;
  return 2 * (facts["p"] - nodes) + fold.core * steps + 2 * fold.extra;
}
double smp_bytes(const Facts& facts) { return smp_messages(facts) * facts["n"]; }

double smp_rounds(const Facts& facts) {
  const std::vector<int> sizes = node_sizes(facts);
  std::vector<int> summed;
  for (const int size : sizes)
    summed.push_back(sum_complete(0, [=](int v) { return binomial_tree_nearest_first(size, v); }));
  RoundClock clock(summed);
  const Fold fold(static_cast<int>(sizes.size()));
  const auto at = [](Rank rank) { return static_cast<std::size_t>(rank); };
  const auto pairs = [&](bool to_keeper) {
    for (Rank even = 0; even < 2 * fold.extra; even += 2)
      to_keeper ? clock.message(at(even), at(even + 1)) : clock.message(at(even + 1), at(even));
    clock.wait();
  };
  pairs(true);
  for (int distance = 1; distance < fold.core; distance *= 2) {
    for (int i = 0; i < fold.core; ++i) clock.message(at(fold.rank_of(i)), at(fold.rank_of(i ^ distance)));
    clock.wait();
  }
  pairs(false);
  int last = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (const int end : binomial_bcast_ends(sizes[i], clock.reached()[i])) last = std::max(last, end);
  return last;
}

}  // namespace

TUTTI_ALGORITHM(allreduce, "smp", allreduce_smp)
    .by_node()
    .commutative()
    .rounds(smp_rounds, "on each node a binomial tree up, recursive doubling of the first ranks, and a tree down")
    .messages(smp_messages, "2*(p - nodes) + those of recursive doubling with a rank for each node")
    .bytes(smp_bytes, "n for each message")
    .mpich("MPIR_Allreduce_intra_smp")
    .cite("MPICH, src/mpi/coll/allreduce/allreduce_intra_smp.c: each node, the first ranks, each node")
    .deviates(
        "reduction and broadcast on a node are binomial, the first ranks run recursive doubling, where MPICH selects");

}  // namespace tutti
