#include "algos/call.hpp"

#include <array>

#include "base/error.hpp"
#include "base/near_spelling.hpp"

namespace tutti {
namespace {

constexpr std::array<std::string_view, kCollectives> kNames = {
    "allgather", "allreduce", "alltoall", "barrier",        "bcast",
    "exscan",    "gather",    "reduce",   "reduce_scatter", "reduce_scatter_block",
    "scan",      "scatter"};

}  // namespace

std::string_view name_of(Collective collective) { return kNames.at(static_cast<std::size_t>(collective)); }

Collective collective_named(std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Collective>(i);
    known += (i == 0 ? "" : ", ") + std::string(kNames[i]);
  }
  throw InputError("unknown collective '" + std::string(name) + "': expected one of " + known +
                   did_you_mean(name, {kNames.begin(), kNames.end()}));
}

bool is_rooted(Collective c) {
  return c == Collective::bcast || c == Collective::gather || c == Collective::reduce || c == Collective::scatter;
}

bool is_reduction(Collective c) {
  return c == Collective::allreduce || c == Collective::reduce || c == Collective::reduce_scatter ||
         c == Collective::reduce_scatter_block || c == Collective::scan || c == Collective::exscan;
}

}  // namespace tutti
