// one_sided TRANSPORTS RANKS FIRST COUNT HOST PORT: COUNT ranks of RANKS in this process, a thread each, from rank
// FIRST on, read and write each other's memory over the transports and check every element. Ends with 0 if all were
// right.
#include "tests/runtime/check_one_sided.hpp"
#include "tests/runtime/verbs/ranks.hpp"

int main(int argc, char** argv) {
  return tutti::run_ranks(argc, argv, [](tutti::Team& team) {
    // Of the last, all ranks' together are more than a piece of a fetch.
    tutti::check_one_sided(team, tutti::OneSidedMemory::heap, {0, 1, 1000, 90'001});
    // Moved alike, but registered by itself; of the last, each is more than a piece.
    tutti::check_one_sided(team, tutti::OneSidedMemory::any, {1});
    tutti::check_one_sided(team, tutti::OneSidedMemory::any, {280'001}, false);
  });
}
