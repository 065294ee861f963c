#include <algorithm>

#include "algos/patterns/by_way_of_first.hpp"

namespace tutti {
namespace {

/// Rank 0 sends each rank its block of `vector`, one after the other, but no empty one.
Task scatterv_linear(Comm comm, Call call, View vector) {
  if (comm.rank() != 0) {
    if (!call.out.empty()) co_await comm.wait(comm.recv(0, call.out));
    co_return;
  }
  co_await comm.wait(comm.copy(call.out, call.blocks.of(vector, 0)));
  for (Rank other = 1; other < comm.size(); ++other)
    if (const View block = call.blocks.of(vector, other); !block.empty()) co_await comm.blocking_send(other, block);
}
Task reduce_scatter_non_overlapping(Comm comm, Call call) {
  const View sum = call.in_place ? call.in : comm.scratch(comm.rank() == 0 ? call.in.elements() : 0);
  co_await run_reduce_to_first(comm, call, sum);
  co_await scatterv_linear(comm, call, sum);
}

PartCounts counts(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  double messages = 0;
  for (Rank rank = 1; rank < static_cast<Rank>(facts["p"]); ++rank) messages += facts.count_of(rank) > 0;
  const auto bytes = facts["e"] * static_cast<double>(count - facts.count_of(0));
  return count_reduce_to_first(facts, count) + PartCounts{messages, messages, bytes};
}

}  // namespace

TUTTI_ALGORITHM(reduce_scatter, "non_overlapping", reduce_scatter_non_overlapping)
    .parameter("reduce", 5, 1, 7)
    .tried({7})
    .rounds(rounds_of<counts>, "those of the reduction, and one for each block but rank 0's that is not empty")
    .messages(messages_of<counts>, "those of the reduction, and one for each block but rank 0's that is not empty")
    .bytes(bytes_of<counts>, "those of the reduction, and all blocks but rank 0's")
    .cite("Open MPI, coll/base: reduction to rank 0, then a linear scatterv")
    .deviates(
        "reduce is coll/tuned's number, which Open MPI chooses by size; where the operator does not commute and the "
        "reduction needs that, it is the linear one");

}  // namespace tutti
