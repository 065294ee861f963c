#include "algos/patterns/libnbc.hpp"
#include "algos/patterns/segments.hpp"
#include "algos/patterns/two_levels.hpp"

namespace tutti {

Task bcast_han(Comm comm, Call call) {
  if (call.out.empty()) co_return;
  if (!comm.is_equal(Level::node)) co_return co_await run_part(comm, Collective::bcast, call.parameter("up"), call);
  const TwoLevels levels(comm, call.root);
  const Segments segments(call.out, call);
  if (levels.leads) co_await run_bcast(levels.across, call, "up", segments[0], levels.root_across);
  for (Count i = 0; i < segments.count(); ++i) {  // on nodes, while the next segment is on its way between them
    Task next;
    if (levels.leads && i + 1 < segments.count())
      next = libnbc_bcast(levels.across, bcast_part(call, segments[i + 1], levels.root_across));
    co_await run_bcast(levels.node, call, "low", segments[i], levels.root_number);
    if (next) co_await next;
  }
}

namespace {
PartCounts up(const Facts& facts, Count elements) {
  return count_up(facts, Spread(facts), Collective::bcast, "up", elements);
}
PartCounts low(const Facts& facts, Count elements) {
  return count_low(facts, Spread(facts), Collective::bcast, "low", elements);
}
PartCounts next(const Facts& facts, Count elements) { return count_libnbc_bcast(facts, Spread(facts).nodes, elements); }
PartCounts han_counts(const Facts& facts) {
  if (facts["c"] == 0) return {};
  if (!Spread(facts).equal) return count_flat(facts, Collective::bcast, "up");
  return up(facts, first_segment(facts)) + of_all_segments<low>(facts) + of_later_segments<next>(facts);
}
double least_han_rounds(const Facts& facts) {
  if (facts["c"] == 0 || !Spread(facts).equal) return han_counts(facts).rounds;
  return (up(facts, first_segment(facts)) + low(facts, first_segment(facts))).rounds;
}
}  // namespace

TUTTI_ALGORITHM(bcast, "han", bcast_han)
    .by_node()
    .parameter("low", 6, 1, 8)
    .tried({1})
    .parameter("up", 6, 1, 8)
    .tried({1})
    .parameter("segment", 65536, 0)
    .tried({524288})
    .rounds_between(least_han_rounds, rounds_of<han_counts>,
                    "those of up and low for a segment, at most those of all in turn")
    .messages(messages_of<han_counts>,
              "those of up for the first segment, of a non-blocking broadcast for others, of low on nodes")
    .bytes(bytes_of<han_counts>, "n for every rank but the root, where no part sends more")
    .cite("Open MPI 5.0, coll/han, mca_coll_han_bcast_intra: ranks with the root's number on their node, then nodes")
    .deviates(
        "low and up are coll/tuned's numbers for a node and for the first segment, which Open MPI chooses by size, for "
        "a shorter last segment, too; where nodes have not as many ranks it leaves all to coll/tuned, here to up");

}  // namespace tutti
