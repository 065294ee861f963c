// one_sided TRANSPORTS RANKS FIRST COUNT HOST PORT: COUNT ranks of RANKS in this process, a thread each, from rank
// FIRST on, read and write each other's memory over the transports and check every element. Ends with 0 if all were
// right.
#include "tests/runtime/check_one_sided.hpp"
#include "tests/runtime/verbs/ranks.hpp"

int main(int argc, char** argv) {
  return tutti::run_ranks(argc, argv, [](tutti::Team& team) {
    // The last is more than a piece of a fetch, and all ranks' of the second below are, too.
    tutti::check_one_sided(team, tutti::OneSidedMemory::heap, {0, 1, 1000, 280'001});
    tutti::check_one_sided(team, tutti::OneSidedMemory::any, {1, 90'001});  // moved alike, but registered by itself
  });
}
