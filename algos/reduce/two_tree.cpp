#include "algos/patterns/two_tree.hpp"

namespace tutti {

Task reduce_two_tree(Comm comm, Call call) {
  const Rank rank = comm.rank();
  const TwoTrees which = call.commutative() ? TwoTrees::of_root : TwoTrees::in_order;
  const View sum = rank == call.root ? call.out : comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));
  co_await reduce_up_two_trees(comm, call, sum, which);
  if (which == TwoTrees::of_root) co_return;
  for (const TwoTreeResult& result : two_tree_results(comm.size(), sum)) {
    if (result.at == call.root) continue;
    if (rank == result.at) comm.send(call.root, result.part);
    if (rank == call.root) comm.recv(result.at, result.part);
  }
}

namespace {

double rounds_up(const Facts& facts) {
  if (facts["commutative"] != 0) return two_tree_rounds(facts, {TwoTrees::of_root, true, false});
  return two_tree_rounds(facts, {TwoTrees::in_order, true, false, static_cast<Rank>(facts["root"])});
}

/// Bytes and messages of what is then taken to the root.
std::vector<TwoTreeResult> taken(const Facts& facts) {
  const auto elements = static_cast<Count>(facts["c"]);
  std::vector<TwoTreeResult> results;
  if (facts["commutative"] != 0) return results;
  for (const TwoTreeResult& result : two_tree_results(static_cast<int>(facts["p"]), View::contiguous(0, 0, elements)))
    if (result.at != static_cast<Rank>(facts["root"])) results.push_back(result);
  return results;
}
double messages_up(const Facts& facts) { return two_tree_messages(facts) + static_cast<double>(taken(facts).size()); }
double bytes_up(const Facts& facts) {
  Count elements = 0;
  for (const TwoTreeResult& result : taken(facts)) elements += result.part.elements();
  return (facts["p"] - 1) * facts["n"] + static_cast<double>(elements) * facts["e"];
}

}  // namespace

TUTTI_ALGORITHM(reduce, "two_tree", reduce_two_tree)
    .parameter("segment", 64 << 10, 0)
    .rounds(rounds_up, "those of bcast/two_tree in reverse; or up trees in order and to the root")
    .messages(messages_up, "(p-1)*(segments of both halves), and where operands keep their order up to 2 to the root")
    .bytes(bytes_up, "(p-1)*n, and where operands keep their order what of n is not yet at the root")
    .cite(
        "Sanders, Speck, Traeff: Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel "
        "Computing 35(12), 2009, section 5")
    .deviates(
        "where operators do not commute, trees in order end in rank 0 and, of an even number of ranks, the last one, "
        "and what is there is then sent to the root");

}  // namespace tutti
