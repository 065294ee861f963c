#pragma once
// A job's own torus inside a larger one.

#include <span>
#include <vector>

#include "topologies/torus.hpp"

namespace tutti {

/// The torus that a scheduler gives to a job, as TofuD's does (Ajima et al., "The Tofu Interconnect D", CLUSTER 2018: a
/// job's torus of up to three dimensions lies in the machine's six). Of k axes, axis a lies in the machine's
/// dimensions a, a + k, a + 2k, …; the prime factors of its length, the largest first, are dealt out to these in turn,
/// where they fit. Along them it runs as a reflected Gray code, the last dimension slowest, so that neighbours of the
/// job are neighbours of the machine, and the ring is closed where that dimension's part is even.
class TorusJob {
 public:
  /// Throws InputError where an axis does not fit.
  TorusJob(const Torus& torus, std::span<const int> lengths);
  /// The machine's node; one coordinate for each axis, each below its length. With several nodes on a router the first.
  int node(std::span<const int> at) const;

 private:
  struct Part {
    int length, stride;  ///< along one dimension: places, and between router numbers
  };
  std::vector<std::vector<Part>> axes_;
  int nodes_per_router_;
};

}  // namespace tutti
