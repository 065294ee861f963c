#include "runtime/bench/point_to_point.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "algos/task.hpp"

namespace tutti::bench {
namespace {

using Clock = std::chrono::steady_clock;

// The call is a bcast's: its one buffer holds as many messages as are under way at once.

/// So often there and back that neither the clock nor the start of a call counts.
template <int times>
Task ping_pong(Comm comm, Call call) {
  if (comm.rank() > 1) co_return;
  const Rank other = 1 - comm.rank();
  for (int i = 0; i < times; ++i) {
    if (comm.rank() == 0) co_await comm.wait(comm.send(other, call.out));
    co_await comm.wait(comm.recv(other, call.out));
    if (comm.rank() == 1) co_await comm.wait(comm.send(other, call.out));
  }
}

/// `window` messages at once, then an empty one back when all have come.
template <int window, bool both>
Task stream(Comm comm, Call call) {
  if (comm.rank() > 1) co_return;
  const Rank other = 1 - comm.rank();
  const Count size = call.out.elements() / (both ? 2 * window : window);
  const View outgoing = call.out.slice(0, size), nothing = call.out.slice(0, 0);
  std::vector<Op> ops;
  if (both || comm.rank() == 1)
    for (int i = 0; i < window; ++i)
      ops.push_back(comm.recv(other, call.out.slice((both ? window + i : i) * size, size)));
  if (both || comm.rank() == 0)
    for (int i = 0; i < window; ++i) ops.push_back(comm.send(other, outgoing));
  co_await comm.wait(ops);
  if (comm.rank() == 1)
    co_await comm.wait(comm.send(other, nothing));
  else
    co_await comm.wait(comm.recv(other, nothing));
}

struct Shape {
  AlgorithmFunction function;
  int window;         // messages of one direction at once
  double messages;    // that one repetition's time is divided by
  std::int64_t room;  // buffers, in messages
};

Shape shape_of(Pattern pattern, std::int64_t bytes) {
  if (pattern == Pattern::latency)
    return bytes <= 4096 ? Shape{ping_pong<100>, 1, 200, 1} : Shape{ping_pong<4>, 1, 8, 1};
  const bool both = pattern == Pattern::bidirectional;
  if (bytes <= (1 << 20)) return {both ? stream<64, true> : stream<64, false>, 64, 64, both ? 128 : 64};
  return {both ? stream<8, true> : stream<8, false>, 8, 8, both ? 16 : 8};
}

}  // namespace

double pair_buffer_bytes(Pattern pattern, std::int64_t bytes) {
  return static_cast<double>(shape_of(pattern, bytes).room) * static_cast<double>(bytes);
}

PairRow measure_pair(Team& team, Pattern pattern, std::int64_t bytes, double budget_seconds) {
  if (team.size() < 2) throw std::invalid_argument("a point-to-point measurement needs two ranks");
  const Shape shape = shape_of(pattern, bytes);
  std::vector<std::uint8_t> data(static_cast<std::size_t>(shape.room * bytes), 1);
  const CollectiveCall call = calls::bcast(data).by(shape.function);
  const auto once = [&] {
    const auto begin = Clock::now();
    team.run(call);
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  once();
  std::vector<double> seconds(static_cast<std::size_t>(repetitions(team, once(), budget_seconds)));
  for (double& one : seconds) {
    team.barrier();
    one = once() / shape.messages;
  }
  team.bcast(seconds, 0);
  std::sort(seconds.begin(), seconds.end());
  PairRow row;
  row.bytes = bytes;
  row.iterations = static_cast<std::int64_t>(seconds.size());
  row.window = shape.window;
  row.median = seconds[seconds.size() / 2];
  row.minimum = seconds.front();
  row.average = std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  return row;
}

}  // namespace tutti::bench
