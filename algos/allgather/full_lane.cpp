#include <vector>

#include "algos/patterns/block_copies.hpp"
#include "algos/patterns/lanes.hpp"
#include "algos/patterns/ring.hpp"

namespace tutti {

Task allgather_full_lane(Comm comm, Call call) {
  if (!comm.is_equal(Level::node) || call.blocks.firsts)
    co_return co_await run_part(comm, Collective::allgather, call.parameter("lane"), call);
  const Comm node = comm.group(Level::node), lane = comm.peers(Level::node);
  const Count each = call.in.elements();
  const Blocks lanes = Blocks::regular(node.size(), lane.size() * each);
  const View held = node.size() == 1 ? call.out : comm.scratch(lanes.total());  // lane after lane
  co_await run_part(lane, Collective::allgather, call.parameter("lane"),
                    allgather_part(call, call.in, lanes.of(held, node.rank()), lane.size()));
  co_await collect_around_ring(node, held, lanes, node.rank());

  const std::vector<Op> placed = copy_out_of_order(comm, ranks_by_lane(comm), call.blocks, call.out, held);
  co_await comm.wait(placed);
}

namespace {

PartCounts lane_counts(const Facts& facts) {
  const Spread spread(facts);
  if (!spread.equal) return count_flat(facts, Collective::allgather, "lane");
  const auto count = static_cast<Count>(facts["c"]);
  return on_each(spread.ppn, count_part(facts, Collective::allgather, "lane", spread.nodes, count)) +
         count_rings(facts, spread, count * spread.nodes * spread.ppn);
}

}  // namespace

TUTTI_ALGORITHM(allgather, "full_lane", allgather_full_lane)
    .by_node()
    .parameter("lane", 4, 1, 7)
    .tried({2, 3})
    .rounds(rounds_of<lane_counts>, "those of the lane, and s-1, s ranks on a node")
    .messages(messages_of<lane_counts>, "those of the lane on each of s lanes, s ranks on a node, and p*(s-1)")
    .bytes(bytes_of<lane_counts>, "those of the lane on each of s lanes, s ranks on a node, and nodes*(s-1)*n")
    .cite("Traeff, Hunold: Decomposing MPI Collectives for Exploiting Multi-lane Communication, CLUSTER 2020")
    .deviates(
        "on a node it is a ring, where the paper calls MPI_Allgather, and blocks are copied to their places, where it "
        "has a datatype; lane is a number of coll/tuned, which also serves all ranks where nodes have not as many");

}  // namespace tutti
