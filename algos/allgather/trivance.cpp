#include "algos/patterns/both_ways.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allgather_trivance(Comm comm, Call call) {
  const int size = comm.size();
  const std::vector<BothWays> steps = both_ways_steps(size);
  const Rotation window = both_ways_window(call.blocks, comm.rank(), steps);
  const View work = window.own == 0 ? call.out : comm.scratch(call.out.elements());
  co_await comm.wait(comm.copy(both_ways_own(work, window, steps), call.in));
  co_await collect_both_ways(comm, work, window, steps);
  if (window.own == 0) co_return;
  const int below = window.own, from = size - below;  // ranks 0 … below-1 are the window's last
  co_await comm.wait(comm.copy(call.block(0, below), window.of(work, from, below)),
                     comm.copy(call.block(below, from), window.of(work, 0, from)));
}

TUTTI_ALGORITHM(allgather, "trivance", allgather_trivance)
    .ports("2")
    .rounds("ceil_log(p,3)")
    .messages("p*(2*ceil_log(p,3) - (p > 1 && pow(3,floor_log(max(1,p-1),3)) == p-1))")
    .bytes("(p-1)*n")
    .cite(
        "Juerss, Addanki, Schmid: Trivance: Latency-Optimal AllReduce by Shortcutting Multiport Networks, arXiv "
        "2602.17254, the second half of the bandwidth-optimal version");

}  // namespace tutti
