// collectives TRANSPORTS RANKS FIRST COUNT HOST PORT: COUNT ranks of RANKS in this process, a thread each, from rank
// FIRST on, run every algorithm over the transports and check the results. Ends with 0 if all were right.
#include "tests/rdma/ranks.hpp"
#include "tests/runtime/check_all.hpp"

int main(int argc, char** argv) {
  return tutti::run_ranks(argc, argv, [](tutti::Team& team) {
    tutti::check_all(team, {{0, 1, 7001}, false, false, false});
  });
}
