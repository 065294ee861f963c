#include "algos/patterns/both_ways.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_trivance(Comm comm, Call call) {
  const int size = comm.size();
  const std::vector<BothWays> steps = both_ways_steps(size);
  const Rotation window = both_ways_window(call.blocks, comm.rank(), steps);
  const View sum = comm.scratch(call.in.elements());
  const int below = window.own, from = size - below;  // ranks 0 … below-1 are the window's last
  co_await comm.wait(comm.copy(window.of(sum, 0, from), call.blocks.of(call.in, below, from)),
                     comm.copy(window.of(sum, from, below), call.blocks.of(call.in, 0, below)));
  co_await reduce_both_ways(comm, sum, window, steps);
  co_await comm.wait(comm.copy(call.out, both_ways_own(sum, window, steps)));
}

TUTTI_ALGORITHM(reduce_scatter, "trivance", reduce_scatter_trivance)
    .ports("2")
    .commutative()
    .rounds("ceil_log(p,3)")
    .messages("p*(2*ceil_log(p,3) - (p > 1 && pow(3,floor_log(max(1,p-1),3)) == p-1))")
    .bytes("(p-1)*n")
    .cite(
        "Juerss, Addanki, Schmid: Trivance: Latency-Optimal AllReduce by Shortcutting Multiport Networks, arXiv "
        "2602.17254, the first half of the bandwidth-optimal version");

}  // namespace tutti
