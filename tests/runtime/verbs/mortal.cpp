// mortal TRANSPORTS RANKS FIRST COUNT HOST PORT: ranks send round a ring for ever, until rank 1's process kills itself.
#include <csignal>

#include "tests/runtime/verbs/ranks.hpp"

namespace {

void run(tutti::Team& team) {
  std::vector<int> data(10'000, 1);
  for (int round = 0;; ++round) {
    team.run(tutti::calls::allreduce(data, tutti::Predefined::maximum).with("ring"));
    if (team.rank() == 1 && round == 3) raise(SIGKILL);
  }
}

}  // namespace

int main(int argc, char** argv) { return tutti::run_ranks(argc, argv, run); }
