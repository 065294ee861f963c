#include "runtime/bench/room.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

#include "base/error.hpp"

namespace tutti::bench {
namespace {

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g GiB", bytes / (1 << 30));
  return text;
}

}  // namespace

double memory_bytes() {
  double least = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  for (const char* limit : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    double bytes = 0;  // "max" where there is none
    if (std::ifstream(limit) >> bytes && bytes > 0) least = std::min(least, bytes);
  }
  return least;
}

Room::Room(Team& team) : layout_(team.layout()) {
  std::vector<double> least{memory_bytes()};
  team.allreduce(least, Predefined::minimum);
  memory_bytes_ = least[0];
}

void Room::expect_calls(const std::string& what, const Case& c, int calls) const {
  std::map<int, std::pair<double, int>> nodes;  // bytes and ranks
  for (Rank rank = 0; rank < layout_.size(); ++rank) {
    auto& [bytes, ranks] = nodes[layout_.node[rank]];
    const BufferSizes sizes = buffer_sizes(c, rank);
    bytes += (static_cast<double>(sizes.in) + static_cast<double>(sizes.out)) * c.element_bytes * calls;
    ++ranks;
  }
  for (const auto& [node, need] : nodes) expect(what, need.first, need.second);
}

void Room::expect_bytes(const std::string& what, double bytes_per_rank) const {
  std::map<int, int> ranks_of;
  for (const int node : layout_.node) ++ranks_of[node];
  for (const auto& [node, ranks] : ranks_of) expect(what, bytes_per_rank * ranks, ranks);
}

void Room::expect(const std::string& what, double bytes, int ranks) const {
  if (bytes <= memory_bytes_) return;
  throw InputError(what + ": the buffers of a node's " + std::to_string(ranks) + " ranks take " + gigabytes(bytes) +
                   ", expected at most its memory, " + gigabytes(memory_bytes_));
}

}  // namespace tutti::bench
