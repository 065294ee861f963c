#include <malloc.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>

#include "tables/table.hpp"
#include "tests/runtime/expected.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

using namespace std::chrono_literals;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

TEST(Calls, StartedTogetherEndInAnyOrder) {
  expect_well(on_threads(5, [](Team& team) {
    // Large ones, so that they are under way together; waited for in another order than they were started in.
    constexpr std::size_t kElements = 20'000;
    std::vector<std::vector<int>> data(4, std::vector<int>(kElements));
    std::vector<Request> requests;
    for (std::size_t k = 0; k < data.size(); ++k) {
      std::iota(data[k].begin(), data[k].end(), team.rank() * static_cast<int>(k + 1));
      requests.push_back(team.start(calls::allreduce(data[k], Predefined::sum).with(k % 2 ? "tree" : "recexch")));
    }
    for (std::size_t k = data.size(); k-- > 0;) {
      if ((static_cast<int>(k) + team.rank()) % 2)
        while (!requests[k].test()) std::this_thread::yield();
      requests[k].wait();
    }
    for (std::size_t k = 0; k < data.size(); ++k)
      for (std::size_t i = 0; i < kElements; ++i)
        require(data[k][i] == 10 * static_cast<int>(k + 1) + 5 * static_cast<int>(i), "call " + std::to_string(k));
  }));
}

TEST(Calls, LongOnesSideBySideAreRightFromEitherEnd) {
  expect_well(on_processes(2, [](Team& team) {
    // More than a core keeps: each goes through its buffers from the other end than the one before, its own block in
    // pieces between which the others' messages come.
    constexpr std::size_t kBlock = 500'003, kCalls = 3;
    const auto value = [](std::size_t call, int from, int to, std::size_t i) {
      return static_cast<int>(1000 * call) + 100 * from + 10 * to + static_cast<int>(i % 7);
    };
    for (int round = 0; round < 4; ++round) {
      std::vector<std::vector<int>> in(kCalls, std::vector<int>(2 * kBlock)), out(kCalls, std::vector<int>(2 * kBlock));
      std::vector<Request> requests;
      for (std::size_t call = 0; call < kCalls; ++call) {
        for (std::size_t i = 0; i < 2 * kBlock; ++i)
          in[call][i] = value(call, team.rank(), static_cast<int>(i / kBlock), i % kBlock);
        requests.push_back(team.start(calls::alltoall(in[call], out[call])));
        for (int k = 0; k < 4; ++k) requests.back().test();  // some pieces, before the next begins
      }
      for (std::size_t k = 0; k < kCalls; ++k) {
        const std::size_t call = round % 2 ? k : kCalls - 1 - k;
        if (round >= 2)
          while (!requests[call].test()) continue;
        requests[call].wait();
        for (std::size_t i = 0; i < 2 * kBlock; ++i)
          require(out[call][i] == value(call, static_cast<int>(i / kBlock), team.rank(), i % kBlock),
                  "call " + std::to_string(call) + " at " + std::to_string(i));
      }
    }
  }));
}

TEST(Calls, PersistentOnesUseWhatTheBuffersHoldWhenTheyStart) {
  expect_well(on_threads(3, [](Team& team) {
    std::vector<double> in(100), out(100);
    Request sum = team.persistent(calls::allreduce(in, out, Predefined::sum).with("ring"));
    for (int round = 0; round < 20; ++round) {
      std::fill(in.begin(), in.end(), round + team.rank());
      sum.start();
      EXPECT_THROW(sum.start(), std::logic_error);
      sum.wait();
      require(sum.test() && out == std::vector<double>(100, 3 * round + 3), "round " + std::to_string(round));
    }
  }));
}

TEST(Calls, FollowTheirRootsAndDefaultsWithoutANamedAlgorithm) {
  expect_well(on_processes(6, [](Team& team) {
    for (const std::size_t n : {0, 1, 5, 100'000}) {
      std::vector<std::int64_t> data(n, team.rank() == 4 ? 44 : 0);
      team.bcast(data, 4);
      require(data == std::vector<std::int64_t>(n, 44), "bcast");
      std::vector<std::int64_t> all(6 * n), mine(n, team.rank());
      team.allgather(mine, all);
      for (std::size_t i = 0; i < all.size(); ++i) require(all[i] == static_cast<std::int64_t>(i / n), "allgather");
      team.alltoall(all);
      for (std::size_t i = 0; i < all.size(); ++i) require(all[i] == team.rank(), "alltoall");
      team.reduce(mine, Predefined::maximum, 2);
      require(team.rank() != 2 || mine == std::vector<std::int64_t>(n, 5), "reduce");
      team.barrier();
    }
  }));
}

int the_left_one(int left, int) { return left; }

TEST(Calls, OperatorsDoWhatTheirNamesSay) {
  expect_well(on_threads(3, [](Team& team) {
    const int r = team.rank();
    const auto one = [&](auto value, Predefined op) {
      std::vector<decltype(value)> data(37, value);
      team.allreduce(data, op);
      require(data == std::vector<decltype(value)>(37, data[0]), "elements differ");
      return data[0];
    };
    require(one(r + 2, Predefined::product) == 24, "product");
    require(one(static_cast<float>(r), Predefined::minimum) == 0.0f, "minimum");
    require(one(static_cast<std::int8_t>(-r), Predefined::maximum) == 0, "maximum");
    require(one(static_cast<std::uint8_t>(100), Predefined::sum) == 44, "sums wrap");
    require(one(static_cast<std::int16_t>(30'000), Predefined::product) ==
                static_cast<std::int16_t>(30'000ll * 30'000 * 30'000),
            "products wrap");
    require(one(r == 1 ? 0.0 : 2.5, Predefined::logical_and) == 0.0, "logical_and");
    require(one(r == 1 ? 0.0 : 2.5, Predefined::logical_or) == 1.0, "logical_or");
    require(one(r == 1 ? 0 : 7, Predefined::logical_xor) == 0, "logical_xor");
    require(one(static_cast<std::uint64_t>(7 - r), Predefined::bit_and) == 4u, "bit_and");
    require(one(1 << r, Predefined::bit_or) == 7, "bit_or");
    require(one(static_cast<std::int64_t>(r), Predefined::bit_xor) == 3, "bit_xor");
    std::array<bool, 2> flags{r != 1, false};
    team.allreduce(flags, Predefined::sum);  // wraps around for no number of ranks
    unsigned char byte = 0;
    std::memcpy(&byte, flags.data(), 1);
    require(byte == 1 && !flags[1], "a sum of bool is one");
    int calls = 0;
    std::vector<int> data(5, r + 1);
    const auto counting = [&calls](int a, int b) { return ++calls, std::max(a, b); };
    team.allreduce(data, commutative(counting));
    require(data == std::vector<int>(5, 3), "an operator that holds something");
    std::vector<int> heads{10 * r + 7, r};
    team.allreduce(heads, ordered(the_left_one));
    require(heads == std::vector<int>{7, 0}, "a plain function");
    std::vector<int> combined{calls};
    team.allreduce(combined, Predefined::sum);
    require(combined[0] >= 10, "two of three vectors of five elements are combined with another");
  }));
}

TEST(Calls, OperatorsTakeVectorsThatLieAnyhow) {
  const CombineFunction sum = predefined_function(Predefined::sum, NumberKind::signed_integer, 4);
  std::vector<int> left(200), right(200);
  std::iota(left.begin(), left.end(), 1000);
  std::iota(right.begin(), right.end(), 5);
  for (std::size_t begin = 0; begin < 17; ++begin)
    for (std::size_t elements = 0; elements < 40; ++elements) {
      std::vector<int> out(200, -1);
      sum(out.data() + begin, left.data() + 3, right.data() + 6, elements, nullptr);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const bool inside = i >= begin && i < begin + elements;
        ASSERT_EQ(out[i], inside ? left[i - begin + 3] + right[i - begin + 6] : -1) << begin << ' ' << elements;
      }
    }
}

TEST(Calls, ThatDoNotFitAreRefusedBeforeAnythingIsSent) {
  expect_well(on_threads(2, [](Team& team) {
    std::vector<int> four(4), five(5), ten(10);
    EXPECT_THROW(team.allgather(four, ten), std::invalid_argument);
    EXPECT_THROW(team.allreduce(four, five, Predefined::sum), std::invalid_argument);
    EXPECT_THROW(team.alltoall(five), std::invalid_argument);
    EXPECT_THROW(team.bcast(four, 2), std::invalid_argument);
    EXPECT_THROW(team.allreduce(std::span(ten).first(6), std::span(ten).last(6), Predefined::sum),
                 std::invalid_argument);
    EXPECT_THROW(team.run(calls::allreduce(four, Predefined::sum).with("bogus")), std::runtime_error);
    std::vector<Affine> in_order(4);
    EXPECT_THROW(team.run(calls::reduce_scatter(in_order, ordered(Compose{})).with("ring")), std::invalid_argument);
    const auto by_parts = calls::alltoall(four, std::span(ten).first(4)).with("hier(node=pairwise_in_place)");
    EXPECT_THROW(team.run(by_parts), std::invalid_argument) << "which inside nodes is not in place";
    team.bcast(four, 1);
  }));
}

TEST(Calls, AskTheTable) {
  const std::string path = testing::TempDir() + "tutti-runtime-table-" + std::to_string(getpid()) + ".json";
  // Rules of a real table: made by the library that reads it.
  Table table;
  table.machine = "m", table.engine = "e", table.mode = "isolated", table.placement = "block";
  for (const std::int64_t bytes : {1024, 65536}) {
    Cell cell;
    cell.place = {Collective::allreduce, 1, 3};
    cell.bytes = bytes;
    cell.seconds = {{bytes == 1024 ? "linear" : "segmented_ring:segment=4096", 1e-6}};
    table.cells.push_back(cell);
  }
  table.cells.push_back({{Collective::allgatherv, 1, 3, "one:1"}, 3000, {{"segmented_ring", 1e-6}}});
  derive_rules(table);
  std::ofstream(path) << to_json_text(table);
  TeamOptions options = test_options();
  options.table = path;
  expect_well(on_threads(
      3,
      [](Team& team) {
        std::vector<std::int32_t> small(256), large(1 << 20), tiny(3);
        require(team.algorithm_of(calls::allreduce(small, Predefined::sum)) == "linear", "small");
        require(team.algorithm_of(calls::allreduce(large, Predefined::sum)) == "segmented_ring:segment=4096", "large");
        require(team.algorithm_of(calls::allreduce(large, Predefined::sum).with("ring")) == "ring", "named");
        std::vector<Affine> ordered_data(1 << 18);
        require(team.algorithm_of(calls::allreduce(ordered_data, ordered(Compose{}))) == "one_shot",
                "a rule that needs a commutative operator gives way");
        team.allreduce(large, Predefined::sum);
        require(team.algorithm_of(calls::bcast(tiny)) == "linear", "no rule");
        const auto chosen = [&](const char* text) {
          const auto counts = BlockCounts::from(text, 3, 750, false);
          std::vector<std::int32_t> mine(static_cast<std::size_t>(counts->blocks().count(team.rank()))), all(750);
          return team.algorithm_of(calls::allgatherv(mine, all, counts));
        };
        require(chosen("one:1") == "segmented_ring", "counts that are spread as the table's");
        require(chosen("one:2") != "segmented_ring" && chosen("equal") != "segmented_ring", "others");
      },
      options));
  std::remove(path.c_str());
  options.table = "/no/such/table.json";
  for (const std::string& trouble : on_threads(
           1, [](Team&) {}, options))
    EXPECT_NE(trouble, "");
}

TEST(Calls, OfDifferentSizesStopTheTeam) {
  const auto trouble = on_threads(2, [](Team& team) {
    std::vector<int> data(team.rank() == 0 ? 4 : 8);
    team.run(calls::bcast(data).with("binomial"));
    team.barrier();
  });
  EXPECT_NE(trouble[1].find("receives 32 bytes from rank 0, which sends 16 bytes"), std::string::npos) << trouble[1];
  EXPECT_NE(trouble[0].find("rank 1 has left"), std::string::npos) << trouble[0];
}

TEST(Calls, ThatDifferAreToldInCheckedMode) {
  TeamOptions options = test_options();
  options.checked = true;
  expect_well(on_threads(
      3, [](Team& team) { team.barrier(); }, options));
  for (const auto& trouble : on_threads(
           3,
           [](Team& team) {
             std::vector<int> data(4);
             team.run(calls::allreduce(data, Predefined::sum).with(team.rank() == 2 ? "ring" : "linear"));
           },
           options)) {
    EXPECT_NE(trouble.find("calls allreduce/"), std::string::npos) << trouble;
    EXPECT_NE(trouble.find("rank 2 "), std::string::npos) << trouble;
  }
}

/// Each rank's text is longer than what it tells the others.
TEST(Calls, OfLongNamesThatDifferAnywhereAreToldInCheckedMode) {
  TeamOptions options = test_options();
  options.checked = true;
  const auto choice = [](bool swapped) {  // in the middle
    std::string order = "0";
    for (int i = 1; i < 200; ++i) order += "-" + std::to_string(swapped && (i == 100 || i == 101) ? 201 - i : i);
    return "permuted(order=" + order + ")";
  };
  struct Difference {
    const char* what;
    Rank root;
    std::string choice;
  };
  for (const Difference& other :
       {Difference{"nothing", 0, choice(false)}, {"the root", 1, choice(false)}, {"the middle", 0, choice(true)}})
    for (const auto& trouble : on_threads(
             3,
             [&](Team& team) {
               std::vector<int> data(4);
               const bool is_other = team.rank() == 2;
               team.run(calls::bcast(data, is_other ? other.root : 0).with(is_other ? other.choice : choice(false)));
             },
             options))
      EXPECT_EQ(trouble.find("rank 2 ") != std::string::npos, other.what != std::string_view("nothing"))
          << other.what << ": " << trouble;
}

TEST(Calls, OfEverOtherSizesDoNotMakeATeamGrow) {
  expect_well(on_threads(1, [](Team& team) {
    std::vector<char> data(40'000);
    const auto call_of = [&](std::size_t from, std::size_t to) {
      for (std::size_t n = from; n < to; ++n) team.bcast(std::span(data.data(), n));
      return mallinfo2().uordblks;
    };
    const std::size_t before = call_of(0, 10'000), after = call_of(10'000, data.size());
    require(after < before + (4 << 20), std::to_string(after - before) + " bytes more");
    team.bcast(data);
  }));
}

TEST(Calls, OfMoreThanTwoToThe31ElementsAreMoved) {
  if (!std::getenv("TUTTI_SLOW_TESTS")) GTEST_SKIP() << "minutes: ctest -L slow";
  constexpr std::size_t kElements = (std::size_t{1} << 31) + 5;
  expect_well(on_processes(2, [](Team& team) {
    std::vector<std::int8_t> data(kElements, static_cast<std::int8_t>(team.rank() + 1));
    team.run(calls::bcast(data, 1).with("binomial"));
    require(data.front() == 2 && data[kElements / 2] == 2 && data.back() == 2, "bcast");
  }));
}

}  // namespace
}  // namespace tutti
