#include <algorithm>

#include "algos/patterns/bine.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allgather_bine_2_blocks(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  co_await comm.wait(comm.copy(call.block(rank), call.in));
  // Near ranks first, so that all that a rank has is an interval of the ring of blocks: one message up to the last
  // block, and another from block 0 on where it goes on there.
  const auto upper = [=](Rank first, int blocks) { return call.block(first, std::min(blocks, size - first)); };
  const auto lower = [=](Rank first, int blocks) { return call.block(0, std::max(0, first + blocks - size)); };
  Rank first = rank;
  for (int step = 0, held = 1; held < size; ++step, held *= 2) {
    const Rank peer = bine_peer(rank, step, size);
    const bool grows_upwards = step % 2 == rank % 2;
    const Rank theirs = (grows_upwards ? first + held : first - held + size) % size;
    const bool wraps = first + held > size, theirs_wraps = theirs + held > size;
    Op their_rest = Op::none;
    if (theirs_wraps) their_rest = comm.recv(peer, lower(theirs, held), 1);
    if (wraps) co_await comm.blocking_send(peer, lower(first, held), 1);
    co_await comm.exchange(peer, upper(first, held), peer, upper(theirs, held));
    if (theirs_wraps) co_await comm.wait(their_rest);
    if (!grows_upwards) first = theirs;
  }
}

namespace {
/// In each step all intervals of so many blocks are sent, as many each; those that wrap take two messages.
double two_block_messages(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  double sent = 0;
  for (Rank rank = 0; rank < size; ++rank) {
    Rank first = rank;
    for (int step = 0, held = 1; held < size; ++step, held *= 2) {
      sent += first + held > size ? 2 : 1;
      if (step % 2 != rank % 2) first = (first - held + size) % size;
    }
  }
  return sent;
}

double steps(const Facts& facts) { return bine_steps(static_cast<int>(facts["p"])); }
/// An interval of one block does not wrap; two messages that do wait for each other.
double most_rounds(const Facts& facts) { return std::max(0.0, 2 * steps(facts) - 1); }
}  // namespace

TUTTI_ALGORITHM(allgather, "bine_2_blocks", allgather_bine_2_blocks)
    .fallback("!pow2(p)", "bine_block_by_block")
    .rounds_between(steps, most_rounds, "log2(p), and at most one more for each step but the first")
    .messages(two_block_messages, "p*log2(p), and one more for each interval that goes on at block 0")
    .bytes("(p-1)*n")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_allgather.c, "
        "allgather_bine_2_blocks");

}  // namespace tutti
