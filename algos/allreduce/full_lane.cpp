#include "algos/patterns/lanes.hpp"
#include "algos/patterns/ring.hpp"

namespace tutti {

Task allreduce_full_lane(Comm comm, Call call) {
  if (!comm.is_equal(Level::node))
    co_return co_await run_part(comm, Collective::allreduce, call.parameter("lane"), call);
  const Comm node = comm.group(Level::node), lane = comm.peers(Level::node);
  const Blocks blocks = Blocks::split(call.out.elements(), node.size());
  const View own = blocks.of(call.out, node.rank());
  co_await comm.wait(comm.copy(call.out, call.in));
  co_await reduce_around_ring(node, call.out, blocks, node.rank() - 1);
  co_await run_part(lane, Collective::allreduce, call.parameter("lane"), allreduce_part(call, own, own));
  co_await collect_around_ring(node, call.out, blocks, node.rank());
}

namespace {

PartCounts full_lane_counts(const Facts& facts) {
  const Spread spread(facts);
  if (!spread.equal) return count_flat(facts, Collective::allreduce, "lane");
  const auto count = static_cast<Count>(facts["c"]);
  const PartCounts rings = count_rings(facts, spread, count);
  return rings + rings + count_lanes(spread.ppn, count, [&](Count elements) {
           return count_part(facts, Collective::allreduce, "lane", spread.nodes, elements);
         });
}

}  // namespace

TUTTI_ALGORITHM(allreduce, "full_lane", allreduce_full_lane)
    .by_node()
    .commutative()
    .parameter("lane", 3, 1, 6)
    .tried({4, 6})
    .rounds(rounds_of<full_lane_counts>, "2*(s-1), s ranks on a node, and those of the lane")
    .messages(messages_of<full_lane_counts>, "2*p*(s-1), s ranks on a node, and those of the lane on each of s lanes")
    .bytes(bytes_of<full_lane_counts>, "2*nodes*(s-1)*n, s ranks on a node, and those of the lane, a block of n/s each")
    .cite("Traeff, Hunold: Decomposing MPI Collectives for Exploiting Multi-lane Communication, CLUSTER 2020")
    .deviates(
        "on a node it is a ring both times, where the paper calls MPI_Reduce_scatter and MPI_Allgatherv; lane is a "
        "number of coll/tuned, which also serves all ranks where nodes have not as many");

}  // namespace tutti
