// mortal: one rank of a job, as the environment says, that makes calls without end, of many kinds, with pauses between
// them; says what ended it, and ends with 3. Of the rank MORTAL_RANK, the process is killed MORTAL_MICROSECONDS after
// its start. MORTAL_SEED: of the calls.
// mortal setup: makes its team and says after how many microseconds it was there.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/team.hpp"

namespace {

using namespace tutti;
using Clock = std::chrono::steady_clock;

long variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? std::atol(value) : -1;
}

void wait_by_testing(Request request) {
  while (!request.test()) std::this_thread::yield();
}

void live(Team& team) {
  std::minstd_rand calls_of_all(static_cast<unsigned>(variable("MORTAL_SEED") + 2)), own(std::random_device{}());
  for (;;) {
    const int kind = static_cast<int>(calls_of_all() % 8);
    const auto elements = static_cast<std::size_t>(1 + calls_of_all() % (calls_of_all() % 4 == 0 ? 60'000 : 2'000));
    const auto root = static_cast<Rank>(calls_of_all() % static_cast<unsigned>(team.size()));
    std::vector<int> data(elements, 1), all(elements * static_cast<std::size_t>(team.size())), others(all);
    if (own() % 4 == 0) usleep(static_cast<useconds_t>(own() % 3000));
    switch (kind) {
      case 0:
        team.barrier();
        break;
      case 1:
        team.bcast(data, root);
        break;
      case 2:
        team.run(calls::allreduce(data, Predefined::maximum).with("ring"));
        break;
      case 3:
        team.alltoall(all, others);
        break;
      case 4:
        wait_by_testing(team.start(calls::allreduce(data, Predefined::maximum)));
        break;
      case 5:
        team.run(calls::bcast(data, root).with("chain"));
        break;
      case 6:
        team.run(calls::allgather(data, all).with("bruck"));
        break;
      default:
        wait_by_testing(team.start(calls::bcast(data, root).with("linear")));
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const auto begin = Clock::now();
  if (const long rank = variable("MORTAL_RANK"); rank >= 0 && rank == variable("TUTTI_RANK")) {
    const auto microseconds = static_cast<useconds_t>(variable("MORTAL_MICROSECONDS"));
    if (microseconds == 0) raise(SIGKILL);
    std::thread([=] {
      usleep(microseconds);
      raise(SIGKILL);
    }).detach();
  }
  Team team = Team::from_environment();
  if (argc == 2 && std::string_view(argv[1]) == "setup") {
    const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
    return std::printf("%.0f\n", took.count()), 0;
  }
  live(team);
} catch (const std::exception& error) {
  const std::string line = std::string(error.what()) + '\n';  // in one piece
  if (write(1, line.data(), line.size()) < 0) return 4;
  return 3;
}
