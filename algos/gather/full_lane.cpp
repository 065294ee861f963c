#include "algos/gather/calls.hpp"
#include "algos/patterns/block_copies.hpp"
#include "algos/patterns/lanes.hpp"
#include "algos/patterns/lanes_of_blocks.hpp"

namespace tutti {

Task gather_full_lane(Comm comm, Call call) {
  if (is_one_lane(comm)) co_return co_await run_choice(comm, "lane", call, call);
  const Comm node = comm.group(Level::node), lane = comm.peers(Level::node);
  const Rank root = node.rank_of(call.root);  // -1: on another node
  const bool is_root = comm.rank() == call.root;
  const Count each = call.in.elements();
  const View of_lane = comm.scratch(root >= 0 ? lane.size() * each : 0);
  co_await run_choice(
      lane, "lane", call,
      gather_part(call, call.in, of_lane, lane.size(), root >= 0, in_lane(comm, node, lane, call.root)));
  if (root < 0) co_return;
  const View all = comm.scratch(is_root ? comm.size() * each : 0);  // lane after lane
  co_await gather_linear(node, gather_part(call, of_lane, all, node.size(), is_root, root));
  if (!is_root) co_return;
  copy_out_of_order(comm, ranks_by_lane(comm), call.blocks, call.out, all);
}

TUTTI_ALGORITHM(gather, "full_lane", gather_full_lane)
    .by_node()
    .parameter("lane", number_of_choice(Collective::gather, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "linear"), number_of_choice(Collective::gather, "bine")})
    .rounds(rounds_of<count_blocks_in_lanes>, "those of the lane, and s-1, s ranks on a node")
    .messages(messages_of<count_blocks_in_lanes>, "those of the lane on each of s lanes, s ranks on a node, and s-1")
    .bytes(bytes_of<count_blocks_in_lanes>, "those of the lane on each of s lanes, and (s-1)*nodes*c*e")
    .cite(kFullLane)
    .deviates(
        "on the root's node the gather is linear, where the paper calls MPI_Gather, and blocks are copied to their "
        "places, where it has a datatype; lane also serves all ranks where nodes have not as many each");

}  // namespace tutti
