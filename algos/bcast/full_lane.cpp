#include "algos/patterns/lanes.hpp"
#include "algos/patterns/ring.hpp"

namespace tutti {

Task bcast_full_lane(Comm comm, Call call) {
  if (!comm.is_equal(Level::node)) {
    co_await run_part(comm, Collective::bcast, call.parameter("lane"), call);
    co_return;
  }
  const Comm node = comm.group(Level::node), lane = comm.peers(Level::node);
  const Blocks blocks = Blocks::split(call.out.elements(), node.size());
  const View own = blocks.of(call.out, node.rank());
  co_await scatter_on_node(node, node.rank_of(call.root), call.out, blocks);
  co_await run_part(lane, Collective::bcast, call.parameter("lane"),
                    bcast_part(call, own, in_lane(comm, node, lane, call.root)));
  co_await collect_around_ring(node, call.out, blocks, node.rank());
}

namespace {

PartCounts counts_after_scatter(const Facts& facts, const Spread& spread) {
  const auto count = static_cast<Count>(facts["c"]);
  return count_rings(facts, spread, count) + count_rooted_lanes(facts, count, [&](Count elements, Rank root) {
           return count_part(facts, Collective::bcast, "lane", spread.nodes, elements, root);
         });
}
PartCounts lane_counts(const Facts& facts) {
  const Spread spread(facts);
  if (!spread.equal) return count_flat(facts, Collective::bcast, "lane");
  return counts_after_scatter(facts, spread) + count_blocks_of_root(facts, spread, static_cast<Count>(facts["c"]));
}
double least_rounds(const Facts& facts) {
  const Spread spread(facts);
  return spread.equal ? counts_after_scatter(facts, spread).rounds : lane_counts(facts).rounds;
}

}  // namespace

TUTTI_ALGORITHM(bcast, "full_lane", bcast_full_lane)
    .by_node()
    .parameter("lane", 6, 1, 9)
    .tried({8, 9})
    .rounds_between(least_rounds, rounds_of<lane_counts>,
                    "s-1, s ranks on a node, and those of the lane; s-1 more at most")
    .messages(messages_of<lane_counts>, "s-1, s ranks on a node, those of the lane on each of s lanes, and p*(s-1)")
    .bytes(bytes_of<lane_counts>,
           "those of a scatter of n, of the lane, a block of n/s each, and nodes*(s-1)*n, s ranks on a node")
    .cite("Traeff, Hunold: Decomposing MPI Collectives for Exploiting Multi-lane Communication, CLUSTER 2020")
    .deviates(
        "on the root's node the scatter is linear and on nodes the allgather a ring, where the paper calls MPI; lane "
        "is a number of coll/tuned, which also serves all ranks where nodes have not as many");

}  // namespace tutti
