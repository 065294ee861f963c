// What large messages, shared buffers and receives that combine do in shared memory.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>

#include "tests/runtime/check_all.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

class SharedMemory : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, SharedMemory, testing::Values(2, 3, 4, 5, 8));

// 20,011 elements: messages that are streamed at once, and longer ones that are offered first.
const Extent kLarge{{20011}, false, true, false};

TEST_P(SharedMemory, MovesLargeMessagesRight) {
  expect_well(on_processes(GetParam(), [](Team& team) { check_all(team, kLarge); }));
}

TEST_P(SharedMemory, ReadsSharedBuffersWhereTheyLie) {
  expect_well(on_processes(GetParam(), [](Team& team) {
    Extent extent = kLarge;
    extent.in_shared_memory = true;
    check_all(team, extent);
  }));
}

TEST(SharedArrays, AreNotCopiedBeforeTheyAreWanted) {
  std::atomic<bool> written = false;
  expect_well(on_threads(2, [&](Team& team) {
    const auto array = team.alloc<int>(100'000);
    std::fill(array.begin(), array.end(), 0);
    if (team.rank() == 0) {
      Request bcast = team.start(calls::bcast(array, 0));
      array[99'999] = 5;  // a program may not; it tells where the bytes are read
      written = true;
      bcast.wait();
    } else {
      while (!written) std::this_thread::yield();
      team.bcast(array, 0);
      if (array[99'999] != 5) throw std::runtime_error("was copied when the call began");
    }
  }));
}

TEST_P(SharedMemory, ReadsSharedBuffersOfThreadsToo) {
  expect_well(on_threads(GetParam(), [](Team& team) {
    // Nothing at all is read alike on any number of ranks.
    Extent extent{{1, 5003}, false, true, false, true};
    if (team.size() <= 5) extent.counts.push_back(0);
    check_all(team, extent);
  }));
}

/// What the kernel does from now on when the process asks for it.
void on_cross_memory(std::uint32_t action, std::uint32_t call = SYS_process_vm_readv) {
  sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, action),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{std::size(filter), filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    throw std::runtime_error("no filter for system calls");
}

constexpr std::uint32_t kForbidden = SECCOMP_RET_ERRNO | EPERM;

class WithCrossMemory : public SharedMemory {
 protected:
  void SetUp() override { setenv("TUTTI_CMA", "always", 1); }
  void TearDown() override { unsetenv("TUTTI_CMA"); }
};
INSTANTIATE_TEST_SUITE_P(Ranks, WithCrossMemory, testing::Values(2, 3, 5));

TEST_P(WithCrossMemory, MessagesAreReadFromTheirSenders) {
  expect_well(on_processes(GetParam(), [](Team& team) { check_all(team, kLarge); }));
}

TEST_P(WithCrossMemory, LongReductionsAreCombinedPartByPart) {
  expect_well(on_processes(GetParam(), [](Team& team) {
    constexpr int kElements = 300'007;  // more than one part, the last an odd one
    std::vector<int> in(kElements), out(kElements);
    for (const char* algorithm : {"flat", "direct"})
      for (const bool in_place : {false, true}) {
        std::iota(in.begin(), in.end(), team.rank());
        if (in_place)
          team.run(calls::reduce(in, Predefined::sum, 1).with(algorithm));
        else
          team.run(calls::reduce(in, out, Predefined::sum, 1).with(algorithm));
        if (team.rank() != 1) continue;
        for (int i = 0; i < kElements; ++i)
          if ((in_place ? in : out)[static_cast<std::size_t>(i)] !=
              team.size() * i + team.size() * (team.size() - 1) / 2)
            throw std::runtime_error(algorithm + std::string(": wrong at ") + std::to_string(i));
      }
  }));
}

/// Ints; all ranks' blocks are more than a core keeps: of two such calls one goes through its buffers from their end.
std::size_t long_block(const Team& team) { return 1'400'002 / static_cast<std::size_t>(team.size()) | 1; }

void check_long_calls(Team& team, std::span<int> in, std::span<int> out) {
  const std::size_t block = long_block(team);
  const auto ranks = static_cast<std::size_t>(team.size()), rank = static_cast<std::size_t>(team.rank());
  const auto value = [=](std::size_t from, std::size_t to, std::size_t i) {
    return static_cast<int>((from * 31 + to) * block + i);
  };
  const auto expect = [&](const char* what, std::span<const int> got, const auto& want) {
    for (std::size_t i = 0; i < got.size(); ++i)
      if (got[i] != want(i)) throw std::runtime_error(what + std::string(": wrong at ") + std::to_string(i));
  };
  for (std::size_t time = 0; time < 4; ++time) {
    const std::size_t seed = 10 * time;
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = value(seed + rank, i / block, i % block);
    std::fill(out.begin(), out.end(), -1);
    team.alltoall(in, out);
    expect("alltoall", out, [&](std::size_t i) { return value(seed + i / block, rank, i % block); });
    team.allgather(in.first(block), out);
    expect("allgather", out, [&](std::size_t i) { return value(seed + i / block, 0, i % block); });
    if (rank == 1) std::copy(in.begin(), in.end(), out.begin());
    team.bcast(out, 1);
    expect("bcast", out, [&](std::size_t i) { return value(seed + 1, i / block, i % block); });
    team.run(calls::allreduce(in, out, Predefined::maximum).with("direct"));
    expect("allreduce", out, [&](std::size_t i) { return value(seed + ranks - 1, i / block, i % block); });
  }
}

TEST_P(WithCrossMemory, LongCallsAreRightFromBothEnds) {
  expect_well(on_processes(GetParam(), [](Team& team) {
    std::vector<int> in(long_block(team) * static_cast<std::size_t>(team.size())), out(in.size());
    check_long_calls(team, in, out);
    const auto shared_in = team.alloc<int>(in.size()), shared_out = team.alloc<int>(in.size());
    check_long_calls(team, shared_in, shared_out);
  }));
}

TEST_P(SharedMemory, LongCallsAreRightFromBothEndsOnThreads) {
  expect_well(on_threads(GetParam(), [](Team& team) {
    std::vector<int> in(long_block(team) * static_cast<std::size_t>(team.size())), out(in.size());
    check_long_calls(team, in, out);
  }));
}

TEST_P(WithCrossMemory, ThatIsSo) {
  const auto trouble = on_processes(GetParam(), [](Team& team) {
    on_cross_memory(SECCOMP_RET_KILL_PROCESS);
    std::vector<int> data(100'000, team.rank());
    team.run(calls::bcast(data).with("linear"));
  });
  EXPECT_TRUE(std::find(trouble.begin(), trouble.end(), "killed") != trouble.end());
}

TEST_P(WithCrossMemory, MessagesAreSentOnceTheSystemForbidsThat) {
  expect_well(on_processes(GetParam(), [](Team& team) {
    on_cross_memory(kForbidden);
    check_all(team, kLarge);
  }));
}

TEST_P(WithCrossMemory, MessagesAreSentWhereTheirSendersMayNotHelp) {
  expect_well(on_processes(GetParam(), [](Team& team) {
    on_cross_memory(kForbidden, SYS_process_vm_writev);
    check_all(team, kLarge);
  }));
}

TEST_P(WithCrossMemory, NothingIsReadWhereItIsForbiddenFromTheBeginning) {
  const pid_t child = fork();
  if (child == 0) {
    on_cross_memory(kForbidden);
    bool well = true;
    for (const std::string& trouble : on_processes(GetParam(), [](Team& team) { check_all(team, kLarge); }))
      well &= trouble.empty();
    _exit(well ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(CrossMemory, AWrongWishIsRefused) {
  setenv("TUTTI_CMA", "sometimes", 1);
  for (const std::string& trouble : on_threads(2, [](Team&) {}))
    EXPECT_NE(trouble.find("expected always or never"), std::string::npos) << trouble;
  unsetenv("TUTTI_CMA");
}

// No part of a message is a whole number of them.
struct Twelve {
  std::array<std::uint32_t, 3> values;
  friend bool operator==(const Twelve&, const Twelve&) = default;
};

TEST_P(SharedMemory, CombinesElementsThatNoPartHoldsWhole) {
  expect_well(on_processes(GetParam(), [](Team& team) {
    constexpr std::size_t kElements = 20011;
    const auto sum = [](const Twelve& a, const Twelve& b) {
      return Twelve{{a.values[0] + b.values[0], a.values[1] + b.values[1], a.values[2] + b.values[2]}};
    };
    const auto input = [](Rank rank, std::size_t i) {
      const auto seed = static_cast<std::uint32_t>(rank * 7919) + static_cast<std::uint32_t>(i);
      return Twelve{{seed, seed * 3, ~seed}};
    };
    for (const char* algorithm : {"one_shot", "direct"}) {
      std::vector<Twelve> in(kElements), out(kElements);
      for (std::size_t i = 0; i < kElements; ++i) in[i] = input(team.rank(), i);
      team.run(calls::allreduce(in, out, commutative(sum)).with(algorithm));
      for (std::size_t i = 0; i < kElements; ++i) {
        Twelve want = input(0, i);
        for (Rank r = 1; r < team.size(); ++r) want = sum(want, input(r, i));
        if (out[i] != want) throw std::runtime_error(std::string(algorithm) + ": element " + std::to_string(i));
      }
    }
  }));
}

TEST(SharedArrays, AreGivenOutAgainAndNeverTwice) {
  expect_well(on_threads(2, [](Team& team) {
    std::vector<SharedArray<int>> kept;
    for (int round = 0; round < 50; ++round) {
      kept.push_back(team.alloc<int>(1000 + static_cast<std::size_t>(round) * 37));
      std::fill(kept.back().begin(), kept.back().end(), round);
      if (round % 3 == 0) kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(kept.size()) / 2);
    }
    for (const auto& array : kept)
      for (const int value : array)
        if (value != array[0]) throw std::runtime_error("two arrays share memory");
  }));
}

TEST(SharedArrays, EndWhereThereIsNoMore) {
  TeamOptions options = test_options();
  options.heap_bytes = 1 << 20;
  expect_well(on_threads(
      2,
      [](Team& team) {
        const auto all = team.alloc<char>(1 << 20);
        EXPECT_THROW(team.alloc<char>(1), std::bad_alloc);
        EXPECT_THROW(team.alloc<double>(~std::size_t{0} / 4), std::bad_alloc);
      },
      options));
}

TEST(SharedArrays, OutliveTheirTeam) {
  expect_well(on_threads(2, [](Team& team) {
    std::optional<SharedArray<int>> array;
    {
      Team moved = std::move(team);
      array = moved.alloc<int>(100);
      moved.barrier();
    }
    std::iota(array->begin(), array->end(), 0);
    if ((*array)[99] != 99) throw std::runtime_error("not kept");
  }));
}

TEST(SharedArrays, AreOrdinaryMemoryWhereNobodySharesTheNode) {
  expect_well(on_threads(1, [](Team& team) {
    const auto array = team.alloc<int>(3);
    array[2] = 7;
    std::vector<int> out(3);
    team.allreduce(array, out, Predefined::sum);
    if (out[2] != 7) throw std::runtime_error("wrong");
  }));
}

}  // namespace
}  // namespace tutti
