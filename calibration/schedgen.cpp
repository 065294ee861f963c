#include "calibration/schedgen.hpp"

#include <algorithm>

namespace tutti {
namespace {

/// A rank's children in the order in which it sends to them, once it has received from its parent (-1: the root).
struct Place {
  Rank parent = -1;
  std::vector<Rank> children;
};

Task send_down(Comm comm, Call call, Place place) {
  if (place.parent >= 0) co_await comm.wait(comm.recv(place.parent, call.out));
  for (const Rank child : place.children) co_await comm.wait(comm.send(child, call.out));
}

Task binomial_tree_bcast(Comm comm, Call call) {
  Place place;
  for (int distance = 1; distance < comm.size(); distance *= 2)
    if (comm.rank() >= distance && comm.rank() < 2 * distance)
      place.parent = comm.rank() - distance;
    else if (comm.rank() < distance && comm.rank() + distance < comm.size())
      place.children.push_back(comm.rank() + distance);
  return send_down(comm, call, place);
}

Task binary_tree_bcast(Comm comm, Call call) {
  Place place{comm.rank() == 0 ? -1 : (comm.rank() - 1) / 2, {}};
  for (const Rank child : {2 * comm.rank() + 1, 2 * comm.rank() + 2})
    if (child < comm.size()) place.children.push_back(child);
  return send_down(comm, call, place);
}

/// Every rank sends the whole message to those at distances 1, 2, 4 …, each once the one before is there.
template <bool computes>
Task dissemination(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  std::vector<Op> arrivals;
  for (int distance = 1; distance < size; distance *= 2)
    arrivals.push_back(comm.recv((rank - distance + size) % size, comm.scratch(call.out.elements())));
  for (std::size_t round = 0; round < arrivals.size(); ++round) {
    if (round > 0) {
      co_await comm.wait(arrivals[round - 1]);
      if (computes) co_await comm.wait(comm.combine(call.out, call.in, call.out));
    }
    co_await comm.wait(comm.send((rank + (1 << round)) % size, call.in));
  }
  if (!arrivals.empty()) co_await comm.wait(arrivals.back());
}

/// As many messages as ranks from each to the next, each but the first once one from the rank before is there.
Task pipelined_ring(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  std::vector<Op> arrivals;
  for (int i = 0; i < size; ++i) arrivals.push_back(comm.recv((rank - 1 + size) % size, call.block(i)));
  for (int i = 0; i < size; ++i) {
    if (i > 0) co_await comm.wait(arrivals[static_cast<std::size_t>(i) - 1]);
    co_await comm.wait(comm.send((rank + 1) % size, call.in));
  }
  co_await comm.wait(arrivals.back());
}

Task linear_alltoall(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  std::vector<Op> arrivals;
  for (int away = 1; away < size; ++away) {
    const Rank from = (rank - away + size) % size;
    arrivals.push_back(comm.recv(from, call.blocks.of(call.out, from)));
  }
  for (int away = 1; away < size; ++away) {
    const Rank to = (rank + away) % size;
    co_await comm.wait(comm.send(to, call.blocks.of(call.in, to)));
  }
  co_await comm.wait(arrivals);
}

Algorithm schedule(Collective collective, const char* name, AlgorithmFunction function, const char* messages) {
  return Algorithm(collective, name, function, __FILE__).messages(messages);
}

const std::vector<Algorithm>& schedules() {
  using enum Collective;
  static const std::vector<Algorithm> all{
      schedule(bcast, "binomialtreebcast", binomial_tree_bcast, "p-1"),
      schedule(bcast, "binarytreebcast", binary_tree_bcast, "p-1"),
      schedule(allreduce, "nwaydissemination", dissemination<true>, "p*ceil_log(p,2)"),
      schedule(allreduce, "nwaydissemination_nocompute", dissemination<false>, "p*ceil_log(p,2)"),
      schedule(allgather, "pipelinedring", pipelined_ring, "p*p"),
      schedule(alltoall, "linear_alltoall", linear_alltoall, "p*(p-1)")};
  return all;
}

}  // namespace

const Algorithm* schedgen_schedule(Collective collective, std::string_view name) {
  const auto found = std::find_if(schedules().begin(), schedules().end(), [&](const Algorithm& schedule) {
    return schedule.collective() == collective && schedule.name() == name;
  });
  return found == schedules().end() ? nullptr : &*found;
}

}  // namespace tutti
