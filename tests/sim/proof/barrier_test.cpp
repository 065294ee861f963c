#include <gtest/gtest.h>

#include "sim/proof/verify.hpp"

namespace tutti::proof {
namespace {

/// Reports to rank 0, which lets go all but the last.
Task forgets_the_last(Comm comm, Call) {
  const View nothing;
  const Rank last = comm.size() - 1;
  if (comm.rank() != 0) {
    co_await comm.wait(comm.send(0, nothing));
    if (comm.rank() != last) co_await comm.wait(comm.recv(0, nothing));
    co_return;
  }
  for (Rank other = 1; other <= last; ++other) co_await comm.wait(comm.recv(other, nothing));
  for (Rank other = 1; other < last; ++other) co_await comm.wait(comm.send(other, nothing));
}

/// Dissemination that sends on before it has heard.
Task does_not_wait(Comm comm, Call) {
  const int size = comm.size(), rank = comm.rank();
  for (int distance = 1; distance < size; distance *= 2) {
    comm.recv((rank - distance + size) % size, View{});
    comm.send((rank + distance) % size, View{});
  }
  co_return;
}

std::optional<Fault> fault_of(AlgorithmFunction function, int ranks) {
  Executor executor;
  const Case c{Collective::barrier, ranks, 0, 1, 0, false, Operator::sum};
  const Choice any = default_choice(find_algorithm(Collective::barrier, "linear"));
  const Execution execution = executor.run(function, c, any, 1);
  return execution.fault ? execution.fault : check_results(executor, c);
}

TEST(BarrierProof, RefutesABarrierThatOneRankLeavesBeforeAllHaveEntered) {
  const auto fault = fault_of(forgets_the_last, 4);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::missing_contribution);
  EXPECT_EQ(fault->text, "rank 3 may leave the barrier before rank 0 has entered it");
}

TEST(BarrierProof, RefutesPassingOnWhatHasNotYetBeenHeard) {
  EXPECT_FALSE(fault_of(does_not_wait, 2));  // one round: nothing to pass on
  const auto fault = fault_of(does_not_wait, 4);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::missing_contribution);
}

TEST(BarrierProof, HoldsForEveryRadix) {
  Executor executor;
  for (const char* name : {"k_dissemination:radix=", "recexch:radix="})
    for (int radix = 2; radix < 12; ++radix)
      for (int p = 1; p < 130; p += p < 40 ? 1 : 13) {
        const Choice choice = parse_choice(Collective::barrier, name + std::to_string(radix));
        const auto fault = prove(executor, choice, {Collective::barrier, p, 0, 1, 0, false, Operator::sum});
        EXPECT_FALSE(fault) << choice.text() << " p=" << p << ": " << fault->text;
      }
}

}  // namespace
}  // namespace tutti::proof
