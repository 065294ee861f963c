#include "algos/call.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/error.hpp"
#include "base/near_spelling.hpp"

namespace tutti {
namespace {

constexpr std::array<std::string_view, kAllCollectives> kNames = {"allgather",
                                                                  "allreduce",
                                                                  "alltoall",
                                                                  "barrier",
                                                                  "bcast",
                                                                  "exscan",
                                                                  "gather",
                                                                  "reduce",
                                                                  "reduce_scatter",
                                                                  "reduce_scatter_block",
                                                                  "scan",
                                                                  "scatter",
                                                                  "allgatherv",
                                                                  "alltoallv",
                                                                  "gatherv",
                                                                  "scatterv",
                                                                  "neighbor_allgather",
                                                                  "neighbor_allgatherv",
                                                                  "neighbor_alltoall",
                                                                  "neighbor_alltoallv"};

Collective named(std::string_view name, std::span<const std::string_view> names) {
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Collective>(i);
    known += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw InputError("unknown collective '" + std::string(name) + "': expected one of " + known +
                   did_you_mean(name, {names.begin(), names.end()}));
}

}  // namespace

std::string_view name_of(Collective collective) { return kNames.at(static_cast<std::size_t>(collective)); }

Collective collective_named(std::string_view name) {
  const auto any = std::find(kNames.begin() + kCollectives, kNames.end(), name);
  if (any != kNames.end() && is_of_neighbors(static_cast<Collective>(any - kNames.begin())))
    throw InputError(std::string(name) + " is of neighbours alone: expected a regular collective (" +
                     std::string(name.substr(name.find('_') + 1)) + "); simulate, bench, verify and list know it");
  if (any != kNames.end())
    throw InputError(std::string(name) + " has counts of its own for each rank: expected a regular collective (" +
                     std::string(name.substr(0, name.size() - 1)) +
                     "); simulate, tune --counts, verify and list know it");
  return named(name, std::span(kNames).first(kCollectives));
}

Collective any_collective_named(std::string_view name) { return named(name, kNames); }

bool is_rooted(Collective c) {
  return c == Collective::bcast || c == Collective::gather || c == Collective::reduce || c == Collective::scatter ||
         c == Collective::gatherv || c == Collective::scatterv;
}

bool is_regular(Collective c) { return static_cast<int>(c) < kCollectives; }

bool is_irregular(Collective c) { return c == Collective::reduce_scatter || name_of(c).ends_with('v'); }

bool is_of_neighbors(Collective c) { return c >= Collective::neighbor_allgather; }

bool is_reduction(Collective c) {
  return c == Collective::allreduce || c == Collective::reduce || c == Collective::reduce_scatter ||
         c == Collective::reduce_scatter_block || c == Collective::scan || c == Collective::exscan;
}

}  // namespace tutti
