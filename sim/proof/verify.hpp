#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algos/registry.hpp"
#include "sim/proof/executor.hpp"

namespace tutti::proof {

/// Proves one case: executes it, checks every result, and that rounds, messages and bytes are what the metadata says.
std::optional<Fault> prove(Executor& executor, const Choice& choice, const Case& c,
                           const NodeOfRank& node_of_rank = {});

/// Which cases to prove; empty lists stand for all.
struct VerifyRequest {
  std::vector<const Algorithm*> algorithms;
  std::vector<int> ranks;
  std::optional<Rank> root;    // default: 0, 1, P-1 of a rooted collective
  std::optional<Count> count;  // default: 0, 1, P-1, P, 3P+1
  int threads = 1;
  /// Called from any of the threads, one at a time, with the parts of the work done and the total.
  std::function<void(std::size_t done, std::size_t total)> progress;
};

struct Refutation {
  Choice choice;
  Case failing;  // the smallest failing case: fewest ranks, then the smallest count
  NodeOfRank node_of_rank;
  Fault fault;
  std::string text() const;
};

struct AlgorithmVerdict {
  const Algorithm* algorithm = nullptr;
  std::int64_t proven = 0;       // cases in which the algorithm itself runs
  std::int64_t fallen_back = 0;  // cases proven in which it falls back to another algorithm
  std::int64_t excluded = 0;     // cases that the metadata's requirements rule out
  std::optional<Refutation> refutation;
};

/// One verdict for each algorithm, in the registry's order; the same for any number of threads.
std::vector<AlgorithmVerdict> verify(const VerifyRequest& request);

/// Every parameter at its default, its minimum and one odd value, or at all of its few values: all combinations.
std::vector<Choice> parameter_variants(const Algorithm& algorithm);

/// Where ranks may be, for algorithms that ask: apart, together, in blocks, in turn, on nodes of different sizes.
std::vector<NodeOfRank> node_shapes(const Algorithm& algorithm, int ranks);

/// "reduce/binomial:segment=13 ranks=5 count=4 root=1 operator=user in place".
std::string text_of(const Choice& choice, const Case& c);

}  // namespace tutti::proof
