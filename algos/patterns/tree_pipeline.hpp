#pragma once

#include "algos/call.hpp"
#include "algos/patterns/tree.hpp"
#include "algos/registry.hpp"

namespace tutti {

/// Sends `call.out` of the tree's root down the tree, segment by segment (parameter `segment`): a rank posts the
/// receive of the next segment, waits for this one, and sends it to all its children at once. Every rank of the
/// communicator calls it with its place (real ranks).
Task bcast_pipeline_down(Comm comm, Call call, Tree tree);

/// Reduces `call.in` up the tree into `call.out` of the tree's root, segment by segment, two receives outstanding, each
/// child's segments in the order of children. Operands are combined as (last child, …, first child, own).
Task reduce_pipeline_up(Comm comm, Call call, Tree tree);

/// Rounds in which segments, of which each goes up the tree of all ranks and then down again, have come down; a rank
/// waits for what goes up, child after child, and for what comes down, not for what it sends down.
double up_and_down_rounds(const std::vector<Tree>& tree, Rank root, double segments);

/// Rounds in which a rank that takes in one message a round, two receives outstanding, has taken in one from each
/// child; child i can send from the end of round ready[i] on, the rank itself receives from the end of `start` on.
int rounds_to_take_in(const std::vector<int>& ready, int start = 0);

/// The round at whose end rank v has the sum of its subtree: reduce_pipeline_up with one segment, which each rank
/// begins at the end of round start(v).
template <class Shape, class Start>
int sum_complete(Rank v, Shape shape, Start start) {
  std::vector<int> ready;
  for (const Rank child : shape(v).children) ready.push_back(sum_complete(child, shape, start));
  return rounds_to_take_in(ready, start(v));
}
template <class Shape>
int sum_complete(Rank v, Shape shape) {
  return sum_complete(v, shape, [](Rank) { return 0; });
}

/// Rounds of reduce_pipeline_up where no rank has more children than the root, which takes in each segment in as many
/// rounds as it has children.
template <class Shape>
double reduce_pipeline_rounds(const Facts& facts, Rank root, Shape shape) {
  return (facts["segments"] - 1) * static_cast<double>(shape(root).children.size()) + sum_complete(root, shape);
}

}  // namespace tutti
