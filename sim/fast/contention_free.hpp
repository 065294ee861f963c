#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "base/hash_table.hpp"
#include "sim/pool.hpp"
#include "sim/simulated_calls.hpp"

namespace tutti::fast {

/// Whether nothing on the machine is shared, as it has no links or all of them give every flow their full bandwidth,
/// and no message is lost.
bool is_contention_free(const Machine& machine);

/// Runs one experiment on a machine without contention, with no queue of events: the way of a message is that of
/// Simulation (sim/simulation.hpp), but where nothing is shared, when it arrives follows from when it is sent. Every
/// rank has a clock of its own and runs as far as it can; times are maxima and sums of what is known. (Max-plus
/// algebra: Baccelli, Cohen, Olsder, Quadrat: "Synchronization and Linearity", 1992.)
///
/// What order of time decides is kept exact. A rank acts on an arrival, or resumes, only when no message that is still
/// unknown can come before that: it has posted no other receive, or it is early enough. If all ranks wait for that, the
/// earliest of them may go on, and with it all that are no later than the quickest message of that one could be (the
/// time windows of Lubachevsky: "Efficient distributed event-driven simulations of multiple-loop networks", CACM 32(1),
/// 1989). Things at the very same instant may happen in another order than in Simulation.
///
/// Memory: bounded by ranks, operations not waited for, and messages sent and not yet received; a rank that has
/// kMostAhead messages waiting at one receiver lets the others catch up. Used by one thread.
class ContentionFreeSimulation final : public SimulatedCalls {
 public:
  /// The experiment must not ask for a record, and both must outlive it.
  ContentionFreeSimulation(const Machine& machine, const Experiment& experiment, const BlockMoves& symmetry = {});
  /// No result: order of time decides something that this cannot tell (a message overtakes an earlier one on its
  /// connection), or the algorithm is faulty. Simulation then gives the result, or says what is wrong.
  std::optional<Result> run();

  // Backend
  bool complete(CallScope& scope, std::span<const Op> ops) override;
  void park(CallScope& scope, Waiter& waiter, std::span<const Op> ops) override;
  void on(CallEvent event, CallScope& scope) override;

 private:
  // SimulatedCalls
  Op post_send(CallScope& scope, const Outgoing& message, const DataMoves::Move& move) override;
  Op post_receive(CallScope& scope, const Awaited& message, const DataMoves::Move& move) override;
  Op post_work(CallScope& scope, std::int64_t bytes, const Compute::Rate& rate, const DataMoves::Move& move) override;
  void keep_busy(CallScope& scope, std::int64_t times, double seconds) override;

  void begin(CallScope& scope);
  void finish(CallScope& scope);
  void leave(CallScope& scope);

  static constexpr std::uint32_t kNone = ~0u;
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t kMostAhead = 8;

  struct Operation {
    enum class Kind : std::uint8_t { receive, send, compute, busy };
    enum class State : std::uint8_t {
      unknown,   // a receive without its message, a rendezvous without its receive, or work put off (posted_first)
      arriving,  // a receive: its bytes are there at `seconds`; the processor has not been given it
      final      // done at `seconds`, which may be in the future
    };
    double seconds = 0;
    CallScope* scope = nullptr;
    std::int64_t bytes = 0;
    double seconds_per_byte = 0;  // of computing, of being busy, of combining and of packing
    std::uint32_t generation = 0;
    std::uint32_t sleeper = kNone;  // who waits for it
    Rank peer = 0;
    std::uint32_t previous = kNone, next = kNone;  // of the rank's operations that are not released
    std::uint32_t next_posted = kNone;
    Kind kind = Kind::receive;
    State state = State::final;
    bool listed = false;                // from posted_first on
    std::uint8_t distance = 0;          // of a receive's message
    std::uint8_t lane = 0;              // of a send
    AtEnd at_end : 2 = AtEnd::nothing;  // of a receive
    bool packs : 1 = false;             // a send whose processor packs what is not eager
    bool blocking : 1 = false;          // a send
    bool eager = true;                  // a receive's message

    Rank rank() const { return scope->rank; }
  };
  static_assert(sizeof(Operation) == 64);
  /// A coroutine that waits for operations, or a call that has returned and whose operations are under way.
  struct Sleeper {
    CallScope* scope = nullptr;
    double until_seconds = 0;    // of the operations that are final
    std::uint32_t pending = 0;   // those that are not, …
    std::uint32_t unknown = 0;   // … and of those, the ones in state unknown
    std::uint32_t next = kNone;  // of the rank
    bool has_returned = false;   // then it is the end of the call that comes
  };
  static_assert(sizeof(Sleeper) == 32);
  /// A message without its receive, or a receive without its message.
  struct Half {
    double seconds = 0;          // an eager message's arrival; when a rendezvous is known of, or a receive was posted
    std::uint32_t next = kNone;  // in its channel
    std::uint32_t what = 0;      // eager message: of_eager; rendezvous: kRendezvous | index; receive: its operation
  };
  static constexpr std::uint32_t kRendezvous = 1u << 31, kParcel = 8;
  static_assert(distance_count <= kParcel);
  /// Its distance, and what it carries where there is a payload.
  static std::uint32_t of_eager(Distance distance, Payload::Parcel parcel) {
    if (parcel >= kRendezvous / kParcel)
      throw std::length_error("ContentionFreeSimulation: too many messages under way");
    return static_cast<std::uint32_t>(distance) | parcel * kParcel;
  }
  struct Rendezvous {
    double delay_seconds = 0, flow_seconds = 0, send_end_seconds = 0;
    std::uint32_t send_op = 0, next = kNone;
    Distance distance = Distance::self;
  };
  /// Halves of one (group, call, lane, source, destination): all of them messages, or all receives.
  struct Channel {
    std::uint64_t key = 0;
    Rank from = -1;  // -1: free
    std::uint32_t first = kNone, last = kNone;
    std::uint32_t halves : 31 = 0;
    bool holds_messages : 1 = false;
  };
  /// From one rank to another bytes arrive in order: of the messages whose bytes may flow, the first does.
  struct Connection {
    double latest_transfer_seconds = 0, busy_until_seconds = 0;
    std::uint32_t open = 0;  // rendezvous messages that do not know yet when they flow
  };
  /// What messages of so many bytes to one rank cost.
  struct Way {
    Rank to = -1;
    std::uint32_t repeats = 0;  // messages not counted yet in level_bytes_
    std::int64_t bytes = -1;
    double links_seconds = 0;                    // the links' latency
    double delay_seconds = 0, flow_seconds = 0;  // from when a receiver may know that there is one
    Distance distance = Distance::self;
    bool eager = true, blocking = false;
  };
  struct Arrival {
    double seconds;
    std::uint32_t op;
    std::uint32_t number = 0;  // of the simulation's arrivals: at one instant they come as they were known
    bool operator<(const Arrival& other) const {  // for a heap with the earliest on top
      return seconds != other.seconds ? seconds > other.seconds : number > other.number;
    }
  };
  struct RankState {
    double now_seconds = 0;           // of its coroutine
    double free_seconds = 0;          // from then on its processor has nothing to do
    double gap_over_seconds = 0;      // from then on it may send again
    double blocked_seconds = kNever;  // where it is in blocked_
    Way way;                          // of the last message it sent, …
    Connection connection;            // … and the connection to that rank
    std::array<Channel, 2> channels;
    std::uint32_t channels_elsewhere = 0;
    std::uint32_t first_op = kNone, first_sleeper = kNone;
    /// Of what was posted at this instant: receives that may prove to have been there when posted, and the work
    /// behind them, which then has to wait for the processor.
    std::uint32_t posted_first = kNone, posted_last = kNone;
    std::uint32_t open = 0;        // unknown receives, and other unknown operations that something waits for
    std::uint32_t calls_made = 0;  // by the experiment's call that it is in, among all ranks
    std::int32_t calls_over = 0;   // of the experiment; -1: in the barrier before it
    bool begun = false;
    bool queued = false;
    bool ahead = false;                              // of those it sends to, too far
    bool call_over = false;                          // the experiment's call that it was in
    Arrival arrival{kNever, kNone};                  // the earliest known receive that the processor has not been given
    std::unique_ptr<std::vector<Arrival>> arrivals;  // a heap of the others, where there ever were any
    Task task;                                       // the call that it is in
  };
  static_assert(sizeof(RankState) == 224);  // there may be millions

  RankState& state_of(Rank r) { return ranks_[r]; }
  void start_timing(Rank r) {
    if (!started_seconds_.empty()) started_seconds_[r] = state_of(r).now_seconds;
  }

  // contention_free.cpp: ranks and what they wait for
  void wake(Rank r);
  void advance(Rank r);
  void begin_call(Rank r);
  void resume(Rank r, std::uint32_t sleeper);
  void end_call(Rank r);
  std::uint32_t first_to_resume(const RankState& rank) const;
  void block(Rank r, double seconds);
  bool go_on_with_the_earliest();
  bool is_certain(const RankState& rank, double seconds) {
    return rank.open == 0 || seconds <= horizon_seconds_ || no_arrival_before(rank, seconds);
  }
  bool no_arrival_before(const RankState& rank, double seconds);
  bool arrives_no_earlier(const Operation& receive, double seconds);
  Result results();

  // contention_free_operations.cpp: operations and waits
  std::uint32_t open_op(CallScope& scope, Operation::Kind kind, Rank peer, std::int64_t bytes);
  Op op_at(std::uint32_t slot) const { return op_of(slot, operations_[slot].generation); }
  void release(std::uint32_t slot);
  void finalize(std::uint32_t slot, double seconds);
  void attach(std::uint32_t slot, std::uint32_t sleeper);
  std::uint32_t new_sleeper(CallScope& scope, bool has_returned);
  Operation* waited_for(const CallScope& scope, Op op);
  void arrives(std::uint32_t slot, double seconds);
  void take_arrival(RankState& rank);
  void receive(RankState& rank, double seconds, std::uint32_t slot);
  void list(RankState& rank, std::uint32_t slot);
  bool settle(RankState& rank);
  void move_clock(RankState& rank, double seconds);
  void post(RankState& rank, std::uint32_t slot);
  void work(RankState& rank, std::uint32_t slot);
  double worked(double begin, double seconds, const Operation& op) const;

  // contention_free_messages.cpp: the way of a message
  void number_levels();
  void find_way(Rank from, Rank to, std::int64_t bytes, bool blocking);
  void count_repeats(Rank from, Way& way);
  void change_connection(Rank from, Rank to);
  double flow(Connection& connection, double transfer_seconds, double flow_seconds);
  double meet(Rank from, Rank to, std::uint32_t rendezvous, double start_seconds, std::uint32_t receive);
  void learn(std::uint32_t slot);
  void inject(RankState& rank, std::uint32_t slot);
  Channel* find_channel(Rank to, Rank from, std::uint64_t key);
  Channel& append(Rank to, Rank from, std::uint64_t key, Channel* channel, const Half& half, bool is_message);
  Half take(Rank to, Channel& channel);

  std::array<const Transport*, distance_count> transports_{};
  std::vector<RankState> ranks_;
  std::vector<double> started_seconds_;  // of each rank's timed calls; empty: all began at 0
  Pool<Operation> operations_;
  Pool<Sleeper> sleepers_;
  Pool<Half> halves_;
  Pool<Rendezvous> rendezvous_;
  HashTable<PairKey, Channel> channels_;  // by (destination, source) and key: those that have no place at their rank
  HashTable<PairKey, Connection>
      connections_;  // by source and destination: busy, and not to the last rank the source sent to
  HashTable<PairKey, std::uint32_t> calls_;  // how many a call has made, by rank and its number, and by group
  std::vector<Rank> queue_;                  // a ring: ranks that may act, first come first served
  std::size_t first_queued_ = 0, queued_ = 0;
  std::priority_queue<std::pair<double, Rank>, std::vector<std::pair<double, Rank>>, std::greater<>> blocked_;
  double horizon_seconds_ = 0;                             // messages that are not known yet arrive no earlier
  std::array<double, distance_count> quickest_seconds_{};  // from a rank's resuming to the first arrival it can cause
  CallScope* running_ = nullptr;                           // of the coroutine that was resumed from here
  std::uint64_t advanced_ = 0;
  std::uint32_t arrivals_ = 0;
  bool irregular_ = false;
  bool late_ = false;                   // a message came to a rank that had gone on without it
  double memory_bytes_per_second_ = 0;  // of the links under local work; 0: there are none
  std::vector<std::uint8_t> level_of_link_;
  std::vector<LinkLevel> levels_;
  std::vector<double> level_bytes_;
  std::vector<LinkId> route_;
  std::int32_t ranks_over_ = 0;
};

}  // namespace tutti::fast
