#include "algos/patterns/combine_in_order.hpp"
#include "algos/patterns/mixed_radix.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_bcube(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Blocks blocks = Blocks::split(call.out.elements(), size);
  const auto radices = mixed_radices(size, call.parameter("radix"));
  co_await comm.wait(comm.copy(call.out, call.in));
  std::vector<Op> ops;
  int low = 0, n = size, distance = 1;  // the blocks that are still this rank's concern: n from `low` on
  const auto run = [&](int first, int of) { return blocks.of(call.out, first + of * n, n); };
  for (const int radix : radices) {  // reduce-scatter among those that differ in one digit, nearest first
    const int digit = rank / distance % radix;
    n /= radix;
    const View mine = run(low, digit), inbox = comm.scratch((radix - 1) * mine.elements());
    const auto place = [&](int from) {
      return inbox.slice((from < digit ? from : from - 1) * mine.elements(), mine.elements());
    };
    exchange_in_digit(comm, radix, distance, ops, place, [&](int to) { return run(low, to); });
    co_await comm.wait(ops);
    co_await combine_in_order(comm, mine, inbox, radix, digit);
    low += digit * n;
    distance *= radix;
  }
  for (auto radix = radices.rbegin(); radix != radices.rend(); ++radix, n *= *(radix - 1)) {  // allgather: backwards
    distance /= *radix;
    const int first = low - rank / distance % *radix * n;
    exchange_in_digit(
        comm, *radix, distance, ops, [&](int from) { return run(first, from); }, [&](int) { return run(low, 0); });
    co_await comm.wait(ops);
    low = first;
  }
}

namespace {

double bcube_rounds(const Facts& f) {
  return 2 * met_in_digits(static_cast<int>(f["p"]), static_cast<std::int64_t>(f["radix"]));
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
