#pragma once

#include <array>
#include <vector>

#include "algos/patterns/halves.hpp"

namespace tutti {

// Two binary trees over all ranks but the root, each of which passes on half of a vector: who has children in one is a
// leaf of the other. Edges have one of two colours, so that in a step of a colour no rank sends, nor takes in, twice.
// Sanders, Speck, Traeff: Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel Computing
// 35(12), 2009.

/// An edge of a rank: the virtual rank at its other end, which tree, and the step in which the first segment passes
/// down it; the later ones do in every second step.
struct TwoTreeEdge {
  int peer, tree, first;
};
struct TwoTreePlace {
  std::vector<TwoTreeEdge> parents, children;  // one parent in each tree; none of virtual rank 0, the root
};
TwoTreePlace two_tree_place(int size, int v);

/// The vector in halves, each in segments; and in how many steps all of them have passed down all edges.
struct TwoTreeHalves {
  std::array<Segments, 2> of;
  TwoTreeHalves(const View& vector, const Call& call) : of(segmented_halves(vector, call)) {}
  /// The segment that passes down an edge in a step, or -1.
  Count passing(const TwoTreeEdge& edge, Count step) const;
  Count steps(int size) const;
};

/// Sends `vector` of the root down both trees; and sums up what all ranks have in it, into the root's. Every rank of
/// the communicator calls them. The sum is for commutative operators, and overwrites `vector` on all ranks.
Task bcast_down_two_trees(Comm comm, Call call, View vector);
Task reduce_up_two_trees(Comm comm, Call call, View vector);

/// Rounds of one of these or, where it is both, of the sum and then the broadcast; messages of one.
double two_tree_rounds(const Facts& facts, bool up, bool down);
double two_tree_messages(const Facts& facts);

}  // namespace tutti
