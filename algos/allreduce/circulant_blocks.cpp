#include "algos/patterns/all_broadcast.hpp"

namespace tutti {
namespace {

Task allreduce_circulant_blocks(Comm comm, Call call) {
  const Blocks blocks = Blocks::split(call.out.elements(), comm.size());
  const Count segments = segments_of_largest(blocks, call);
  co_await comm.wait(comm.copy(call.out, call.in));
  co_await all_reduction(comm, call.out, blocks, segments);
  co_await all_broadcast(comm, call.out, blocks, segments);
}

double twice_the_rounds(const Facts& facts) { return 2 * split_all_broadcast_rounds(facts); }
double twice_the_messages(const Facts& facts) { return 2 * split_all_broadcast_messages(facts); }

}  // namespace

TUTTI_ALGORITHM(allreduce, "circulant_blocks", allreduce_circulant_blocks)
    .parameter("segment", 64 << 10, 0)
    .commutative()
    .rounds(twice_the_rounds, "2*(segments of the largest block - 1 + ceil_log(p,2))")
    .messages(twice_the_messages, "two of a rank for each round in which it has a segment to send, not an empty one")
    .bytes("2*(p-1)*n")
    .cite(kAllBroadcast);

}  // namespace tutti
