#include "runtime/verbs/multicasting.hpp"

#include "runtime/bootstrap.hpp"
#include "runtime/environment.hpp"
#include "runtime/error.hpp"

namespace tutti::verbs {

void Multicasting::join(Bootstrap& bootstrap, const Setting& setting) {
  job_ = setting.job, self_ = setting.self, inbox_ = &setting.inbox;
  const std::size_t payload = multicast_payload(setting.least_mtu);
  std::string trouble;
  try {
    // On InfiniBand every node asks one administrator, which jobs can spare that have no use for it.
    if (from_environment("TUTTI_MULTICAST", 1, 0, 1) == 0) throw TeamError("TUTTI_MULTICAST=0");
    group_ = std::make_unique<MulticastGroup>(setting.rail, job_, payload, setting.wakes);
  } catch (const TeamError& error) {
    trouble = error.what();
  }
  const auto all = bootstrap.allgather(trouble);
  for (std::size_t rank = 0; rank < all.size() && why_not_.empty(); ++rank)
    if (!all[rank].empty()) why_not_ = "rank " + std::to_string(rank) + ": " + all[rank];
  if (!why_not_.empty()) return group_.reset();
  sender_.emplace(job_, self_, setting.ranks, payload,
                  [this](const multicast::Header& header, const std::byte* piece, std::size_t bytes) {
                    return group_->send(header, piece, bytes);
                  });
  receiver_.emplace(*inbox_, setting.ranks, payload);
}

bool Multicasting::progress(bool leaving, const std::function<void(Rank to, const multicast::Report&)>& tell) {
  if (!group_) return false;
  bool moved = false;
  group_->receive([&](const multicast::Header& header, const std::byte* piece, std::size_t bytes) {
    if (header.job != job_ || header.from == self_ || leaving) return;
    const auto [is_new, report] = receiver_->arrived(header, piece, bytes);
    moved |= is_new;
    if (report) tell(header.from, *report);
  });
  if (!sender_->idle() && !leaving)
    moved |= sender_->progress(Clock::now(), [this](Ticket ticket) { inbox_->sent(ticket); });
  return moved;
}

}  // namespace tutti::verbs
