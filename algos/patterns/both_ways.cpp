#include "algos/patterns/both_ways.hpp"

#include <algorithm>
#include <numeric>

namespace tutti {
namespace {

int blocks_below(const std::vector<BothWays>& steps) {
  return std::accumulate(steps.begin(), steps.end(), 0, [](int sum, const BothWays& step) { return sum + step.left; });
}

}  // namespace

std::vector<BothWays> both_ways_steps(int size) {
  std::vector<BothWays> steps;
  for (std::int64_t width = 1; width < size; width *= 3) {
    const auto more = static_cast<int>(std::min(2 * width, size - width));
    steps.push_back({static_cast<int>(width), more / 2, more - more / 2});
  }
  return steps;
}

Rotation both_ways_window(Blocks blocks, Rank rank, const std::vector<BothWays>& steps) {
  return {blocks, (rank - blocks_below(steps) + blocks.parts) % blocks.parts};
}

View both_ways_own(const View& work, const Rotation& window, const std::vector<BothWays>& steps) {
  return window.of(work, blocks_below(steps), 1);
}

Task collect_both_ways(Comm comm, View work, Rotation window, std::vector<BothWays> steps) {
  const int size = comm.size(), rank = comm.rank();
  int low = blocks_below(steps);
  std::vector<Op> ops;
  for (const auto [away, left, right] : steps) {
    const Rank up = (rank + away) % size, down = (rank - away + size) % size;
    ops.clear();
    if (left > 0) ops.push_back(comm.recv(down, window.of(work, low - left, left)));
    ops.push_back(comm.recv(up, window.of(work, low + away, right)));
    if (left > 0) ops.push_back(comm.send(up, window.of(work, low + away - left, left)));
    ops.push_back(comm.send(down, window.of(work, low, right)));
    co_await comm.wait(ops);
    low -= left;
  }
}

Task reduce_both_ways(Comm comm, View work, Rotation window, std::vector<BothWays> steps) {
  const int size = comm.size(), rank = comm.rank();
  int low = 0;
  std::vector<Op> ops;
  for (; !steps.empty(); steps.pop_back()) {
    const auto [away, left, right] = steps.back();
    const Rank up = (rank + away) % size, down = (rank - away + size) % size;
    low += left;
    const View top = window.of(work, low + away - left, left), bottom = window.of(work, low, right);
    const View for_top = comm.scratch(top.elements()), for_bottom = comm.scratch(bottom.elements());
    ops.clear();
    if (left > 0) ops.push_back(comm.recv(up, for_top));
    ops.push_back(comm.recv(down, for_bottom));
    if (left > 0) ops.push_back(comm.send(down, window.of(work, low - left, left)));
    ops.push_back(comm.send(up, window.of(work, low + away, right)));
    co_await comm.wait(ops);
    if (left > 0) co_await comm.wait(comm.combine(top, for_top, top));
    co_await comm.wait(comm.combine(bottom, for_bottom, bottom));
  }
}

}  // namespace tutti
