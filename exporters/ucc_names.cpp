#include "exporters/ucc_names.hpp"

#include <algorithm>
#include <iterator>

namespace tutti {
namespace {

/// The variable of an algorithm's radix, after kUccPrefix; `by_size`: it may have several.
struct RadixVariable {
  Collective collective;
  const char* algorithm;
  const char* variable;
  bool by_size = false;
};

constexpr RadixVariable kRadixVariables[] = {{Collective::allreduce, "knomial", "ALLREDUCE_KN_RADIX", true},
                                             {Collective::allreduce, "sra_knomial", "ALLREDUCE_SRA_KN_RADIX", true},
                                             {Collective::bcast, "knomial", "BCAST_KN_RADIX"},
                                             {Collective::reduce, "knomial", "REDUCE_KN_RADIX"},
                                             {Collective::allgather, "knomial", "ALLGATHER_KN_RADIX", true},
                                             {Collective::barrier, "knomial", "BARRIER_KN_RADIX"}};

}  // namespace

const char* ucc_radix_variable(Collective collective, std::string_view theirs) {
  for (const RadixVariable& each : kRadixVariables)
    if (each.collective == collective && each.algorithm == theirs) return each.variable;
  return nullptr;
}

bool ucc_radix_is_by_size(std::string_view variable) {
  return std::any_of(std::begin(kRadixVariables), std::end(kRadixVariables),
                     [&](const RadixVariable& each) { return each.variable == variable && each.by_size; });
}

std::string ucc_collective(Collective collective) {
  if (collective == Collective::reduce_scatter) return "reduce_scatterv";
  if (collective == Collective::reduce_scatter_block) return "reduce_scatter";
  return std::string(name_of(collective));
}

std::optional<Collective> ucc_collective_of(std::string_view name) {
  for (const auto& [collective, algorithms] : ucc_names().algorithms)
    if (ucc_collective(collective) == name) return collective;
  return std::nullopt;
}

}  // namespace tutti
