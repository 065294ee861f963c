#include <algorithm>
#include <vector>

#include "algos/patterns/combine_in_order.hpp"
#include "algos/patterns/mixed_radix.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_bcube(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Blocks blocks = Blocks::split(call.out.elements(), size);
  const auto radices = mixed_radices(size, static_cast<int>(std::min<std::int64_t>(call.parameter("radix"), size)));
  co_await comm.wait(comm.copy(call.out, call.in));
  std::vector<Op> ops;
  int low = 0, n = size, distance = 1;  // the blocks that are still this rank's concern: n from `low` on
  for (const int radix : radices) {     // reduce-scatter among those that differ in one digit, nearest first
    const int digit = rank / distance % radix;
    n /= radix;
    const View mine = blocks.of(call.out, low + digit * n, n);
    const View inbox = comm.scratch((radix - 1) * mine.elements());
    ops.clear();
    for (int i = 1; i < radix; ++i) {
      const int to = (digit + i) % radix, from = (digit - i + radix) % radix;
      ops.push_back(comm.recv(rank + (from - digit) * distance,
                              inbox.slice((from < digit ? from : from - 1) * mine.elements(), mine.elements())));
      ops.push_back(comm.send(rank + (to - digit) * distance, blocks.of(call.out, low + to * n, n)));
    }
    co_await comm.wait(ops);
    co_await combine_in_order(comm, mine, inbox, radix, digit);
    low += digit * n;
    distance *= radix;
  }
  for (auto radix = radices.rbegin(); radix != radices.rend(); ++radix, n *= *(radix - 1)) {  // allgather: backwards
    distance /= *radix;
    const int digit = rank / distance % *radix, first = low - digit * n;
    ops.clear();
    for (int i = 1; i < *radix; ++i) {
      const int to = (digit + i) % *radix, from = (digit - i + *radix) % *radix;
      ops.push_back(comm.recv(rank + (from - digit) * distance, blocks.of(call.out, first + from * n, n)));
      ops.push_back(comm.send(rank + (to - digit) * distance, blocks.of(call.out, low, n)));
    }
    co_await comm.wait(ops);
    low = first;
  }
}

namespace {
double bcube_rounds(const Facts& f) {
  double rounds = 0;
  for (const int radix : mixed_radices(static_cast<int>(f["p"]), static_cast<int>(std::min(f["radix"], f["p"]))))
    rounds += 2 * (radix - 1);
  return rounds;
}
double bcube_messages(const Facts& f) { return f["p"] * bcube_rounds(f); }
}  // namespace

TUTTI_ALGORITHM(allreduce, "bcube", allreduce_bcube)
    .parameter("radix", 4, 2)
    .rounds(bcube_rounds, "2*sum of f-1 over factors f of p, the largest up to `radix` or else prime")
    .messages(bcube_messages, "p for each round")
    .bytes("2*(p-1)*n")
    .cite("Gloo, allreduce BCUBE: gloo/allreduce_bcube.h, after Guo et al.: BCube, SIGCOMM 2009")
    .deviates("factors of p where Gloo wants a power of one base; operands stay in order");

}  // namespace tutti
