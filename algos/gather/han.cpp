#include "algos/patterns/two_levels.hpp"

namespace tutti {

Task gather_han(Comm comm, Call call) {
  if (!comm.is_equal(Level::node) || call.blocks.firsts)
    co_return co_await run_part(comm, Collective::gather, call.parameter("up"), call);
  const TwoLevels levels(comm, call.root);
  const int here = levels.node.size();
  const Count each = call.in.elements();
  const View of_node = comm.scratch(levels.leads ? here * each : 0);
  co_await run_part(levels.node, Collective::gather, call.parameter("low"),
                    gather_part(call, call.in, of_node, here, levels.leads, levels.root_number));
  if (!levels.leads) co_return;
  const bool is_root = comm.rank() == call.root, in_order = comm.is_consecutive(Level::node);
  const View all = is_root && !in_order ? comm.scratch(comm.size() * each) : call.out;
  co_await run_part(levels.across, Collective::gather, call.parameter("up"),
                    gather_part(call, of_node, all, levels.across.size(), is_root, levels.root_across));
  if (!is_root || in_order) co_return;
  const NodeOrder order(comm, levels);
  for (Rank r = 0; r < comm.size(); ++r)
    co_await comm.wait(comm.copy(call.block(r), all.slice(order.place_of(r) * each, each)));
}

namespace {

PartCounts han_counts(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  const Spread spread(facts);
  if (!spread.equal) return count_flat(facts, Collective::gather, "up");
  return count_low(facts, spread, Collective::gather, "low", count) +
         count_up(facts, spread, Collective::gather, "up", spread.ppn * count);
}

}  // namespace

TUTTI_ALGORITHM(gather, "han", gather_han)
    .by_node()
    .parameter("low", 2, 1, 3)
    .parameter("up", 2, 1, 3)
    .rounds(rounds_of<han_counts>, "those of low and of up")
    .messages(messages_of<han_counts>, "those of low on each node, and of up with as many blocks in one as a node has")
    .bytes(bytes_of<han_counts>, "those of low on each node, and of up with as many blocks in one as a node has")
    .cite("Open MPI 5.0, coll/han, mca_coll_han_gather_intra_simple: nodes, the ranks with the root's number on theirs")
    .deviates(
        "low and up are coll/tuned's numbers, which Open MPI chooses by size; where nodes have not as many ranks it "
        "leaves all to coll/tuned, here to up");

}  // namespace tutti
