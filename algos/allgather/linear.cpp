#include "algos/gather/calls.hpp"
#include "algos/patterns/compose.hpp"
#include "algos/patterns/parts.hpp"

namespace tutti {
namespace {

Task gather_at_first(Comm comm, Call call) {
  if (call.blocks.firsts)  // blocks of different sizes
    co_return co_await gather_linear(comm, gather_to_first(comm.rank(), call));
  const View all = call.block(0, comm.size());
  co_await run_part(comm, Collective::gather, call.parameter("gather"),
                    gather_part(call, call.in, all, comm.size(), comm.rank() == 0, 0));
}

Task allgather_linear(Comm comm, Call call) {
  co_await gather_at_first(comm, call);
  co_await run_bcast(comm, call, "bcast", call.block(0, comm.size()), 0);
}

PartCounts counts(const Facts& facts) {
  const auto ranks = static_cast<int>(facts["p"]);
  const auto block = static_cast<Count>(facts["c"]);
  return count_part(facts, Collective::gather, "gather", ranks, block) +
         count_part(facts, Collective::bcast, "bcast", ranks, ranks * block);
}

}  // namespace

TUTTI_ALGORITHM(allgather, "linear", allgather_linear)
    .parameter("gather", 1, 1, 3)
    .tried({2})
    .parameter("bcast", 1, 1, 9)
    .tried({9})
    .rounds(rounds_of<counts>, "those of the gathering and of the broadcast")
    .messages(messages_of<counts>, "those of the gathering and of the broadcast")
    .bytes(bytes_of<counts>, "those of the gathering and of the broadcast")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_allgather.c")
    .deviates("gather and bcast are coll/tuned's numbers, which Open MPI chooses by size");

}  // namespace tutti
