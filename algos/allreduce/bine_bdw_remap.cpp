#include "algos/patterns/bine.hpp"
#include "algos/patterns/recursive_halving.hpp"

namespace tutti {
namespace {

HalvingStep bine_order(int number, int step, int core) {
  return {bine_peer(number, step, core), (bine_number(number, core) & core >> (step + 1)) != 0};
}

}  // namespace

Task allreduce_bine_bdw_remap(Comm comm, Call call) {
  const Fold fold(comm.size());
  const Rank rank = comm.rank(), partner = fold.partner(rank);
  if (!fold.takes_part(rank)) {
    co_await comm.blocking_send(partner, call.in);
    co_await comm.wait(comm.recv(partner, call.out));
    co_return;
  }
  co_await comm.wait(comm.copy(call.out, call.in));
  if (fold.paired(rank)) {
    const View theirs = comm.scratch(call.out.elements());
    co_await comm.wait(comm.recv(partner, theirs));
    co_await comm.wait(comm.combine(call.out, theirs, call.out));
  }
  const std::vector<Halving> steps = halvings(fold, fold.core_number(rank), call.out, bine_order);
  co_await reduce_scatter_in_segments(comm, call, steps);
  co_await allgather_by_doubling(comm, steps);
  if (fold.paired(rank)) co_await comm.blocking_send(partner, call.out);
}

namespace {

HalvingCounts remapped_counts(const Facts& facts) {
  const Fold fold(static_cast<int>(facts["p"]));
  const HalvingCounts core = count_in_segments(facts, fold.core, bine_order);
  return {core.rounds + (fold.extra > 0 ? 2 : 0), core.messages + 2 * fold.extra};
}
double remapped_rounds(const Facts& facts) { return remapped_counts(facts).rounds; }
double remapped_messages(const Facts& facts) { return remapped_counts(facts).messages; }

}  // namespace

TUTTI_ALGORITHM(allreduce, "bine_bdw_remap", allreduce_bine_bdw_remap)
    .parameter("segment", 0, 0)
    .tried({128 << 10})
    .commutative()
    .rounds(remapped_rounds, "2*floor_log(p,2) + (pow2(p) ? 0 : 2), and one more for each further segment of a half")
    .messages(remapped_messages,
              "2*P*log2(P) + 2*(p-P), P = 2^floor(log2(p)), and one more for each further segment of a half")
    .bytes("2*(p-1)*n")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_allreduce.c, "
        "allreduce_bine_bdw_remap and allreduce_bine_bdw_remap_segmented");

}  // namespace tutti
