// Who is lost: what transports report, what others know, and what is said in the end.
#include "runtime/error.hpp"
#include "runtime/executor.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;
// So long may those who know take to say who is lost, where no more is known than that somebody cannot be reached.
constexpr auto kGrace = std::chrono::seconds(3);
constexpr auto kAskEvery = std::chrono::milliseconds(20);

}  // namespace

/// A peer that cannot be reached may be lost, or have left because another is.
void Executor::failed(Rank peer, std::string reason) {
  if (peer == rank_)
    lose({peer, std::move(reason)});
  else if (!suspected_)
    suspected_ = {{peer, std::move(reason)}, Clock::now()};
}

/// From others.
void Executor::hear_of(Loss loss) {
  if (loss.rank == rank_) loss.reason = "the others have lost this rank: " + loss.reason;
  lose(std::move(loss));
}

void Executor::lose(Loss loss) {
  std::string why = "rank " + std::to_string(rank_) + ": " +
                    (loss.rank == rank_ ? "" : "rank " + std::to_string(loss.rank) + " is lost: ") + loss.reason;
  give_up(std::move(why), std::move(loss));
}

/// And says so.
bool Executor::knows_of_a_loss(Clock::time_point now) {
  if (!suspected_ && now - asked_ < kAskEvery) return false;
  asked_ = now;
  if (auto loss = bootstrap_.loss())
    hear_of(std::move(*loss));
  else if (suspected_ && now - suspected_->since > kGrace)
    lose(suspected_->loss);
  return failed();
}

void Executor::check_liveness() {
  for (const auto& transport : transports_) transport->check_liveness();
  if (knows_of_a_loss(Clock::now())) return;
  for (const Record& record : records_) {
    if (!record.open || !record.scope) continue;
    if (gone_[record.peer]) missed(record.peer, pending_text());
    if (!record.is_send) route(record.peer).expect_message(record.peer);
  }
}

/// Where a caller asks again and again whether a call is over.
void Executor::check_now_and_then() {
  constexpr std::uint32_t kLooksAtTheClockEvery = 16;
  if (++fruitless_tests_ % kLooksAtTheClockEvery != 0) return;
  const auto now = Clock::now();
  if (now - checked_ < kCheckPeersEvery) return;
  checked_ = now;
  check_liveness();
}

void Executor::missed(Rank peer, const std::string& pending) {
  give_up("rank " + std::to_string(rank_) + ": rank " + std::to_string(peer) + " has left the team: " + pending,
          Loss{peer, "it has left the team"});
}

void Executor::give_up(std::string why, std::optional<Loss> loss) {
  if (failed()) return;
  failure_ = std::move(why);
  lost_ = std::move(loss);
  if (!lost_) return;
  for (const auto& transport : transports_) transport->lost(lost_->rank);
}

/// Who is told why this rank leaves is told before it sees that.
void Executor::close_transports() {
  bootstrap_.leave(lost_);
  transports_.clear();
}

void Executor::stop() {
  close_transports();
  throw TeamError(failure_);
}

}  // namespace tutti
