#include "algos/patterns/two_levels.hpp"

namespace tutti {

Task allgather_han(Comm comm, Call call) {
  if (!comm.is_equal(Level::node) || call.blocks.firsts)
    co_return co_await run_part(comm, Collective::allgather, call.parameter("up"), call);
  const TwoLevels levels(comm, 0);
  const int here = levels.node.size();
  const Count each = call.in.elements();
  const View of_node = comm.scratch(levels.leads ? here * each : 0);
  co_await run_part(levels.node, Collective::gather, call.parameter("gather"),
                    gather_part(call, call.in, of_node, here, levels.leads, 0));
  if (levels.leads) {
    const bool in_order = comm.is_consecutive(Level::node);
    const View all = in_order ? call.out : comm.scratch(comm.size() * each);
    co_await run_part(levels.across, Collective::allgather, call.parameter("up"),
                      allgather_part(call, of_node, all, levels.across.size()));
    const NodeOrder order(comm, levels);
    for (Rank r = 0; !in_order && r < comm.size(); ++r)
      co_await comm.wait(comm.copy(call.block(r), all.slice(order.place_of(r) * each, each)));
  }
  co_await run_bcast(levels.node, call, "bcast", call.out, 0);
}

namespace {

PartCounts han_counts(const Facts& facts) {
  const Spread spread(facts);
  if (!spread.equal) return count_flat(facts, Collective::allgather, "up");
  const auto count = static_cast<Count>(facts["c"]), of_node = spread.ppn * count;
  return count_low(facts, spread, Collective::gather, "gather", count) +
         count_up(facts, spread, Collective::allgather, "up", of_node) +
         count_low(facts, spread, Collective::bcast, "bcast", spread.nodes * of_node);
}

}  // namespace

TUTTI_ALGORITHM(allgather, "han", allgather_han)
    .by_node()
    .parameter("gather", 2, 1, 3)
    .tried({1})
    .parameter("up", 4, 1, 7)
    .tried({2, 3})
    .parameter("bcast", 6, 1, 8)
    .tried({1})
    .rounds(rounds_of<han_counts>, "those of gather, up and bcast")
    .messages(messages_of<han_counts>, "those of gather and bcast on each node, and of up with a node's blocks in one")
    .bytes(bytes_of<han_counts>, "those of gather and bcast on each node, and of up with a node's blocks in one")
    .cite("Open MPI 5.0, coll/han, mca_coll_han_allgather_intra and _simple: nodes, their first ranks, nodes")
    .deviates(
        "gather, up and bcast are coll/tuned's numbers, which Open MPI chooses by size; where nodes have not as many "
        "ranks it leaves all to coll/tuned, here to up");

}  // namespace tutti
