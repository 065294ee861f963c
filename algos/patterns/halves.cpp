#include "algos/patterns/halves.hpp"

#include <cmath>

namespace tutti {

Task send_halves_down(Comm comm, Tree tree, std::array<Segments, 2> halves, std::size_t side) {
  const Segments& mine = halves[side];
  if (tree.parent < 0) {
    for (Count i = 0; i < halves[0].count(); ++i)
      for (std::size_t child = 0; child < tree.children.size(); ++child)
        if (i < halves[child].count()) co_await comm.blocking_send(tree.children[child], halves[child][i]);
  } else if (tree.children.empty()) {
    for (Count i = 0; i < mine.count(); ++i) co_await comm.wait(comm.recv(tree.parent, mine[i]));
  } else {
    Op next = comm.recv(tree.parent, mine[0]);
    for (Count i = 0; i < mine.count(); ++i) {
      const Op current = next;
      if (i + 1 < mine.count()) next = comm.recv(tree.parent, mine[i + 1]);
      co_await comm.wait(current);
      for (const Rank child : tree.children) co_await comm.blocking_send(child, mine[i]);
    }
  }
}

std::array<double, 2> segments_of_halves(const Facts& facts) {
  const double each = facts["segment"] == 0 ? facts["c"] : std::max(1.0, std::floor(facts["segment"] / facts["e"]));
  const auto in = [&](double half) { return std::max(1.0, std::ceil(half / std::max(1.0, each))); };
  return {in(std::ceil(facts["c"] / 2)), in(std::floor(facts["c"] / 2))};
}

}  // namespace tutti
