// collectives TRANSPORTS RANKS FIRST COUNT HOST PORT: COUNT ranks of RANKS in this process, a thread each, from rank
// FIRST on, run every algorithm over the transports and check the results. Rank 0 says how far it is. Ends with 0 if
// all were right. TUTTI_ELEMENTS: so many alone, else 0, 1 and 7001.
#include "tests/runtime/check_all.hpp"
#include "tests/runtime/verbs/ranks.hpp"

int main(int argc, char** argv) {
  using namespace tutti;
  // The machines may stand still for a minute while something else is measured beside them.
  return run_ranks(
      argc, argv,
      [](Team& team) {
        int algorithms = 0, calls = 0;
        std::vector<Count> counts{0, 1, 7001};
        if (const char* const only = std::getenv("TUTTI_ELEMENTS")) counts = {std::stoll(only)};
        for (const Algorithm& algorithm : registry()) {
          const int made = check_algorithm(team, algorithm, {counts, false, false, false});
          algorithms += made > 0;
          calls += made;
          if (team.rank() == 0)
            std::printf("%d ranks: %s: %d calls right\n", team.size(), algorithm.full_name().c_str(), made);
        }
        if (team.rank() == 0)
          std::printf("%d ranks: %d algorithms in %d calls were right\n", team.size(), algorithms, calls);
      },
      Limit(240));
}
