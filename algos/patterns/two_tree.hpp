#pragma once

#include <array>
#include <vector>

#include "algos/patterns/halves.hpp"

namespace tutti {

// Two binary trees over all ranks but the root, each of which passes on half of a vector: who has children in one is a
// leaf of the other. Edges have one of two colours, so that in a step of a colour no rank sends, nor takes in, twice.
// Sanders, Speck, Traeff: Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel Computing
// 35(12), 2009.

/// All ranks but the root, counted from it on, are in both trees. Or operands stay in order: ranks below a rank are a
/// range of ranks, those of each child all lower or all higher. Then both trees end in rank 0, or, of an even number of
/// ranks, the second one in the last: the trees that end in one place are mirror images where their ranks are even,
/// else one is shifted, around the end of all ranks.
enum class TwoTrees { of_root, in_order };

/// An edge of a rank: the virtual rank at its other end, which tree, and the step in which the first segment passes
/// down it; the later ones do in every second step.
struct TwoTreeEdge {
  int peer, tree, first;
};
struct TwoTreePlace {
  std::vector<TwoTreeEdge> parents, children;  // one parent in each tree, but where the tree ends
};
TwoTreePlace two_tree_place(int size, int v, TwoTrees which = TwoTrees::of_root);

/// What of the sum of all is where the trees in order end.
struct TwoTreeResult {
  Rank at;
  View part;
};
std::vector<TwoTreeResult> two_tree_results(int size, const View& vector);

/// The vector in halves, each in segments; and in how many steps all of them have passed down all edges.
struct TwoTreeHalves {
  std::array<Segments, 2> of;
  TwoTreeHalves(const View& vector, const Call& call) : of(segmented_halves(vector, call)) {}
  /// The segment that passes down an edge in a step, or -1.
  Count passing(const TwoTreeEdge& edge, Count step) const;
  Count steps(int size, TwoTrees which) const;
};

/// Sends down both trees what of `vector` is where they end; and sums up there what all ranks have in it, which
/// overwrites it on all ranks. Every rank of the communicator calls them. The sum over the root's trees is for
/// commutative operators.
Task bcast_down_two_trees(Comm comm, Call call, View vector, TwoTrees which);
Task reduce_up_two_trees(Comm comm, Call call, View vector, TwoTrees which);

/// Rounds of the sum, the broadcast, or one after the other, or of the sum and what takes its parts to a rank; messages
/// of one of the first two.
struct TwoTreeWays {
  TwoTrees which;
  bool up, down;
  Rank to = -1;
};
double two_tree_rounds(const Facts& facts, TwoTreeWays ways);
double two_tree_messages(const Facts& facts);

}  // namespace tutti
