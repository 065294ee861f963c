#include "algos/patterns/irregular.hpp"
#include "algos/patterns/unaliased_input.hpp"

namespace tutti {

Task alltoallv_linear(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const View in = unaliased_input(comm, call);
  co_await comm.wait(comm.copy(in, call.in));
  co_await comm.wait(comm.copy(call.incoming(rank), call.blocks.of(in, rank)));
  const auto from = [=](int away) { return (rank + away) % size; };
  const auto to = [=](int away) { return (rank - away + size) % size; };
  int requests = 0;
  for (int away = 1; away < size; ++away)
    requests += (call.incoming(from(away)).empty() ? 0 : 1) + (call.blocks.count(to(away)) > 0 ? 1 : 0);
  comm.make_requests(requests);
  for (int away = 1; away < size; ++away)
    if (const View block = call.incoming(from(away)); !block.empty()) comm.recv(from(away), block);
  for (int away = 1; away < size; ++away)
    if (const View block = call.blocks.of(in, to(away)); !block.empty()) comm.send(to(away), block);
}

namespace {
double least_rounds(const Facts& facts) { return least_rounds_in_batches(facts, 0); }
double most_rounds(const Facts& facts) { return most_rounds_in_batches(facts, 0); }
}  // namespace

TUTTI_ALGORITHM(alltoallv, "linear", alltoallv_linear)
    .rounds_between(least_rounds, most_rounds,
                    "at least the most blocks of a rank, either way, at most twice as many less one")
    .messages(full_pairs, "one for each block that is not empty")
    .bytes(direct_bytes, "all blocks but those that stay")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_alltoallv.c: persistent requests, none for what is empty since 4.1.6")
    .deviates("in place, with equal counts, the input is copied to scratch memory first");

}  // namespace tutti
