#include <algorithm>
#include <vector>

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
    // Where the other subtree is cut short, those who had a partner in it pass on what they got, by halving.
    const int had = size - other;
    for (int half = distance / 2; half > 0 && had < distance; half /= 2) {
      const int place = vrank % (2 * half);
      if (place < half && place < had && place + half >= had)
        co_await comm.blocking_send(real(vrank + half), its);
      else if (place >= half && place - half < had && place >= had)
        co_await comm.wait(comm.recv(real(vrank - half), its));
    }
  }
}

namespace {
/// Each rank's clock: a message takes both to the round after the later one.
double scatter_doubling_rounds(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  std::vector<int> clock = scatter_for_bcast_ends(facts);
  const auto meet = [&](int a, int b) {
    auto &x = clock[static_cast<std::size_t>(a)], &y = clock[static_cast<std::size_t>(b)];
    x = y = std::max(x, y) + 1;
  };
  for (int distance = 1; distance < size; distance *= 2)
    for (int low = 0; low + distance < size; low += 2 * distance) {
      const int had = std::min(distance, size - low - distance);  // ranks of the lower subtree with a partner
      for (int v = low; v < low + had; ++v) meet(v, v + distance);
      for (int half = distance / 2, have = had; have < distance; half /= 2, have *= 2)
        for (int v = low; v + half < low + distance; ++v)
          if ((v - low) % (2 * half) < std::min(half, had) && (v - low) % (2 * half) + half >= had) meet(v, v + half);
    }
  return *std::max_element(clock.begin(), clock.end());
}
double scatter_doubling_messages(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  double messages = scatter_for_bcast_messages(facts);
  for (int distance = 1; distance < size; distance *= 2) {
    const int rest = size % (2 * distance);  // ranks of the last, incomplete pair of subtrees
    messages += rest <= distance ? size - rest : size;
  }
  return messages;
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
