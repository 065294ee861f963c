#include "algos/patterns/two_tree.hpp"

namespace tutti {

Task bcast_two_tree(Comm comm, Call call) { co_await bcast_down_two_trees(comm, call, call.out, TwoTrees::of_root); }

namespace {
double rounds_down(const Facts& facts) { return two_tree_rounds(facts, {TwoTrees::of_root, false, true}); }
}  // namespace

TUTTI_ALGORITHM(bcast, "two_tree", bcast_two_tree)
    .parameter("segment", 64 << 10, 0)
    .rounds(rounds_down, "the latest first arrival in the two trees (about 2*log2(p)) + 2*(segments of a half - 1)")
    .messages(two_tree_messages, "(p-1)*(segments of both halves)")
    .bytes("(p-1)*n")
    .cite(
        "Sanders, Speck, Traeff: Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel "
        "Computing 35(12), 2009, section 4")
    .deviates("edges are coloured by walking along all paths of both trees, O(p), where the paper does it in O(log p)");

}  // namespace tutti
