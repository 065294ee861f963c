#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algos/call_numbers.hpp"
#include "algos/groups.hpp"
#include "algos/registry.hpp"
#include "algos/task.hpp"
#include "runtime/bootstrap.hpp"
#include "runtime/matcher.hpp"
#include "runtime/memory.hpp"
#include "runtime/transport.hpp"
#include "runtime/wait_policy.hpp"

namespace tutti {

/// Runs the coroutines of one rank on real memory, over the transports that it is given. Any number of calls may run
/// side by side; they move only within start(), test() and wait(). One thread.
class Executor final : public Backend, private Inbox {
 public:
  /// `place`: as for GroupTable. The bootstrap knows who is lost, and outlives the executor.
  Executor(Bootstrap& bootstrap, std::function<int(Rank, Level)> place, WaitPolicy policy,
           std::chrono::duration<double> limit);
  ~Executor() override;
  Inbox& inbox() { return *this; }
  /// Peers that several transports reach are served by the one added first. To be called before the first call.
  void add(std::unique_ptr<MessageTransport> transport);
  const MessageTransport* transport_to(Rank peer) const { return routes_[peer]; }

  /// Why there is no transport whose network gives a message to all; empty: there is one.
  std::string why_no_multicast() const;
  /// The call just begun, of which this is the root, sends to all others (bcast_by_multicast).
  Op multicast(const View& what);

  /// Memory that peers can read where it lies; nullptr where no transport has any.
  std::shared_ptr<void> allocate(std::size_t bytes);

  /// A call that has begun.
  struct Running {
    CallBuffers memory;
    std::optional<Task> task;
    const std::string* name = nullptr;  // for reports
  };
  using Id = std::uint32_t;
  /// The memory and the name must stay until the call is over. `call` holds views of it. `blocking`: the caller will
  /// wait at once. No function: a broadcast by the network's multicast, which there is.
  Id start(AlgorithmFunction function, const Call& call, const std::string& name, void* in, void* out,
           const Reduction& reduction, bool blocking);
  /// True if the call is over; its id is then free. Throws TeamError if the team cannot go on, now or before, and what
  /// the algorithm threw.
  bool test(Id id);
  /// Until the call is over, or without progress for the limit: then throws TeamError with what is pending.
  void wait(Id id);
  /// The call's memory must not be used any more: the team cannot go on.
  void abandon(Id id);
  bool failed() const { return !failure_.empty(); }
  /// No call is under way.
  bool is_idle() const { return free_running_.size() == running_.size(); }
  /// Throws TeamError if the team cannot go on.
  void check_alive() {
    if (failed()) stop();
  }
  /// The ranks' calls do not fit each other: the team cannot go on. Throws TeamError.
  [[noreturn]] void refuse_calls(std::string why) {
    give_up(std::move(why));
    stop();
  }

  // One-sided accesses, by transport and peer.
  std::vector<RemoteMemory*> remote_memories() const;
  std::size_t transport_number(Rank peer) const;
  /// Until nothing is pending (counts by rank); otherwise as wait().
  void wait_for(std::span<const std::uint32_t> pending);
  /// Memory of accesses under way must not be touched any more: the team cannot go on.
  void abandon_accesses();

  // Backend
  Op send(CallScope& scope, Rank to, const View& what, int lane, SendMode mode) override;
  Op recv(CallScope& scope, Rank from, const View& into, int lane) override;
  Op recv_combine(CallScope& scope, Rank from, const View& to, const View& own, Incoming side, int lane) override;
  Op copy(CallScope& scope, const View& to, const View& from) override;
  Op combine(CallScope& scope, const View& to, const View& left, const View& right) override;
  View scratch(CallScope& scope, Count elements) override;
  bool complete(CallScope& scope, std::span<const Op> ops) override;
  void park(CallScope& scope, Waiter& waiter, std::span<const Op> ops) override;
  void on(CallEvent event, CallScope& scope) override;
  const Group* group(Rank rank, Level level, GroupKind kind, const Group* within) override {
    return groups_.find(rank, level, kind, within);
  }

 private:
  void begin(CallScope& scope);
  void leave(CallScope& scope);

  struct Record {  // of an operation that was not complete at once
    std::uint32_t generation = 0;
    bool open = false, is_send = false, combines = false;
    int lane = 0;
    Rank peer = 0;
    CallScope* scope = nullptr;  // nullptr: its call is gone
    Waiter* waiter = nullptr;
    Region region;
  };
  /// Of a receive that combines, beside its record.
  struct Combination {
    Region operand;  // this rank's
    Cursor to, own;
    Reduction reduction;
    std::size_t element_bytes = 1;
    Incoming side = Incoming::right;
    ScratchPool::Block staged;  // the message, where its transport needs a place for it
  };
  /// A long copy, made in pieces: before all else, or while nothing else is to do.
  struct LaterCopy {
    Ticket ticket;
    Region to, from;
    std::size_t left;
    bool comes_first, from_end;
  };
  static constexpr auto kCheckPeersEvery = std::chrono::milliseconds(1);
  static constexpr std::uint32_t kDone = ~1u;  // slot of an operation that was complete at once
  static constexpr Ticket kEarly = 1u << 31;   // received into an early message's own buffer
  static constexpr Op done_op() { return op_of(kDone, 0); }

  // Inbox
  void deliver(Rank from, const Envelope& envelope, const void* payload) override;
  ReceiveBuffer receive_buffer(Rank from, const Envelope& envelope) override;
  void received(Ticket ticket) override;
  ReceiveBuffer receive_buffer_or_parts(Rank from, const Envelope& envelope) override;
  void part(Ticket ticket, const void* bytes, std::size_t size) override;
  void offered(Rank from, const Envelope& envelope, std::uint64_t offer) override;
  void sent(Ticket ticket) override { complete(ticket); }
  void failed(Rank peer, std::string reason) override;
  void lost(Rank rank, std::string reason) override { hear_of({rank, std::move(reason)}); }
  void left(Rank peer) override { gone_[peer] = true; }

  static CallBuffers& memory_of(const CallScope& scope) { return *static_cast<CallBuffers*>(scope.memory); }
  Envelope envelope_of(const CallScope& scope, int lane, std::uint64_t bytes) const;
  MessageTransport& route(Rank peer) const;
  Ticket open(CallScope& scope, bool is_send, Rank peer, int lane, const Region& region);
  Op receive(Rank from, const Envelope& envelope, std::uint32_t early, Ticket ticket);
  void fill(Ticket receive, const void* payload);
  bool takes_parts(Ticket receive) const;
  bool may_lie_in_place(Ticket receive) const;
  ReceiveBuffer receive_buffer(Rank from, const Envelope& envelope, bool parts);
  ReceiveBuffer buffer_of(Ticket receive, bool parts);
  void accept(Rank from, std::uint64_t offer, Ticket receive);
  void complete(Ticket ticket);
  void turn();
  /// Of the copies that wait, the first one's next piece. False if there is none.
  bool copy_later() {
    if (later_.empty()) return false;
    copy_piece();
    return true;
  }
  void copy_piece();
  /// False if there is none.
  bool copy_what_comes_first() {
    bool copied = false;
    for (; !later_.empty() && later_.front().comes_first; copied = true) copy_piece();
    return copied;
  }
  /// What comes while the others begin their calls too comes first.
  std::uint32_t polls_before_copy() const { return std::min(policy_.polls_before_yield() - 1, 32u); }
  bool is_done(Op op) const { return slot_of(op) == kDone || records_[slot_of(op)].generation != generation_of(op); }
  void refuse_foreign(Op op) const;
  bool fits(Ticket receive, Rank from, const Envelope& envelope);
  void take_early(std::uint32_t id, Ticket receive);
  bool progress();
  template <class Over, class Check, class Pending>
  void poll_until(const Over& over, const Check& check, const Pending& pending);
  void missed(Rank peer, const std::string& pending);
  bool rested(std::uint32_t fruitless);
  bool waits_for_other_cores() const;
  void check_now_and_then();
  void check_liveness();
  bool knows_of_a_loss(std::chrono::steady_clock::time_point now);
  void hear_of(Loss loss);
  void lose(Loss loss);
  void give_up(std::string why, std::optional<Loss> loss = std::nullopt);
  void close_transports();
  [[noreturn]] void stop();
  std::string pending_text() const;
  void finish(Id id);

  /// A peer that cannot be reached, as was first reported, and since when.
  struct Suspicion {
    Loss loss;
    std::chrono::steady_clock::time_point since;
  };

  Bootstrap& bootstrap_;
  const Rank rank_;
  const int size_;
  WaitPolicy policy_;
  const std::chrono::duration<double> limit_;
  GroupTable groups_;
  Matcher matcher_;
  ScratchPool pool_;
  std::vector<Record> records_;
  std::vector<Combination> combinations_;  // by ticket, where the record says so
  std::vector<Ticket> free_;
  std::vector<LaterCopy> later_;
  const Count own_cache_bytes_;
  bool from_end_ = false;  // long copies are made
  std::vector<std::coroutine_handle<>> ready_;
  CallNumbers numbers_;
  std::string failure_;       // why the team cannot go on
  std::optional<Loss> lost_;  // whose loss that is, if one's
  std::optional<Suspicion> suspected_;
  std::chrono::steady_clock::time_point checked_, asked_;  // peers; the bootstrap
  std::uint32_t fruitless_tests_ = 0;
  bool unheard_ = false;     // a call threw and nobody heard of it: whoever made it is not right either
  std::uint32_t polls_ = 0;  // how often a wait polls before it suspends
  CallBuffers* starting_ = nullptr;
  CallScope* entered_ = nullptr;  // last
  std::deque<Running> running_;
  std::vector<Id> free_running_;
  std::vector<bool> gone_;                                     // by peer: has left
  std::vector<MessageTransport*> routes_;                      // by peer
  std::vector<std::unique_ptr<MessageTransport>> transports_;  // last: destroyed first, while all above is still there
};

}  // namespace tutti
