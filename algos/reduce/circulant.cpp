#include "algos/patterns/circulant.hpp"

#include <vector>

#include "algos/patterns/segments.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_circulant(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const View sum = vrank == 0 ? call.out : comm.scratch(call.in.elements());
  const Segments blocks(sum, call);
  const View arrived = comm.scratch(size > 1 ? blocks[0].elements() : 0);
  co_await comm.wait(comm.copy(sum, call.in));
  const std::vector<CirculantRound> rounds = circulant_bcast_rounds(size, vrank, blocks.count());
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {  // the broadcast backwards
    Op taken = Op::none, given = Op::none;
    const View mine = round->sent < 0 ? arrived : blocks[round->sent], theirs = arrived.slice(0, mine.elements());
    if (round->sent >= 0) taken = comm.recv(real_rank(round->to, call.root, size), theirs);
    if (round->received >= 0) given = comm.send(real_rank(round->from, call.root, size), blocks[round->received]);
    if (round->sent >= 0) {
      co_await comm.wait(taken);
      co_await comm.wait(comm.combine(mine, theirs, mine));
    }
    if (round->received >= 0) co_await comm.wait(given);
  }
}

TUTTI_ALGORITHM(reduce, "circulant", reduce_circulant)
    .parameter("segment", 64 << 10, 0)
    .commutative()
    .rounds("p == 1 ? 0 : segments - 1 + ceil_log(p,2)")
    .messages("(p-1)*segments")
    .bytes("(p-1)*n")
    .cite(
        "Traeff: Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast, All-Broadcast, "
        "Reduction and All-Reduction, arXiv 2407.18004");

}  // namespace tutti
