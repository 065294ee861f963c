#include "algos/gather/calls.hpp"
#include "algos/patterns/lanes.hpp"
#include "algos/patterns/ring.hpp"

namespace tutti {

Task reduce_full_lane(Comm comm, Call call) {
  if (!comm.is_equal(Level::node)) co_return co_await run_part(comm, Collective::reduce, call.parameter("lane"), call);
  const Comm node = comm.group(Level::node), lane = comm.peers(Level::node);
  const Rank root = node.rank_of(call.root);  // -1: on another node
  const View sum = comm.rank() == call.root ? call.out : comm.scratch(call.in.elements());
  const Blocks blocks = Blocks::split(call.in.elements(), node.size());
  const View own = blocks.of(sum, node.rank());
  co_await comm.wait(comm.copy(sum, call.in));
  co_await reduce_around_ring(node, sum, blocks, node.rank() - 1);
  co_await run_reduce(lane, call, "lane", own, own, root >= 0, in_lane(comm, node, lane, call.root));
  if (root < 0) co_return;
  Call gather = gather_part(call, own, sum, node.size(), comm.rank() == call.root, root);
  gather.blocks = blocks;
  co_await gather_linear(node, gather);
}

namespace {
PartCounts lane_counts(const Facts& facts) { return count_rooted(facts, Collective::reduce); }
double least_lane_rounds(const Facts& facts) { return least_rooted_rounds(facts, Collective::reduce); }
}  // namespace

TUTTI_ALGORITHM(reduce, "full_lane", reduce_full_lane)
    .by_node()
    .commutative()
    .parameter("lane", 5, 1, 7)
    .tried({1, 7})
    .rounds_between(least_lane_rounds, rounds_of<lane_counts>,
                    "s-1, s ranks on a node, and those of the lane; s-1 more at most")
    .messages(messages_of<lane_counts>, "p*(s-1), s ranks on a node, those of the lane on each of s lanes, and s-1")
    .bytes(bytes_of<lane_counts>,
           "nodes*(s-1)*n, s ranks on a node, those of the lane, a block of n/s each, and of a gather of n")
    .cite("Traeff, Hunold: Decomposing MPI Collectives for Exploiting Multi-lane Communication, CLUSTER 2020")
    .deviates(
        "on nodes the reduce-scatter is a ring and on the root's the gather linear, where the paper calls MPI; lane is "
        "a number of coll/tuned, which also serves all ranks where nodes have not as many");

}  // namespace tutti
