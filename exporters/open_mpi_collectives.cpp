#include "exporters/open_mpi_collectives.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace tutti {
namespace {

constexpr std::pair<Collective, int> kIds[] = {
    {Collective::allgather, 0}, {Collective::allgatherv, 1},      {Collective::allreduce, 2},
    {Collective::alltoall, 3},  {Collective::alltoallv, 4},       {Collective::barrier, 6},
    {Collective::bcast, 7},     {Collective::exscan, 8},          {Collective::gather, 9},
    {Collective::reduce, 11},   {Collective::reduce_scatter, 12}, {Collective::reduce_scatter_block, 13},
    {Collective::scan, 14},     {Collective::scatter, 15}};

/// By their ids.
constexpr const char* kAllNames[] = {"allgather",
                                     "allgatherv",
                                     "allreduce",
                                     "alltoall",
                                     "alltoallv",
                                     "alltoallw",
                                     "barrier",
                                     "bcast",
                                     "exscan",
                                     "gather",
                                     "gatherv",
                                     "reduce",
                                     "reduce_scatter",
                                     "reduce_scatter_block",
                                     "scan",
                                     "scatter",
                                     "scatterv",
                                     "neighbor_allgather",
                                     "neighbor_allgatherv",
                                     "neighbor_alltoall",
                                     "neighbor_alltoallv",
                                     "neighbor_alltoallw"};

}  // namespace

bool is_served_by_tuned(Collective collective) {
  return std::any_of(std::begin(kIds), std::end(kIds), [&](const auto& each) { return each.first == collective; });
}

int open_mpi_id(Collective collective) {
  for (const auto& [known, id] : kIds)
    if (known == collective) return id;
  throw std::logic_error("open_mpi_id: unknown collective");
}

std::optional<Collective> open_mpi_collective(std::int64_t id) {
  for (const auto& [known, its_id] : kIds)
    if (its_id == id) return known;
  return std::nullopt;
}

const char* open_mpi_collective_name(std::int64_t id) {
  return id >= 0 && id < static_cast<std::int64_t>(std::size(kAllNames)) ? kAllNames[id] : nullptr;
}

}  // namespace tutti
