#include "algos/patterns/bcube.hpp"

#include "algos/registry.hpp"

namespace tutti {

Task allreduce_bcube(Comm comm, Call call) {
  co_await comm.wait(comm.copy(call.out, call.in));
  const auto as_they_are = [](int place) { return place; };
  co_await reduce_in_digits(comm, Row{comm.size(), comm.rank(), as_they_are}, call.out, call.parameter("radix"));
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
