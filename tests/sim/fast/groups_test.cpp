#include <gtest/gtest.h>

#include "sim/engine.hpp"

namespace tutti {
namespace {

/// Links begin to count and stop again while flows are under way, which then belong to other groups; what these have
/// got differs by rounding, and a flow must end nevertheless. (An engine that loses one gets stuck, and throws.)
TEST(Groups, FlowsThatChangeThemLoseNothing) {
  const Machine machine = load_machine("example-cluster");
  for (const char* name : {"pipelined_tree", "pipeline", "scatter_ring", "knomial"})
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Experiment one;
      one.c = {Collective::bcast, 35, 64 * 1024, 1, 0, false, Operator::sum};
      one.choice = default_choice(find_algorithm(Collective::bcast, name));
      for (int rank = 0; rank < one.c.ranks; ++rank) one.core_of_rank.push_back(rank / 5 * 8 + rank % 5);
      one.mode = parse_mode("skew:1e-6");
      one.seed = seed;
      const Result result = make_engine("fast")->run(machine, {&one, 1}).front();
      EXPECT_GT(result.makespan_seconds, 0) << name << ", seed " << seed;
    }
}

}  // namespace
}  // namespace tutti
