// What peers offer is fetched, piece by piece over all rails in turn; one-sided accesses go the same way.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/verbs/verbs.hpp"

namespace tutti::verbs {

void Verbs::accept(Rank from, std::uint64_t offer, const Region& into, Ticket ticket) {
  const auto id = static_cast<std::uint32_t>(offer);
  Fetch& fetching = fetches_[id];
  fetching.into = into;
  fetching.ticket = ticket;
  fetching.memory = leases_.take(into, fetching.bytes);
  if (!fetching.memory)
    return fail(from,
                "cannot register " + std::to_string(fetching.bytes) + " bytes to receive: " + std::strerror(errno));
  peers_[from].fetching.push_back(id);
  fetch(from);
}

/// Asks for the pieces of accepted offers and of one-sided accesses, as far as there is room. Pieces go over the rails
/// in turn.
void Verbs::fetch(Rank rank) {
  Peer& peer = peers_[rank];
  while (peer.state == Peer::State::connected && !peer.fetching.empty()) {
    const std::uint32_t id = peer.fetching.front();
    Fetch& fetching = fetches_[id];
    std::byte* const first = fetching.memory.first(fetching.into);
    while (fetching.asked < fetching.bytes) {
      const std::size_t rail = fetching.asked / kPieceBytes % peer.connection->rails();
      if (!has_room(peer, rail)) return block(rank);
      const std::uint64_t bytes = std::min<std::uint64_t>(kPieceBytes, fetching.bytes - fetching.asked);
      ibv_sge piece{reinterpret_cast<std::uintptr_t>(first + fetching.asked), static_cast<std::uint32_t>(bytes),
                    fetching.memory.known().local_key(rail)};
      ibv_send_wr work{};
      work.sg_list = &piece;
      work.num_sge = 1;
      work.opcode = fetching.writes ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ;
      work.wr.rdma.remote_addr = fetching.where.address + fetching.asked;
      work.wr.rdma.rkey = fetching.where.keys[rail];
      if (!post(rank, rail, work, {Work::Kind::piece, false, id, bytes})) return;
      fetching.asked += bytes;
    }
    peer.fetching.pop_front();
  }
}

/// All pieces are here.
void Verbs::finish(std::uint32_t id) {
  Fetch done = fetches_.give_back(id);
  if (done.memory.packed) Cursor(done.into).write(done.memory.packed->memory.get(), done.bytes);
  leases_.give_back(std::move(done.memory));
  if (done.pending) {
    --*done.pending;
    return;
  }
  enqueue(done.from, {Header::Kind::fetched, {}, {}, 0, done.offer});
  if (!leaving_) inbox_.received(done.ticket);
}

}  // namespace tutti::verbs
