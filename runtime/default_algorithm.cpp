#include "runtime/plan.hpp"

namespace tutti {

namespace {

// Where all ranks share memory a message costs next to nothing before it costs its bytes' copies, so that what takes
// the fewest steps is the fastest; where it is not, the choice is measured (make bench-peers). Empty: as elsewhere.
std::string default_on_a_node(const Case& c) {
  const std::int64_t bytes = total_bytes(c);
  constexpr int kFew = 8;
  switch (c.collective) {
    case Collective::allgather:
      return c.ranks <= kFew ? "flat" : "";
    case Collective::allreduce:
      if (c.ranks > kFew) return "";
      return bytes <= (c.ranks == 2 ? 1 << 20 : 8 << 10) || !is_commutative(c.op) ? "one_shot" : "direct";
    case Collective::alltoall:
      return bytes <= 256 << 10 ? "linear" : "scattered";
    case Collective::barrier:
      return c.ranks <= kFew ? "flat" : "";
    case Collective::bcast:
      return c.ranks <= 4 ? "linear" : "";
    case Collective::reduce:
      if (c.ranks > kFew) return "";
      return bytes <= 256 << 10 || !is_commutative(c.op) ? "flat" : "direct";
    default:
      return "";
  }
}

// Where ranks share cores too, every message is work before the next rank has its turn: few messages come before few
// steps, and a long vector goes from slot to slot within the caches, rather than be read by one rank of a core after
// the other. Measured with four ranks on two cores. Empty: as on any node.
std::string default_on_few_cores(const Case& c) {
  const std::int64_t bytes = total_bytes(c);
  const bool any_order = is_commutative(c.op);
  if (c.collective == Collective::bcast && c.ranks > 2 && c.ranks <= 8 && bytes > 16 << 10)
    return "pipelined_tree:segment=16384";
  if (c.ranks != 4) return "";
  switch (c.collective) {
    case Collective::allreduce:
      if (bytes <= 512) return "recursive_doubling";
      return bytes <= 8 << 10 && any_order ? "recursive_multiplying" : "";
    case Collective::barrier:
      return "recursive_doubling";
    case Collective::bcast:
      return "binomial";
    case Collective::reduce:
      return bytes <= 2 << 10 && any_order ? "binary" : "";
    default:
      return "";
  }
}

}  // namespace

// Few messages for small vectors, few bytes for large ones. A table made for the machine does better.
std::string default_algorithm(const Case& c, bool on_one_node, bool crowded) {
  if (on_one_node && crowded)
    if (std::string found = default_on_few_cores(c); !found.empty()) return found;
  if (on_one_node)
    if (std::string found = default_on_a_node(c); !found.empty()) return found;
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
    case Collective::allgatherv:
      return small ? "bruck" : "segmented_ring";
    case Collective::alltoallv:
      return "scattered";
    case Collective::gatherv:
    case Collective::scatterv:
      return small ? "binomial" : "linear";
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
      return "linear";
  }
  throw std::logic_error("default_algorithm: unknown collective");
}

}  // namespace tutti
