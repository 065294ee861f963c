#include "algos/patterns/smp.hpp"

#include <bit>

#include "algos/allreduce/calls.hpp"
#include "algos/bcast/calls.hpp"
#include "algos/patterns/compose.hpp"
#include "algos/patterns/fold.hpp"
#include "algos/patterns/node_places.hpp"
#include "algos/reduce/calls.hpp"

namespace tutti {

Task allreduce_smp(Comm comm, Call call) {
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  co_await reduce_binomial(node, reduce_to_first(node.rank(), call, call.out));
  if (leaders.is_member()) {
    Call across = call;
    across.in = call.out;
    across.in_place = true;
    co_await allreduce_recursive_doubling(leaders, across);
  }
  co_await bcast_binomial_halving(node, bcast_from_first(call));
}

namespace {

double smp_messages(const Facts& facts) {
  const double nodes = static_cast<double>(node_sizes(facts).size());
  const Fold fold(static_cast<int>(nodes));
  const int steps = std::bit_width(static_cast<unsigned>(fold.core)) - 1;
  return 2 * (facts["p"] - nodes) + fold.core * steps + 2 * fold.extra;
}

}  // namespace

TUTTI_ALGORITHM(allreduce, "smp", allreduce_smp)
    .by_node()
    .commutative()
    .rounds(smp_allreduce_rounds,
            "2*s + floor(log2(nodes)): s is ceil(log2) of a node's ranks, plus 1 if it folds, at most")
    .messages(smp_messages, "2*(p - nodes) + those of recursive doubling with a rank for each node")
    .bytes(bytes_of_vectors<smp_messages>, "n for each message")
    .cite("MPICH, src/mpi/coll/allreduce/allreduce_intra_smp.c: each node, the first ranks, each node")
    .deviates(
        "reduction and broadcast on a node are binomial, the first ranks run recursive doubling, where MPICH selects");

}  // namespace tutti
