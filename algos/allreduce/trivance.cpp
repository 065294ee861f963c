#include "algos/patterns/both_ways.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_trivance(Comm comm, Call call) {
  const int size = comm.size();
  const Blocks blocks = Blocks::split(call.in.elements(), size);
  const std::vector<BothWays> steps = both_ways_steps(size);
  const Rotation window = both_ways_window(blocks, comm.rank(), steps);
  const View sum = comm.scratch(call.in.elements());
  const int below = window.own, from = size - below;  // ranks 0 … below-1 are the window's last
  co_await comm.wait(comm.copy(window.of(sum, 0, from), blocks.of(call.in, below, from)),
                     comm.copy(window.of(sum, from, below), blocks.of(call.in, 0, below)));
  co_await reduce_both_ways(comm, sum, window, steps);
  co_await collect_both_ways(comm, sum, window, steps);
  co_await comm.wait(comm.copy(blocks.of(call.out, below, from), window.of(sum, 0, from)),
                     comm.copy(blocks.of(call.out, 0, below), window.of(sum, from, below)));
}

TUTTI_ALGORITHM(allreduce, "trivance", allreduce_trivance)
    .ports("2")
    .commutative()
    .rounds("2*ceil_log(p,3)")
    .messages("2*p*(2*ceil_log(p,3) - (p > 1 && pow(3,floor_log(max(1,p-1),3)) == p-1))")
    .bytes("2*(p-1)*n")
    .cite(
        "Juerss, Addanki, Schmid: Trivance: Latency-Optimal AllReduce by Shortcutting Multiport Networks, arXiv "
        "2602.17254, the bandwidth-optimal version");

}  // namespace tutti
