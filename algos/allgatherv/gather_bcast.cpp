#include "algos/gather/calls.hpp"
#include "algos/patterns/compose.hpp"
#include "algos/patterns/irregular.hpp"
#include "algos/patterns/parts.hpp"

namespace tutti {
namespace {

Task allgatherv_gather_bcast(Comm comm, Call call) {
  co_await gather_linear(comm, gather_to_first(comm.rank(), call));
  co_await run_bcast(comm, call, "bcast", call.block(0, comm.size()), 0);
}

PartCounts counts(const Facts& facts) {
  const auto ranks = static_cast<int>(facts["p"]);
  const double all = facts["n"] / facts["e"], of_first = static_cast<double>(facts.count_of(0));
  const auto messages = static_cast<double>(ranks - 1);
  const PartCounts gather{messages, messages, (all - of_first) * facts["e"]};
  return gather + count_part(facts, Collective::bcast, "bcast", ranks, static_cast<Count>(all));
}

}  // namespace

TUTTI_ALGORITHM(allgatherv, "gather_bcast", allgatherv_gather_bcast)
    .parameter("bcast", 6, 1, 9)
    .tried({9})
    .rounds(rounds_of<counts>, "p-1 + those of the broadcast")
    .messages(messages_of<counts>, "p-1 + those of the broadcast")
    .bytes(bytes_of<counts>, "all blocks but rank 0's, and those of the broadcast")
    .cite(
        "Open MPI, ompi/mca/coll/base/coll_base_allgatherv.c: gathers at rank 0 one block after the other, broadcasts")
    .deviates(
        "bcast is coll/tuned's number, which Open MPI chooses by size. Open MPI sends nothing where a block is empty; "
        "here that is a message as any other");

}  // namespace tutti
