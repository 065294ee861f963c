#include "algos/patterns/by_way_of_first.hpp"

namespace tutti {
namespace {

Task allreduce_reduce_bcast(Comm comm, Call call) {
  co_await run_reduce_to_first(comm, call, call.out);
  co_await run_bcast(comm, call, "bcast", call.out, 0);
}

PartCounts counts(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  return count_reduce_to_first(facts, count) +
         count_part(facts, Collective::bcast, "bcast", static_cast<int>(facts["p"]), count);
}

}  // namespace

TUTTI_ALGORITHM(allreduce, "reduce_bcast", allreduce_reduce_bcast)
    .parameter("reduce", 5, 1, 7)
    .tried({7})
    .parameter("bcast", 6, 1, 9)
    .tried({9})
    .rounds(rounds_of<counts>, "those of the reduction and of the broadcast")
    .messages(messages_of<counts>, "those of the reduction and of the broadcast")
    .bytes(bytes_of<counts>, "those of the reduction and of the broadcast")
    .cite("Open MPI, coll/base: reduction to rank 0, then broadcast")
    .deviates(
        "reduce and bcast are coll/tuned's numbers, which Open MPI chooses by size; where the operator does not "
        "commute and the reduction needs that, it is the linear one");

}  // namespace tutti
