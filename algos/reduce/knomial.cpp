#include <algorithm>

#include "algos/patterns/tree.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_knomial(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const auto radix = static_cast<int>(std::min<std::int64_t>(call.parameter("radix"), std::max(size, 2)));
  const Tree tree = rooted_at(call.root, size, knomial_tree(size, vrank, radix));
  const Count each = call.in.elements();
  const View sum = comm.scratch(each), incoming = comm.scratch(each * static_cast<Count>(tree.children.size()));
  const auto from = [&](std::size_t child) { return incoming.slice(static_cast<Count>(child) * each, each); };

  co_await comm.wait(comm.copy(sum, call.in));
  std::vector<Op> arriving;
  for (std::size_t i = 0; i < tree.children.size(); ++i) arriving.push_back(comm.recv(tree.children[i], from(i)));
  co_await comm.wait(arriving);
  for (std::size_t i = 0; i < tree.children.size(); ++i) co_await comm.wait(comm.combine(sum, from(i), sum));
  if (tree.parent < 0)
    co_await comm.wait(comm.copy(call.out, sum));
  else
    co_await comm.blocking_send(tree.parent, sum);
}

namespace {
/// The round at whose end virtual rank v has its sum: it takes in its children's, one a round, as they come.
int sum_complete_at(int size, int radix, int v) {
  std::vector<int> ready;
  for (const int child : knomial_tree(size, v, radix).children) ready.push_back(sum_complete_at(size, radix, child));
  std::sort(ready.begin(), ready.end());
  int round = 0;
  for (const int sent : ready) round = std::max(round, sent) + 1;
  return round;
}
double knomial_rounds(const Facts& facts) {
  const double radix = std::min(facts["radix"], std::max(facts["p"], 2.0));
  return sum_complete_at(static_cast<int>(facts["p"]), static_cast<int>(radix), 0);
}
}  // namespace

TUTTI_ALGORITHM(reduce, "knomial", reduce_knomial)
    .parameter("radix", 4, 2)
    .commutative()
    .rounds(knomial_rounds, "the sum of a k-nomial tree, each rank taking in one child's a round")
    .messages("p-1")
    .bytes("(p-1)*n")
    .cite("Open MPI main (after 5.0), coll/base: k-nomial tree, all children received before anything is combined");

}  // namespace tutti
