#include <algorithm>

#include "algos/patterns/circulant.hpp"
#include "algos/patterns/circulant_halving.hpp"
#include "algos/patterns/redundant_halving.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_generalized(Comm comm, Call call) {
  const int size = comm.size();
  const std::vector<int> skips = circulant_skips(size);
  const auto saved = static_cast<std::size_t>(std::min<std::int64_t>(call.parameter("saved"), skips.size() - 1));
  const Blocks blocks = Blocks::split(call.in.elements(), size);
  if (size == 1) co_await comm.wait(comm.copy(call.out, call.in));
  co_await reduce_by_redundant_halving(comm, call.in, call.out, blocks, skips, skips[saved]);
  co_await allgather_by_circulant_doubling(comm, call.out, blocks, saved);
}

namespace {

double generalized_bytes(const Facts& facts) {
  const int size = static_cast<int>(facts["p"]);
  const std::vector<int> skips = circulant_skips(size);
  const auto rounds = static_cast<double>(skips.size() - 1);
  const int kept = skips[static_cast<std::size_t>(std::min(facts["saved"], rounds))];
  if (kept == 1) return 2.0 * (size - 1) * facts["n"];  // no step saved: as few as any allreduce
  int blocks = size - kept;  // that are collected; of all ranks' ranges of so many blocks, each block is in so many
  for (const auto& pieces : sum_pieces(skips))
    for (const SumPart& part : arriving_parts(pieces, kept, size)) blocks += part.number;
  return blocks * facts["n"];
}

}  // namespace

TUTTI_ALGORITHM(allreduce, "generalized", allreduce_generalized)
    .commutative()
    .parameter("saved", 1, 0, 30)
    .tried({0, 2, 3, 4})
    .rounds("2*ceil_log(p,2)-min(saved,ceil_log(p,2))")
    .messages("p*(2*ceil_log(p,2)-min(saved,ceil_log(p,2)))")
    .bytes(generalized_bytes,
           "n for each block that is sent: by halving s-1 more than without saved steps, and p-s, s kept")
    .cite("Kolmakov, Zhang: A Generalization of the Allreduce Operation, arXiv 2004.09362")
    .deviates(
        "ranks are those of a circulant graph (Traeff, arXiv 2410.14234), where the paper takes any permutation group; "
        "sums over different ranks are held side by side where the number of ranks is no power of two");

}  // namespace tutti
