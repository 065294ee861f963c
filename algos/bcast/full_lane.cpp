#include "algos/patterns/lanes.hpp"
#include "algos/patterns/ring.hpp"
#include "algos/scatter/calls.hpp"

namespace tutti {

Task bcast_full_lane(Comm comm, Call call) {
  if (!comm.is_equal(Level::node)) co_return co_await run_part(comm, Collective::bcast, call.parameter("lane"), call);
  const Comm node = comm.group(Level::node), lane = comm.peers(Level::node);
  const Blocks blocks = Blocks::split(call.out.elements(), node.size());
  const View own = blocks.of(call.out, node.rank());
  if (const Rank root = node.rank_of(call.root); root >= 0) {
    Call scatter = scatter_part(call, call.out, own, node.size(), comm.rank() == call.root, root);
    scatter.blocks = blocks;
    co_await scatter_linear(node, scatter);
  }
  co_await run_bcast(lane, call, "lane", own, in_lane(comm, node, lane, call.root));
  co_await collect_around_ring(node, call.out, blocks, node.rank());
}

namespace {
PartCounts lane_counts(const Facts& facts) { return count_rooted(facts, Collective::bcast); }
double least_lane_rounds(const Facts& facts) { return least_rooted_rounds(facts, Collective::bcast); }
}  // namespace

TUTTI_ALGORITHM(bcast, "full_lane", bcast_full_lane)
    .by_node()
    .parameter("lane", 6, 1, 9)
    .tried({8, 9})
    .rounds_between(least_lane_rounds, rounds_of<lane_counts>,
                    "s-1, s ranks on a node, and those of the lane; s-1 more at most")
    .messages(messages_of<lane_counts>, "s-1, s ranks on a node, those of the lane on each of s lanes, and p*(s-1)")
    .bytes(bytes_of<lane_counts>,
           "those of a scatter of n, of the lane, a block of n/s each, and nodes*(s-1)*n, s ranks on a node")
    .cite("Traeff, Hunold: Decomposing MPI Collectives for Exploiting Multi-lane Communication, CLUSTER 2020")
    .deviates(
        "on the root's node the scatter is linear and on nodes the allgather a ring, where the paper calls MPI; lane "
        "is a number of coll/tuned, which also serves all ranks where nodes have not as many");

}  // namespace tutti
