#include "runtime/plan.hpp"

namespace tutti {

// Few messages for small vectors, few bytes for large ones. A table made for the machine does better.
std::string default_algorithm(const Case& c) {
  const std::int64_t bytes = total_bytes(c);
  const bool small = bytes <= (16 << 10), any_order = is_commutative(c.op);
  switch (c.collective) {
    case Collective::allgather:
      return small ? "bruck" : "ring";
    case Collective::allreduce:
      return small || !any_order ? "recursive_doubling" : "rabenseifner";
    case Collective::alltoall:
      return bytes <= (std::int64_t{256} << 10) * c.ranks ? "linear" : "pairwise";
    case Collective::barrier:
      return "bruck";
    case Collective::bcast:
      return small ? "binomial" : "scatter_ring";
    case Collective::exscan:
      return "recursive_doubling";
    case Collective::gather:
      return "binomial";
    case Collective::reduce:
      return !any_order ? "in_order_binary" : small ? "binomial" : "rabenseifner";
    case Collective::reduce_scatter:
      return any_order ? "recursive_halving" : "non_overlapping";
    case Collective::reduce_scatter_block:
      return any_order ? "recursive_halving" : "recursive_doubling";
    case Collective::scan:
      return "recursive_doubling";
    case Collective::scatter:
      return "binomial";
  }
  throw std::logic_error("default_algorithm: unknown collective");
}

}  // namespace tutti
