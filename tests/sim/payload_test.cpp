#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <set>

#include "algos/named_choice.hpp"
#include "sim/fast/contention_free.hpp"
#include "sim/fast/max_min_network.hpp"
#include "sim/proof/contributions.hpp"
#include "sim/proof/verify.hpp"
#include "sim/rank_groups.hpp"
#include "sim/simulation.hpp"
#include "tests/neighbors.hpp"
#include "tests/sim/machines.hpp"
#include "tests/sim/proof/planted.hpp"

// The engines that tell times move the proof's contributions by the messages that they time.

namespace tutti::test {
namespace {

/// Four cores a node, in two domains; leaves of two nodes, tapered; every cost there is. Messages above 4 KiB wait for
/// their receivers.
Machine machine(bool shared) {
  NodeShape node;
  node.domains_per_socket = 2;
  node.cores_per_cache = 2;
  node.core = {8e9, 1e-8, shared};
  node.memory = {1e10, 2e-8, shared};
  node.domain_link = {9e9, 3e-8, shared};
  node.nics = {{0, {5e9, 2e-7, shared}, {}}};
  Machine made =
      free_machine(node, std::make_unique<FatTree>(FatTreeShape{2, {{6, 1, 1, Channel{5e9, 1e-7, shared}}}, 0}));
  double more = 1;
  for (auto& transport : made.transports) {
    transport->send_overhead_seconds = 1.1e-7 * more;
    transport->receive_overhead_seconds = 1.7e-7 * more;
    transport->gap_seconds = 2.3e-7 * more;
    transport->segments = {{std::numeric_limits<std::int64_t>::max(), 4e-7 * more, 6e9 / more}};
    transport->eager_limit_bytes = 4096;
    transport->rendezvous_seconds = 9e-7 * more;
    more *= 1.13;
  }
  made.compute.copy = {5e-8, 1e-10, 1 << 16, 2e-10};
  made.compute.reduce = {6e-8, 3e-10, 1 << 16, 4e-10};
  return made;
}

struct Timed {
  const char* name;
  std::function<Result(const Experiment&)> run;
};

/// Every engine that tells times, and by name, so that none hides behind another.
std::vector<Timed> engines() {
  const auto shared = std::make_shared<Machine>(machine(true)), lone = std::make_shared<Machine>(machine(false));
  return {{"event loop",
           [shared](const Experiment& one) {
             fast::MaxMinNetwork flows(*shared);
             return Simulation(*shared, one, flows).run();
           }},
          {"contention_free", [lone](const Experiment& one) {
             if (auto result = fast::ContentionFreeSimulation(*lone, one).run()) return *result;
             Result none;
             none.refused = "irregular";
             return none;
           }}};
}

struct Wide {
  int most_ranks;
  bool all_variants;
};

Wide width() {
  if (std::getenv("TUTTI_SLOW_TESTS")) return {33, true};
  return {17, false};
}

Experiment with_payload(const Case& c, const Choice& choice) {
  Experiment one{c, choice, cores(c.ranks), {}, 1, false, proof::make_contributions};
  return one;
}

/// Numbers of elements, of bytes that make a message eager and not.
template <class Function>
void each_case(Collective collective, int ranks, Function function) {
  const bool barrier = collective == Collective::barrier;
  for (const Count count : barrier ? std::set<Count>{0} : std::set<Count>{0, 1, ranks - 1, 3 * ranks + 1})
    for (const std::int32_t element : barrier ? std::set<std::int32_t>{1} : std::set<std::int32_t>{4, 9000})
      for (const bool other : {false, true})
        function(
            among_some_neighbors({collective, ranks, count, element, other && is_rooted(collective) ? ranks - 1 : 0,
                                  other && collective != Collective::bcast && !barrier && !is_of_neighbors(collective),
                                  other && is_reduction(collective) ? Operator::user : Operator::sum}));
}

TEST(Payload, EveryAlgorithmGivesTheRightResultsUnderTheTimedSchedule) {
  const auto [most_ranks, all_variants] = width();
  const char* const modes[] = {"isolated", "skew:3e-6", "back-to-back:2", "barrier"};
  const auto timed = engines();
  const std::vector<Level> levels = levels_of(*machine(true).network);
  std::map<std::string, int> ran, irregular;
  unsigned turn = 0;
  for (const Algorithm& algorithm : registry())
    for (const Choice& choice :
         all_variants ? proof::parameter_variants(algorithm) : std::vector<Choice>{default_choice(algorithm)}) {
      if (absent_level(choice, levels)) continue;  // the machine has no caches that cores share
      for (int ranks = 1; ranks <= most_ranks; ++ranks) {
        if (!all_variants && ranks > 5 && ranks != 7 && ranks != 8 && ranks != 9 && ranks != 17) continue;
        each_case(algorithm.collective(), ranks, [&](Case c) {
          if (!why_not(choice, c).empty()) c.op = Operator::sum, c.in_place = false;
          if (!why_not(choice, c).empty()) return;
          Experiment one = with_payload(c, choice);
          one.mode = parse_mode(modes[turn++ % std::size(modes)]);
          for (const Timed& engine : timed) {
            const Result result = engine.run(one);
            if (!result.refused.empty()) {
              ++irregular[engine.name];
              continue;
            }
            ++ran[engine.name];
            EXPECT_EQ(result.fault, "") << engine.name << ": " << proof::text_of(choice, c) << " of " << c.element_bytes
                                        << " bytes, " << one.mode.text();
          }
        });
      }
    }
  for (const Timed& engine : timed) {
    EXPECT_GT(ran[engine.name], 6500) << engine.name;
    EXPECT_LT(irregular[engine.name], ran[engine.name] / 10) << engine.name;
    RecordProperty(std::string(engine.name).substr(0, 5), ran[engine.name]);
  }
}

TUTTI_ON_EVERY_ENGINE(PayloadOf);

TEST_P(PayloadOf, GivesTheTimesOfARunWithoutIt) {
  for (const bool shared : {true, false})
    for (const char* const name : {"ring", "recursive_doubling", "rabenseifner"}) {
      Experiment one = experiment(Collective::allreduce, name, 12, 120'000);
      one.c.element_bytes = 4;
      const Result without = run(GetParam(), machine(shared), one);
      one.payload = proof::make_contributions;
      const Result with = run(GetParam(), machine(shared), one);
      EXPECT_EQ(with.fault, "");
      EXPECT_EQ(with.seconds_per_rank, without.seconds_per_rank) << name;
      EXPECT_EQ(with.messages, without.messages);
    }
}

struct Broken {
  Collective collective;
  AlgorithmFunction function;
  const char* fault;  // what it begins with
};

TEST_P(PayloadOf, FindsPlantedFaults) {
  using namespace proof;
  const Broken planted[] = {
      {Collective::allgather, ring_allgather<Plant::dropped_message>, "missing contribution: rank"},
      {Collective::allgather, ring_allgather<Plant::wrong_block>, "wrong contribution: rank"},
      {Collective::allgather, ring_allgather<Plant::short_message>, "size mismatch: rank"},
      {Collective::allgather, ring_allgather<Plant::view_too_long>, "size mismatch: rank"},
      {Collective::allgather, bruck_allgather<Plant::off_by_one>, "missing contribution: rank"},
      {Collective::allreduce, linear_allreduce<Plant::skipped_operand>, "missing contribution: rank"},
      {Collective::allreduce, linear_allreduce<Plant::operand_twice>, "duplicate contribution: rank"},
      {Collective::allreduce, linear_allreduce<Plant::swapped_operands>, "wrong operand order: rank"},
      {Collective::allreduce, linear_allreduce<Plant::shifted_operands>, "wrong contribution: rank"},
      {Collective::allreduce, linear_allreduce<Plant::input_as_accumulator>, "input overwritten: rank"},
      {Collective::bcast, chain_bcast<Plant::rank_left_out>, "missing contribution: rank"},
      {Collective::scatter, linear_scatter<Plant::neighbours_block>, "wrong contribution: rank"},
      {Collective::barrier, dissemination_barrier<Plant::off_by_one>, "missing contribution: rank"},
  };
  for (const bool shared : {true, false})
    for (const Broken& broken : planted) {
      const Algorithm algorithm(broken.collective, "planted", broken.function, __FILE__);
      const Count count = broken.collective == Collective::barrier ? 0 : 3;
      const Case c{broken.collective, 5, count, 4, 0, false, Operator::user};
      const Result result = run(GetParam(), machine(shared), with_payload(c, default_choice(algorithm)));
      EXPECT_TRUE(result.fault.starts_with(broken.fault)) << result.fault << ", expected: " << broken.fault;
    }
}

/// What the order in time alone decides: a block is passed on, or overwritten, before what it waits for has happened.
TEST_P(PayloadOf, FindsWhatIsTooEarlyOrTooLate) {
  using namespace proof;
  const Algorithm early(Collective::bcast, "planted", chain_bcast<Plant::passed_on_before_received>, __FILE__);
  const Algorithm late(Collective::allgather, "planted", travelling_allgather<Plant::overwritten_in_flight>, __FILE__);
  const Case bcast{Collective::bcast, 6, 3, 4, 0, false, Operator::sum};
  EXPECT_TRUE(run(GetParam(), machine(true), with_payload(bcast, default_choice(early)))
                  .fault.starts_with("missing contribution: rank"));
  // Messages that wait for their receivers, one of which comes late.
  Experiment one = with_payload({Collective::allgather, 6, 30'000, 1, 0, false, Operator::sum}, default_choice(late));
  one.mode = parse_mode("skew:1e-3");
  EXPECT_TRUE(run(GetParam(), machine(true), one).fault.starts_with("wrong contribution: rank"));
}

}  // namespace
}  // namespace tutti::test
