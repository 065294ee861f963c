#include "exporters/open_mpi_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

namespace tutti {
namespace {

using Names = std::vector<const char*>;

/// By number (mca_base_var_enum_value_t of coll_tuned_*_decision.c, 6.0 of August 2026). Some are none of our
/// algorithms.
const Names& names_for(Collective collective) {
  static const Names none{"ignore"};
  static const std::map<Collective, Names> all{
      {Collective::allgather,
       {"ignore", "linear", "bruck-k-fanout", "recursive_doubling", "ring", "neighbor", "two_proc", "sparbit",
        "direct-messaging"}},
      {Collective::allreduce,
       {"ignore", "basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring", "rabenseifner",
        "allgather_reduce"}},
      {Collective::alltoall, {"ignore", "linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"}},
      {Collective::alltoallv, {"ignore", "basic_linear", "pairwise"}},
      {Collective::barrier, {"ignore", "linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"}},
      {Collective::bcast,
       {"ignore", "basic_linear", "chain", "pipeline", "split_binary_tree", "binary_tree", "binomial", "knomial",
        "scatter_allgather", "scatter_allgather_ring"}},
      {Collective::exscan, {"ignore", "linear", "recursive_doubling"}},
      {Collective::gather, {"ignore", "basic_linear", "binomial", "linear_sync"}},
      {Collective::reduce,
       {"ignore", "linear", "chain", "pipeline", "binary", "binomial", "in-order_binary", "rabenseifner", "knomial"}},
      {Collective::reduce_scatter, {"ignore", "non-overlapping", "recursive_halving", "ring", "butterfly"}},
      {Collective::reduce_scatter_block,
       {"ignore", "basic_linear", "recursive_doubling", "recursive_halving", "butterfly"}},
      {Collective::scan, {"ignore", "linear", "recursive_doubling"}},
      {Collective::scatter, {"ignore", "basic_linear", "binomial", "linear_nb"}}};
  const auto found = all.find(collective);
  return found == all.end() ? none : found->second;
}

bool is_same_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char one, unsigned char other) { return std::tolower(one) == std::tolower(other); });
}

}  // namespace

std::optional<int> open_mpi_number(Collective collective, const std::string& text) {
  const Names& names = names_for(collective);
  const auto count = static_cast<long>(names.size());
  char* end = nullptr;
  // As the library reads it: 010 is octal, and an empty text is 0.
  const long number = std::strtol(text.c_str(), &end, 0);
  if (*end == '\0' && number >= 0 && number < count) return static_cast<int>(number);
  for (long i = 0; i < count; ++i)
    if (is_same_in_any_case(names[i], text)) return static_cast<int>(i);
  return std::nullopt;
}

std::string open_mpi_name(Collective collective, int number) {
  return names_for(collective).at(static_cast<std::size_t>(number));
}

std::string open_mpi_names(Collective collective) {
  const Names& names = names_for(collective);
  return fmt::format("{}", fmt::join(names.begin() + 1, names.end(), ", "));
}

}  // namespace tutti
