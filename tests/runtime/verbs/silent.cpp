// silent HOST PORT: what a rank does that waits for one which lives but never calls, in this process, over verbs:
// before they are connected, after that, and in multicasts that others answer; and what it is told of one that leaves.
// 0 if every wait ends at its limit, or before, and says so.
#include "tests/runtime/verbs/ranks.hpp"

namespace {

using namespace tutti;

std::atomic<int> left_early = 0;  // ranks whose team has ended with an exception, rank 0 apart

/// What rank 0 is told, while the last rank only sleeps. "nothing": it is told nothing.
std::string told(int ranks, const char* host, const char* port, const std::function<void(Team&)>& body) {
  TeamOptions options;
  options.transports = "verbs";
  options.limit = Limit(4);
  std::string text = "nothing";
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      try {
        Team team(bootstrap_tcp(rank, ranks, meeting_at(host, port), Limit(100)), options);
        body(team);
        while (rank != 0 && !over) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      } catch (const std::exception& error) {
        if (rank == 0)
          text = error.what();
        else
          ++left_early;
      }
      if (rank == 0) over = true;
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("%s\n", text.c_str());
  return text;
}

bool reaches_its_limit(const std::string& text) {
  return text.find("rank 0 waited more than 4.000000 s") != std::string::npos;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: %s HOST PORT\n", argv[0]), 2;
  std::vector<int> data(1000);
  const auto receive = [&](Team& team) {
    if (team.rank() == 0) team.run(calls::bcast(data, 1).with("linear"));
  };
  const bool apart = reaches_its_limit(told(2, argv[1], argv[2], receive));
  const bool connected = reaches_its_limit(told(2, argv[1], argv[2], [&](Team& team) {
    team.barrier();
    receive(team);
  }));
  const bool multicast = reaches_its_limit(told(3, argv[1], argv[2], [&](Team& team) {
    std::vector<int> own(1000);
    if (team.rank() != 2) team.run(calls::bcast(own, 0).with("multicast"));
    if (team.rank() == 1) team.run(calls::bcast(own, 2).with("linear"));  // it answers meanwhile
  }));
  // Two that ask each other for answers must not take that for progress.
  const bool both = reaches_its_limit(told(3, argv[1], argv[2], [&](Team& team) {
    if (team.rank() == 2) return;
    std::vector<int> first(1000), second(1000);
    Request one = team.start(calls::bcast(first, 0).with("multicast"));
    Request two = team.start(calls::bcast(second, 1).with("multicast"));
    one.wait();
    two.wait();
  }));
  // Who has left will never answer.
  left_early = 0;
  const std::string left = told(3, argv[1], argv[2], [](Team& team) {
    team.barrier();
    if (team.rank() == 2) throw std::runtime_error("leaves");
    // As long as it is there it takes the packet, and says so.
    while (left_early == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::vector<int> own(1000);
    team.run(calls::bcast(own, 0).with("multicast"));
  });
  return apart && connected && multicast && both && left.find("rank 2 is lost: it has left") != left.npos ? 0 : 1;
}
