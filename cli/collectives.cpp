#include "cli/collectives.hpp"

#include "base/error.hpp"

namespace tutti::cli {

std::vector<Collective> collectives_named(const std::vector<std::string>& names) {
  std::vector<Collective> collectives;
  if (names.empty() || names == std::vector<std::string>{"all"})
    for (int i = 0; i < kCollectives; ++i) collectives.push_back(static_cast<Collective>(i));
  else
    for (const std::string& name : names) collectives.push_back(collective_named(name));
  return collectives;
}

Collective collective_of_all_ranks(const std::string& name) {
  const Collective collective = any_collective_named(name);
  if (is_of_neighbors(collective)) throw InputError(name + ": expected a collective of all ranks");
  return collective;
}

std::vector<Collective> irregular_collectives_named(const std::vector<std::string>& names) {
  if (names.empty() || names == std::vector<std::string>{"all"})
    return {Collective::reduce_scatter, Collective::allgatherv, Collective::alltoallv, Collective::gatherv,
            Collective::scatterv};
  std::vector<Collective> collectives;
  collectives.reserve(names.size());
  for (const std::string& name : names) collectives.push_back(any_collective_named(name));
  return collectives;
}

}  // namespace tutti::cli
