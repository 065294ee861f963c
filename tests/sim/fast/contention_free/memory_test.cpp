#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ostream>

#include "tests/sim/fast/contention_free/machines.hpp"

// A sanitizer's memory is none of ours.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace tutti::test {
namespace {

constexpr int kRanks = (1 << 17) - 1;  // the last node is not full: no rank stands for another

long peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

/// That the contention-free simulation takes at the peak, in a process of its own; -1: no result.
double bytes_per_rank(const Machine& machine, const Experiment& experiment) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    const long before = peak_bytes();
    const bool has_result = fast::ContentionFreeSimulation(machine, experiment).run().has_value();
    const long taken = has_result ? peak_bytes() - before : -kRanks;
    _exit(write(ends[1], &taken, sizeof(taken)) == sizeof(taken) ? 0 : 1);
  }
  close(ends[1]);
  long taken = -kRanks;
  EXPECT_EQ(read(ends[0], &taken, sizeof(taken)), static_cast<ssize_t>(sizeof(taken)));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return static_cast<double>(taken) / kRanks;
}

struct Calls {
  Collective collective;
  const char* algorithm;
  Count count;
};
void PrintTo(const Calls& calls, std::ostream* out) { *out << calls.algorithm << " of " << calls.count; }

class Memory : public testing::TestWithParam<Calls> {};

TEST_P(Memory, ARankThatStandsForNoOtherTakesAtMostAKibibyte) {
  const auto [collective, algorithm, count] = GetParam();
  const Machine example = load_machine("example-cluster");
  const Machine machine = without_contention(example, kRanks / example.network->cores_per_node() + 1);
  const Case c{collective, kRanks, count, 4, 0, false, Operator::sum};
  const Experiment experiment{c, parse_choice(collective, algorithm), spread(kRanks, 1), Mode{}, 1, false};
  const double bytes = bytes_per_rank(machine, experiment);
  EXPECT_GT(bytes, 300) << "its state and its coroutine's frame";
  EXPECT_LE(bytes, 1024);
}

INSTANTIATE_TEST_SUITE_P(Calls, Memory,
                         testing::Values(Calls{Collective::bcast, "binomial", 16384},
                                         Calls{Collective::barrier, "bruck", 0},
                                         Calls{Collective::allreduce, "recursive_doubling", 256}),
                         [](const auto& one) { return std::string(name_of(one.param.collective)); });

}  // namespace
}  // namespace tutti::test

#endif
