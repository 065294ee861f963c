// multicast TRANSPORTS RANKS FIRST COUNT HOST PORT: COUNT ranks of RANKS in this process, a thread each, from rank
// FIRST on, broadcast by the network's multicast and check every element. Rank 0 prints what its interface has sent
// meanwhile per byte of a long message. Ends with 0 if all was right.
#include <fstream>
#include <stdexcept>

#include "tests/runtime/verbs/ranks.hpp"

namespace {

using namespace tutti;

std::int32_t value(Rank root, std::size_t size, std::size_t i) {
  return static_cast<std::int32_t>(static_cast<std::size_t>(root) * 1'000'003 + size * 17 + i * 13 + 1);
}
void fill(std::vector<std::int32_t>& data, Rank root) {
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = value(root, data.size(), i);
}
void check(const std::vector<std::int32_t>& data, Rank root) {
  for (std::size_t i = 0; i < data.size(); ++i)
    if (data[i] != value(root, data.size(), i))
      throw std::runtime_error("element " + std::to_string(i) + " of " + std::to_string(data.size()) + " from root " +
                               std::to_string(root) + " is wrong");
}

double bytes_sent() {
  std::ifstream in("/sys/class/net/eth0/statistics/tx_bytes");
  double bytes = 0;
  in >> bytes;
  return bytes;
}

void run(Team& team) {
  const auto by_multicast = [](std::vector<std::int32_t>& data, Rank root) {
    return calls::bcast(data, root).with("multicast");
  };
  for (const std::size_t size : {0, 1, 1000, 1010, 1012, 100'003})
    for (const Rank root : {0, team.size() - 1}) {
      std::vector<std::int32_t> data(size);
      if (team.rank() == root) fill(data, root);
      team.run(by_multicast(data, root));
      check(data, root);
    }
  // From all at once, and other calls beside them.
  std::vector<std::vector<std::int32_t>> all(static_cast<std::size_t>(team.size()), std::vector<std::int32_t>(20'000));
  fill(all[static_cast<std::size_t>(team.rank())], team.rank());
  std::vector<Request> requests;
  for (Rank root = 0; root < team.size(); ++root)
    requests.push_back(team.start(by_multicast(all[static_cast<std::size_t>(root)], root)));
  std::vector<int> one{team.rank()};
  team.allreduce(one, Predefined::sum);
  if (one[0] != team.size() * (team.size() - 1) / 2) throw std::runtime_error("wrong sum");
  for (Request& request : requests) request.wait();
  for (Rank root = 0; root < team.size(); ++root) check(all[static_cast<std::size_t>(root)], root);
  // A long one, again and again.
  std::vector<std::int32_t> data(250'000);
  Request again = team.persistent(by_multicast(data, 0));
  const double before = bytes_sent();
  for (int round = 0; round < 3; ++round) {
    data.assign(data.size(), -1);
    if (team.rank() == 0) fill(data, 0);
    again.start();
    again.wait();
    check(data, 0);
  }
  if (team.rank() == 0)
    std::printf("%.2f bytes sent per byte; unnamed: %s\n", (bytes_sent() - before) / 3e6,
                team.algorithm_of(calls::bcast(data, 0)).c_str());
}

}  // namespace

int main(int argc, char** argv) { return run_ranks(argc, argv, run); }
