#include "sim/call_trust.hpp"

#include <algorithm>
#include <string>

namespace tutti {
namespace {

bool has_unequal_blocks(const Case& c) {
  if (!c.counts || c.counts->text() == "equal") return false;
  if (c.counts->of_neighbors()) return true;  // whose own numbers differ, too
  const int ranks = c.counts->ranks();
  const auto blocks_of = [&](Rank from) {
    return c.counts->of_pairs() ? c.counts->exchange(from).sent : c.counts->blocks();
  };
  Count least = blocks_of(0).count(0), most = least;
  for (Rank from = 0; from < (c.counts->of_pairs() ? ranks : 1); ++from)
    for (Rank to = 0; to < ranks && most - least <= 1; ++to) {
      const Count count = blocks_of(from).count(to);
      least = std::min(least, count), most = std::max(most, count);
    }
  return most - least > 1;
}

}  // namespace

Trust trust_of_call(const Machine& machine, const Provenance& provenance, const Case& c, int nodes, int ppn,
                    std::int64_t bytes, bool disturbed) {
  const Trust trust = trust_in(machine, provenance, std::string(name_of(c.collective)), nodes, ppn, bytes);
  return disturbed || has_unequal_blocks(c) ? std::min(trust, Trust::fitted_far) : trust;
}

}  // namespace tutti
