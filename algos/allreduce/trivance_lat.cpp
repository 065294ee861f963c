#include <cstdint>

#include "algos/registry.hpp"

namespace tutti {

Task allreduce_trivance_lat(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Count elements = call.out.elements();
  const View below = comm.scratch(size > 1 ? elements : 0), above = comm.scratch(size > 1 ? elements : 0);
  co_await comm.wait(comm.copy(call.out, call.in));
  for (int away = 1; away < size; away *= 3) {  // what is known is of so many ranks around
    const Rank up = (rank + away) % size, down = (rank - away + size) % size;
    const Op from_below = comm.recv(down, below), from_above = comm.recv(up, above);
    const Op to_above = comm.send(up, call.out), to_below = comm.send(down, call.out);
    co_await comm.wait(from_below, from_above, to_above, to_below);
    co_await comm.wait(comm.combine(below, below, above));
    co_await comm.wait(comm.combine(call.out, below, call.out));
  }
}

TUTTI_ALGORITHM(allreduce, "trivance_lat", allreduce_trivance_lat)
    .ports("2")
    .commutative()
    .fallback("pow(3,floor_log(p,3)) != p", "census")
    .rounds("ceil_log(p,3)")
    .messages("2*p*ceil_log(p,3)")
    .bytes("2*p*ceil_log(p,3)*n")
    .cite(
        "Juerss, Addanki, Schmid: Trivance: Latency-Optimal AllReduce by Shortcutting Multiport Networks, arXiv "
        "2602.17254, the latency-optimal version")
    .deviates("only for powers of three, as windows of other numbers overlap");

}  // namespace tutti
