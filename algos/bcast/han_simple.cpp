#include "algos/patterns/two_levels.hpp"

namespace tutti {

Task bcast_han_simple(Comm comm, Call call) {
  if (call.out.empty()) co_return;
  if (!comm.is_equal(Level::node)) co_return co_await run_part(comm, Collective::bcast, call.parameter("up"), call);
  const TwoLevels levels(comm, call.root);
  if (levels.leads) co_await run_bcast(levels.across, call, "up", call.out, levels.root_across);
  co_await run_bcast(levels.node, call, "low", call.out, levels.root_number);
}

namespace {

PartCounts simple_counts(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  if (count == 0) return {};
  const Spread spread(facts);
  if (!spread.equal) return count_flat(facts, Collective::bcast, "up");
  return count_up(facts, spread, Collective::bcast, "up", count) +
         count_low(facts, spread, Collective::bcast, "low", count);
}

}  // namespace

TUTTI_ALGORITHM(bcast, "han_simple", bcast_han_simple)
    .by_node()
    .parameter("low", 6, 1, 8)
    .tried({1})
    .parameter("up", 6, 1, 8)
    .tried({1, 8})
    .rounds(rounds_of<simple_counts>, "those of up and of low")
    .messages(messages_of<simple_counts>, "those of up, and of low on each node")
    .bytes(bytes_of<simple_counts>, "those of up, and of low on each node")
    .cite("Open MPI 5.0, coll/han, mca_coll_han_bcast_intra_simple: ranks with the root's number on their node, nodes")
    .deviates(
        "low and up are coll/tuned's numbers, which Open MPI chooses by size; where nodes have not as many ranks it "
        "leaves all to coll/tuned, here to up");

}  // namespace tutti
