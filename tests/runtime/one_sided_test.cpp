// get and put on memory that other ranks have exposed.
#include "runtime/one_sided.hpp"

#include <cstdlib>
#include <numeric>

#include "tests/runtime/check_one_sided.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

class OneSided : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, OneSided, testing::Values(1, 2, 3, 5, 8));

void check_shared_heap(Team& team) { check_one_sided(team, OneSidedMemory::heap); }
void check_any_memory(Team& team) { check_one_sided(team, OneSidedMemory::any); }

TEST_P(OneSided, AccessesTheSharedHeapOfProcesses) { expect_well(on_processes(GetParam(), check_shared_heap)); }
TEST_P(OneSided, AccessesAnyMemoryOfProcesses) { expect_well(on_processes(GetParam(), check_any_memory)); }
TEST_P(OneSided, AccessesTheSharedHeapOfThreads) { expect_well(on_threads(GetParam(), check_shared_heap)); }
TEST_P(OneSided, AccessesAnyMemoryOfThreads) { expect_well(on_threads(GetParam(), check_any_memory)); }

template <class Error, class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  throw std::runtime_error("was not refused");
}
void expect_part(const std::string& text, const std::string& part) {
  if (text.find(part) == std::string::npos) throw std::runtime_error("'" + text + "' does not say '" + part + "'");
}

TEST(OneSidedErrors, OutOfRangeIsRefusedAndNothingIsMoved) {
  expect_well(on_processes(3, [](Team& team) {
    // Rank r exposes r elements.
    const auto array = team.alloc<int>(3);
    std::iota(array.begin(), array.end(), 10 * team.rank());
    Window<int> window(team, std::span(array.data(), static_cast<std::size_t>(team.rank())));
    std::vector<int> data{-1, -1, -1};
    for (const std::size_t huge : {std::size_t{3}, ~std::size_t{0}, ~std::size_t{0} / 4, ~std::size_t{0} / 4 + 1})
      expect_part(error_of<std::out_of_range>([&] { window.get(2, huge, std::span(data).first(1)); }),
                  "of rank 2, which has exposed 8");
    expect_part(error_of<std::out_of_range>([&] { window.put(2, 1, std::span(data).first(2)); }),
                "8 bytes from byte 4");
    expect_part(error_of<std::out_of_range>([&] { window.put(0, 0, std::span(data).first(1)); }), "has exposed 0");
    for (const Rank rank : {-1, 3}) {
      expect_part(error_of<std::out_of_range>([&] { window.get(rank, 0, std::span(data).first(0)); }), "of 3");
      error_of<std::out_of_range>([&] { window.size(rank); });
    }
    window.get(2, 2, std::span(data).first(0));  // none, at the end
    window.flush();
    team.barrier();
    for (const int untouched : data)
      if (untouched != -1) throw std::runtime_error("was written");
    for (std::size_t i = 0; i < 3; ++i)
      if (array[i] != 10 * team.rank() + static_cast<int>(i)) throw std::runtime_error("exposed memory was written");
  }));
}

TEST(OneSidedErrors, ElementsOfDifferentSizesAreRefused) {
  for (const std::string& text : on_threads(2, [](Team& team) {
         std::vector<double> eight(4);
         std::vector<float> four(4);
         if (team.rank() == 0)
           Window window(team, eight);
         else
           Window window(team, four);
       }))
    EXPECT_NE(text.find("exposes elements of"), std::string::npos) << text;
}

TEST(OneSidedErrors, MemoryThatIsOutOfReachIsRefusedByAllAndTheTeamGoesOn) {
  setenv("TUTTI_CMA", "never", 1);
  expect_well(on_processes(3, [](Team& team) {
    std::vector<int> own(4);
    const auto shared = team.alloc<int>(4);
    // Rank 1's alone is elsewhere.
    const auto mine = team.rank() == 1 ? std::span(own) : std::span(shared.data(), 4);
    expect_part(
        error_of<std::invalid_argument>([&] { Window<int> window(team, mine); }),
        "the memory of rank 1 is out of reach: it is not of Team::alloc, and cross-memory access is switched off");
    check_one_sided(team, OneSidedMemory::heap);
  }));
  unsetenv("TUTTI_CMA");
  TeamOptions options = test_options();
  options.transports = "tcp";
  expect_well(on_threads(
      2,
      [](Team& team) {
        std::vector<int> own(4);
        expect_part(error_of<std::invalid_argument>([&] { Window window(team, own); }), "tcp has no one-sided access");
        team.barrier();
      },
      options));
}

TEST(OneSidedErrors, ARankThatEndsIsNamed) {
  const auto trouble = on_processes(2, [](Team& team) {
    std::vector<int> mine(1000), data(1000);
    Window window(team, mine);
    if (team.rank() == 1) raise(SIGKILL);
    for (;;) {
      window.get(1, 0, data);
      window.flush();
    }
  });
  EXPECT_NE(trouble[0].find("rank 1 is lost: its process has ended"), std::string::npos) << trouble[0];
}

}  // namespace
}  // namespace tutti
