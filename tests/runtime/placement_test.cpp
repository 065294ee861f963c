// Who of a node's ranks moves to another core.
#include "runtime/shm/placement.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <thread>

namespace tutti::shm {
namespace {

cpu_set_t cores_below(int count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core = 0; core < count; ++core) CPU_SET(core, &set);
  return set;
}

TEST(Placement, TheLastOfTooManyMovesToTheCoreWithTheFewest) {
  const cpu_set_t three = cores_below(3);
  EXPECT_EQ(less_crowded_core({0, 0, 1, 0}, 3, cores_below(2)), 1);
  EXPECT_EQ(less_crowded_core({1, 1, 1}, 2, three), 0);
  EXPECT_EQ(less_crowded_core({1, 1, 0, 1, 1, 0}, 4, three), 2);
}

TEST(Placement, TheOthersStay) {
  for (const std::size_t rank : {0, 1, 2}) EXPECT_EQ(less_crowded_core({0, 0, 1, 0}, rank, cores_below(2)), -1);
}

TEST(Placement, NobodyMovesWhereThatMakesNothingMoreEven) {
  EXPECT_EQ(less_crowded_core({0, 1, 0, 1}, 3, cores_below(2)), -1);
  EXPECT_EQ(less_crowded_core({0, 0, 1}, 1, cores_below(2)), -1);
}

TEST(Placement, NobodyMovesToACoreThatHeMayNotRunOn) {
  EXPECT_EQ(less_crowded_core({0, 0, 0, 0}, 3, cores_below(1)), -1);
}

TEST(Placement, EveryRankOfAnyNumberEndsWithNoMoreThanOneTooMany) {
  for (int ranks = 1; ranks <= 9; ++ranks)
    for (int count = 1; count <= 5; ++count) {
      std::vector<int> cores(static_cast<std::size_t>(ranks), 0);
      const cpu_set_t allowed = cores_below(count);
      for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < cores.size(); ++rank)
          if (const int core = less_crowded_core(cores, rank, allowed); core >= 0) cores[rank] = core, moved = true;
      }
      for (int core = 0; core < count; ++core) {
        const auto here = std::count(cores.begin(), cores.end(), core);
        EXPECT_TRUE(here == ranks / count || here == (ranks + count - 1) / count) << ranks << " on " << count;
      }
    }
}

TEST(Placement, WhoMovesMayRunWhereHeCouldBefore) {
  std::thread([] {  // whose mask is its own
    cpu_set_t before, after;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &before)) move_to_core(core);
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
  })
      .join();
}

}  // namespace
}  // namespace tutti::shm
