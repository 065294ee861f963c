#include "algos/patterns/bine.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allgather_bine_send_remap(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const int number = bine_number(rank, size);  // this rank collects for the rank of that number, as if it were that one
  if (number == rank)
    co_await comm.wait(comm.copy(call.block(rank), call.in));
  else
    co_await comm.exchange(bine_rank_of(rank, size), call.in, number, call.block(number));
  for (int step = bine_steps(size) - 1, held = 1; step >= 0; --step, held *= 2) {
    const Rank peer = bine_peer(rank, step, size);
    co_await comm.exchange(peer, call.block(number & -held, held), peer, call.block((number ^ held) & -held, held));
  }
}

namespace {
double moved(const Facts& facts) {  // ranks whose number is another
  const auto size = static_cast<int>(facts["p"]);
  double ranks = 0;
  for (Rank rank = 0; rank < size; ++rank) ranks += bine_number(rank, size) != rank;
  return ranks;
}
double remapped_messages(const Facts& facts) {
  return facts["p"] * bine_steps(static_cast<int>(facts["p"])) + moved(facts);
}
double remapped_bytes(const Facts& facts) {
  return (facts["p"] - 1) * facts["n"] + moved(facts) * facts["c"] * facts["e"];
}
}  // namespace

TUTTI_ALGORITHM(allgather, "bine_send_remap", allgather_bine_send_remap)
    .fallback("!pow2(p)", "bine_block_by_block")
    .rounds("log2(p) + (p > 2)")
    .messages(remapped_messages, "p*log2(p), and one of each rank that another stands for")
    .bytes(remapped_bytes, "(p-1)*n and the blocks of the ranks that others stand for")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_allgather.c, "
        "allgather_bine_send_remap and allgather_bine_send_static");

}  // namespace tutti
