#include <algorithm>

#include "algos/patterns/direct.hpp"
#include "algos/patterns/lanes.hpp"

namespace tutti {

Task allreduce_multi_leader(Comm comm, Call call) {
  if (!comm.is_equal(Level::node))
    co_return co_await run_part(comm, Collective::allreduce, call.parameter("lane"), call);
  const Comm node = comm.group(Level::node), lane = comm.peers(Level::node);
  const auto leaders = static_cast<int>(std::min<std::int64_t>(call.parameter("leaders"), node.size()));
  const Blocks blocks = Blocks::split(call.out.elements(), leaders);
  co_await comm.wait(comm.copy(call.out, call.in));
  co_await reduce_to_leaders(node, call.out, blocks);
  if (node.rank() < leaders) {
    const View own = blocks.of(call.out, node.rank());
    co_await run_part(lane, Collective::allreduce, call.parameter("lane"), allreduce_part(call, own, own));
  }
  co_await collect_from_leaders(node, call.out, blocks);
}

namespace {

PartCounts leader_counts(const Facts& facts) {
  const Spread spread(facts);
  if (!spread.equal) return count_flat(facts, Collective::allreduce, "lane");
  const auto count = static_cast<Count>(facts["c"]);
  const auto leaders = static_cast<int>(std::min<double>(facts["leaders"], spread.ppn));
  const double others = spread.ppn - 1;
  const PartCounts node = on_each(spread.nodes, {others, leaders * others, others * facts["n"]});
  return node + node + count_lanes(leaders, count, [&](Count elements) {
           return count_part(facts, Collective::allreduce, "lane", spread.nodes, elements);
         });
}

}  // namespace

TUTTI_ALGORITHM(allreduce, "multi_leader", allreduce_multi_leader)
    .by_node()
    .commutative()
    .parameter("leaders", 4, 1)
    .tried({2, 8})
    .parameter("lane", 3, 1, 6)
    .tried({4, 6})
    .rounds(rounds_of<leader_counts>, "2*(s-1), s ranks on a node, and those of the lane")
    .messages(messages_of<leader_counts>,
              "2*nodes*(s-1)*leaders, s ranks on a node, and those of the lane for each leader")
    .bytes(bytes_of<leader_counts>,
           "2*nodes*(s-1)*n, s ranks on a node, and those of the lane, a block of n/leaders each")
    .cite(
        "Bayatpour, Chakraborty, Subramoni, Lu, Panda: Scalable reduction collectives with data partitioning-based "
        "multi-leader design, SC 2017")
    .deviates(
        "ranks send their blocks to the leaders, where the paper has shared memory; lane is a number of coll/tuned, "
        "which also serves all ranks where nodes have not as many");

}  // namespace tutti
