// Broadcasts by the network's own multicast: data by datagrams to all, what receivers report by their connections.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/bootstrap.hpp"
#include "runtime/environment.hpp"
#include "runtime/verbs/verbs.hpp"

namespace tutti::verbs {

void Verbs::join_multicast(Bootstrap& bootstrap) {
  std::uint8_t mtu = rails_[0].address().mtu;
  for (const Peer& peer : peers_)
    if (peer.card.rails > 0) mtu = std::min(mtu, peer.card.ports[0].mtu);
  const std::size_t payload = multicast_payload(mtu);
  std::string trouble;
  try {
    // On InfiniBand every node asks one administrator, which jobs can spare that have no use for it.
    if (from_environment("TUTTI_MULTICAST", 1, 0, 1) == 0) throw TeamError("TUTTI_MULTICAST=0");
    group_ = std::make_unique<MulticastGroup>(rails_[0], job_, payload, wakes_.get());
  } catch (const TeamError& error) {
    trouble = error.what();
  }
  const auto all = bootstrap.allgather(trouble);
  for (std::size_t rank = 0; rank < all.size() && no_multicast_.empty(); ++rank)
    if (!all[rank].empty()) no_multicast_ = "rank " + std::to_string(rank) + ": " + all[rank];
  if (!no_multicast_.empty()) return group_.reset();
  const auto ranks = static_cast<int>(peers_.size());
  sender_.emplace(job_, self_, ranks, payload,
                  [this](const multicast::Header& header, const std::byte* piece, std::size_t bytes) {
                    return group_->send(header, piece, bytes);
                  });
  receiver_.emplace(inbox_, ranks, payload);
}

void Verbs::multicast(const Envelope& envelope, const std::byte* bytes, Ticket ticket) {
  sender_->post(envelope, bytes, ticket);
}

bool Verbs::progress_multicast() {
  if (!group_) return false;
  bool moved = false;
  group_->receive([&](const multicast::Header& header, const std::byte* piece, std::size_t bytes) {
    if (header.job != job_ || header.from == self_ || leaving_) return;
    const auto [is_new, report] = receiver_->arrived(header, piece, bytes);
    moved |= is_new;
    if (!report) return;
    // An envelope has room for the report.
    const Envelope holds{static_cast<std::uint32_t>(report->latest >> 32), static_cast<std::uint32_t>(report->latest),
                         0, report->beyond};
    enqueue(header.from, {Header::Kind::heard, holds, {}, 0, report->next});
  });
  if (!sender_->idle() && !leaving_)
    moved |= sender_->progress(Clock::now(), [this](Ticket ticket) { inbox_.sent(ticket); });
  if (group_->trouble() != 0)
    fail_here(std::string("its multicast group cannot go on: ") + std::strerror(group_->trouble()));
  return moved;
}

void Verbs::heard(const Header& header) {
  if (!sender_) return;
  const multicast::Sequence latest = std::uint64_t{header.envelope.group} << 32 | header.envelope.call;
  moved_ |= sender_->heard(header.from, {header.offer, header.envelope.bytes, latest}, Clock::now());
}

}  // namespace tutti::verbs
