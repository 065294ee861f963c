#include <vector>

#include "algos/patterns/combine_in_order.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_recursive_multiplying(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Count elements = call.out.elements(), radix = call.parameter("radix");
  Count core = 1;  // the largest power of the radix; the ranks above fold to their remainder
  while (core * radix <= size) core *= radix;
  co_await comm.wait(comm.copy(call.out, call.in));
  if (rank >= core) {
    co_await comm.blocking_send(static_cast<Rank>(rank % core), call.out);
    co_await comm.wait(comm.recv(static_cast<Rank>(rank % core), call.out));
    co_return;
  }
  std::vector<Rank> folded;
  for (Count r = rank + core; r < size; r += core) folded.push_back(static_cast<Rank>(r));
  const int fold = static_cast<int>(folded.size());
  const View inbox = comm.scratch(std::max<Count>(fold, core > 1 ? radix - 1 : 0) * elements);
  const auto slot = [=](std::size_t i) { return inbox.slice(static_cast<Count>(i) * elements, elements); };

  std::vector<Op> ops;
  for (const Rank from : folded) ops.push_back(comm.recv(from, slot(ops.size())));
  co_await comm.wait(ops);
  co_await combine_in_order(comm, call.out, inbox, fold + 1, fold);

  for (Count distance = 1; distance < core; distance *= radix) {
    const auto place = static_cast<int>(rank / distance % radix);
    ops.clear();
    for (int other = 0; other < radix; ++other)
      if (other != place) {
        const auto peer = static_cast<Rank>(rank + (other - place) * distance);
        const std::size_t i = ops.size() / 2;
        ops.push_back(comm.send(peer, call.out));
        ops.push_back(comm.recv(peer, slot(i)));
      }
    co_await comm.wait(ops);
    co_await combine_in_order(comm, call.out, inbox, static_cast<int>(radix), place);
  }

  ops.clear();
  for (const Rank to : folded) ops.push_back(comm.send(to, call.out));
  co_await comm.wait(ops);
}

TUTTI_ALGORITHM(allreduce, "recursive_multiplying", allreduce_recursive_multiplying)
    .parameter("radix", 2, 2)
    .ports("k-1")
    .requires_that("commutative || p == pow(k,floor_log(p,k))",
                   "a commutative operator, or a power of the radix of ranks")
    .rounds("floor_log(p,k) + (p == pow(k,floor_log(p,k)) ? 0 : 2)")
    .messages("pow(k,floor_log(p,k))*(k-1)*floor_log(p,k) + 2*(p - pow(k,floor_log(p,k)))")
    .bytes("(pow(k,floor_log(p,k))*(k-1)*floor_log(p,k) + 2*(p - pow(k,floor_log(p,k))))*n")
    .cite("Ruefenacht, Bull, Booth: Generalisation of recursive doubling for AllReduce, Parallel Computing 2017");

}  // namespace tutti
