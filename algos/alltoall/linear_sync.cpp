#include <algorithm>
#include <vector>

#include "algos/patterns/unaliased_input.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task alltoall_linear_sync(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank(), messages = size - 1;
  const std::int64_t limit = call.parameter("window");
  const int window = limit == 0 ? messages : static_cast<int>(std::min<std::int64_t>(limit, messages));
  const View in = unaliased_input(comm, call);
  co_await comm.wait(comm.copy(in, call.in));
  co_await comm.wait(comm.copy(call.blocks.of(call.out, rank), call.blocks.of(in, rank)));

  const auto receive = [&](int i) {
    const Rank from = (rank + 1 + i) % size;
    return comm.recv(from, call.blocks.of(call.out, from));
  };
  const auto send = [&](int i) {
    const Rank to = (rank - 1 - i + size) % size;
    return comm.send(to, call.blocks.of(in, to));
  };
  std::vector<Op> receives, sends;
  for (int i = 0; i < window; ++i) receives.push_back(receive(i));
  for (int i = 0; i < window; ++i) sends.push_back(send(i));
  for (int i = 0; i < messages; ++i) {  // each that completes makes room for another
    co_await comm.wait(receives[i]);
    if (i + window < messages) receives.push_back(receive(i + window));
    co_await comm.wait(sends[i]);
    if (i + window < messages) sends.push_back(send(i + window));
  }
}

TUTTI_ALGORITHM(alltoall, "linear_sync", alltoall_linear_sync)
    .parameter("window", 0, 0)
    .rounds("p-1")
    .messages("p*(p-1)")
    .bytes("(p-1)*n")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_alltoall.c")
    .deviates(
        "requests are replaced in the order they were posted, not as they complete; in place the input is copied to "
        "scratch memory first, where Open MPI runs another algorithm");

}  // namespace tutti
