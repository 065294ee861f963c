#include <algorithm>
#include <vector>

#include "algos/patterns/recursive_doubling.hpp"
#include "algos/patterns/scatter_for_bcast.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task bcast_scatter_recursive_doubling(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const auto real = [&](int v) { return real_rank(v, call.root, size); };
  const CeilingBlocks blocks(call.out.elements(), size);
  co_await scatter_for_bcast(comm, call);
  for (int distance = 1; distance < size; distance *= 2) {
    const int partner = vrank ^ distance, own = vrank & -distance, other = own ^ distance;  // first of the two subtrees
    if (other >= size) continue;
    const View its = blocks.of(call.out, other, distance);
    if (partner < size) co_await comm.exchange(real(partner), blocks.of(call.out, own, distance), real(partner), its);
    const int had = size - other;
    if (had < distance) co_await pass_on_by_halving(comm, call.root, distance, had, its);
  }
}

namespace {

double scatter_doubling_rounds(const Facts& facts) {
  const std::vector<int> ends = after_recursive_doubling(scatter_for_bcast_ends(facts));
  return *std::max_element(ends.begin(), ends.end());
}
double scatter_doubling_messages(const Facts& facts) {
  return scatter_for_bcast_messages(facts) + recursive_doubling_messages(static_cast<int>(facts["p"]));
}
double scatter_doubling_bytes(const Facts& facts) {
  return scatter_for_bcast_bytes(facts) + (facts["p"] - 1) * facts["n"];
}

}  // namespace

TUTTI_ALGORITHM(bcast, "scatter_recursive_doubling", bcast_scatter_recursive_doubling)
    .fallback("c < p", "linear")
    .rounds(scatter_doubling_rounds, "2*log2(p) where p is a power of two, else a few more for those without a partner")
    .messages(
        scatter_doubling_messages,
        "ceil(c/ceil(c/p))-1 + p*ceil_log(p,2), less one for each rank and step where the other subtree is missing")
    .bytes(scatter_doubling_bytes, "(p-1)*n + each block times the bits set in its virtual rank")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005, section 4.3")
    .deviates("MPICH has no fall-back for few elements, and takes its blocks in bytes.");

}  // namespace tutti
