// One rank of a job, as the environment says.
// ranks check COUNT...: every algorithm on so many elements; ends with 0 if all results were right.
// ranks loop ALGORITHM: allreduces without end; says what ended them.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/runtime/check_all.hpp"

namespace {

using namespace tutti;

void check(Team& team, int argc, char** argv) {
  Extent extent{{}, false, true, false};
  for (int i = 2; i < argc; ++i) extent.counts.push_back(std::atoll(argv[i]));
  check_all(team, extent);
  if (team.rank() > 0) return;
  std::printf("%d ranks on %d nodes: all right, over %s\n", team.size(), team.layout().nodes(),
              std::string(team.transport_to((team.rank() + 1) % team.size())).c_str());
}

void loop(Team& team, const char* algorithm) {
  std::vector<int> data(100'000, 1);
  for (int i = 0;; ++i) {
    team.run(calls::allreduce(data, Predefined::maximum).with(algorithm));
    if (i == 5 && team.rank() == 0) std::printf("under way\n"), std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) return std::fprintf(stderr, "usage: ranks check COUNT... | ranks loop ALGORITHM\n"), 2;
  Team team = Team::from_environment();
  try {
    if (std::string_view(argv[1]) == "check")
      check(team, argc, argv);
    else
      loop(team, argv[2]);
  } catch (const TeamError& error) {
    std::printf("%s\n", error.what());
    std::fflush(stdout);
    return 3;
  }
  return 0;
} catch (const std::exception& error) {
  std::printf("%s\n", error.what());
  return 1;
}
