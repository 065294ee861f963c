#include "algos/patterns/smp.hpp"

#include "algos/patterns/compose.hpp"
#include "algos/reduce/calls.hpp"

namespace tutti {

Task reduce_smp(Comm comm, Call call) {
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  const bool leads = leaders.is_member(), is_root = comm.rank() == call.root;
  const Rank root_here = node.rank_of(call.root);  // -1 on other nodes
  View mine = call.in;
  if (root_here < 0 && node.size() > 1) {
    const View sum = leads ? comm.scratch(mine.elements()) : mine.slice(0, 0);
    co_await reduce_binomial(node, reduce_to_first(node.rank(), call, sum));
    mine = sum;
  }
  if (leads) {
    Call across = call.with("segment", 0);
    across.root = leaders.rank_of(comm.leader_of(call.root, Level::node));
    across.in = mine;
    across.out = is_root ? call.out : root_here >= 0 ? comm.scratch(mine.elements()) : mine.slice(0, 0);
    co_await reduce_binomial(leaders, across);
    mine = across.out;
  }
  if (root_here < 0) co_return;
  Call inside = call.with("segment", 0);
  inside.root = root_here;
  inside.in = mine;
  inside.in_place = is_root && mine == call.out;
  co_await reduce_binomial(node, inside);
}

TUTTI_ALGORITHM(reduce, "smp", reduce_smp)
    .by_node()
    .commutative()
    .rounds(smp_reduce_rounds, "binomial trees: of the nodes without the root, of the first ranks, of the root's node")
    .messages("p-1")
    .bytes("(p-1)*n")
    .cite("MPICH, src/mpi/coll/reduce/reduce_intra_smp.c: the other nodes, their first ranks, the root's node")
    .deviates("the reductions inside are binomial, where MPICH selects");

}  // namespace tutti
