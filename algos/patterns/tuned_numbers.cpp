#include "algos/patterns/tuned_numbers.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

namespace tutti {

std::optional<int> number_in_tuned(const Algorithm& algorithm) {
  struct Numbered {
    Collective collective;
    std::vector<std::string_view> names;  // from 1 on
  };
  static const Numbered all[] = {
      {Collective::allgather,
       {"linear", "bruck", "recursive_doubling", "ring", "neighbor_exchange", "two_proc", "sparbit"}},
      {Collective::allreduce,
       {"linear", "reduce_bcast", "recursive_doubling", "ring", "segmented_ring", "rabenseifner"}},
      {Collective::barrier, {"linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"}},
      {Collective::bcast,
       {"linear", "chain", "pipeline", "split_binary", "binary", "binomial", "knomial", "scatter_recursive_doubling",
        "scatter_ring"}},
      {Collective::gather, {"linear", "binomial", "linear_sync"}},
      {Collective::reduce, {"linear", "chain", "pipeline", "binary", "binomial", "in_order_binary", "rabenseifner"}},
      {Collective::scatter, {"linear", "binomial", "linear_nb"}},
  };
  for (const auto& [collective, names] : all) {
    if (collective != algorithm.collective()) continue;
    const auto found = std::find(names.begin(), names.end(), algorithm.name());
    if (found != names.end()) return static_cast<int>(found - names.begin()) + 1;
  }
  return std::nullopt;
}

}  // namespace tutti
