#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "models/machine.hpp"
#include "sim/fast/max_min_network.hpp"
#include "sim/simulation.hpp"

namespace {

std::atomic<std::size_t> allocations = 0;

}  // namespace

// Of the whole program: what counts here is how many more there are.
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace tutti::test {
namespace {

/// With the event loop, where no rank stands for others.
std::size_t allocations_of(const Machine& machine, int calls) {
  constexpr int kRanks = 47;
  const Case c{Collective::allgather, kRanks, 4096, 1, 0, false, Operator::sum};
  Experiment one{c,  parse_choice(Collective::allgather, "ring"),
                 {}, parse_mode("back-to-back:" + std::to_string(calls)),
                 1,  false};
  for (int rank = 0; rank < kRanks; ++rank) one.core_of_rank.push_back(rank);
  const std::size_t before = allocations;
  fast::MaxMinNetwork flows(machine);
  EXPECT_EQ(Simulation(machine, one, flows).run().messages, kRanks * (kRanks - 1));
  return allocations - before;
}

TEST(Allocation, FurtherMessagesOverSharedLinksTakeNone) {
  const Machine machine = load_machine("example-cluster");
  allocations_of(machine, 4);  // leaves coroutines' frames for the next one
  const std::size_t few = allocations_of(machine, 4), many = allocations_of(machine, 12);
  EXPECT_LT(many, few + 100) << "for 17,296 messages more";
}

}  // namespace
}  // namespace tutti::test
