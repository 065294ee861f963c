#pragma once

#include <map>
#include <memory_resource>
#include <stdexcept>
#include <vector>

#include "sim/congestion.hpp"
#include "sim/event_queue.hpp"
#include "sim/flow_network.hpp"
#include "sim/hash_table.hpp"
#include "sim/paths.hpp"
#include "sim/pool.hpp"
#include "sim/simulated_calls.hpp"

namespace tutti {

/// The engine cannot simulate the experiment in reasonable time. what() says why.
class ExperimentRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An experiment with more messages than that to be simulated is refused: tiny segments of a huge message would fill
/// the memory, hours before the end.
inline constexpr double kMostMessages = 1 << 26;

/// Runs one experiment: ranks, their processors, matching, and the message protocol, over a FlowNetwork.
///
/// A message of n bytes (models/machine.hpp gives the terms): the sender's processor is busy for send_overhead; then
/// the message is under way for the segment's latency and that of the route's links, then flows at the segment's
/// bandwidth or what its links give it, whichever is less; then the receiver's processor is busy for receive_overhead.
/// Up to the eager limit the send is complete when the message has left, and an unexpected message waits at the
/// receiver. Above it, the flow starts rendezvous_seconds after both sides are ready, and the send completes with the
/// flow; or the receiver reads, and who waits for what is as Transport::receiver_reads says. A rank's processor does
/// one thing at a time, in posting order; copies and reductions occupy it and flow through the memory links of their
/// core, the reduction of a receive that combines right behind receive_overhead. Where the machine says so, eager
/// messages occupy both processors per byte, the ends of large messages of a pair take turns, and fresh memory for the
/// time of a call occupies the processor.
class Simulation final : public SimulatedCalls, public FlowListener {
 public:
  /// Where there is a symmetry, flows are told the links that stand for those on their way.
  Simulation(const Machine& machine, const Experiment& experiment, FlowNetwork& network, Symmetry symmetry = {});
  ~Simulation() override;
  /// Throws ExperimentRefused where the network cannot bear it, std::runtime_error naming what is pending if the
  /// algorithm gets stuck, gives up a call before its end, or throws.
  Result run();

  // Backend
  bool complete(CallScope& scope, std::span<const Op> ops) override;
  void park(CallScope& scope, Waiter& waiter, std::span<const Op> ops) override;
  void enter(CallScope& scope) override;
  void leave(CallScope& scope) override;

  // FlowListener
  void flow_finished(std::uint32_t flow) override;
  void flow_finishes(std::uint32_t flow) override;
  void wake() override;

 private:
  // SimulatedCalls
  Op post_send(CallScope& scope, const Outgoing& message, const DataMoves::Move& move) override;
  Op post_receive(CallScope& scope, const Awaited& message, const DataMoves::Move& move) override;
  Op post_work(CallScope& scope, std::int64_t bytes, const Compute::Rate& rate, const DataMoves::Move& move) override;
  void keep_busy(CallScope& scope, std::int64_t times, double seconds) override;

  using Slot = std::uint32_t;
  static constexpr std::uint32_t kNoMessage = ~0u, kNoOp = ~0u, kNoWork = ~0u;

  // Where there are thousands of ranks, each event finds what it needs out of the cache. So what every message and
  // operation needs is on one line, and what few do is elsewhere.
  struct alignas(32) OpState {
    std::uint32_t generation = 0;
    std::uint32_t rank : 31 = 0;
    std::uint32_t done : 1 = 1;
    CallScope* scope = nullptr;  // nullptr: its call is gone, and nothing can wait for it
    Waiter* waiter = nullptr;
    Slot previous = kNoOp, next = kNoOp;  // of the rank's operations that are not released
  };
  struct alignas(64) Message {
    Rank from = 0, to = 0;
    std::int64_t bytes = 0;
    Slot send_op = 0, recv_op = 0;
    std::uint32_t next = kNoMessage;          // in its channel
    std::uint32_t next_to_flow = kNoMessage;  // on its connection
    const Segment* segment = nullptr;
    double ready_seconds = 0;  // when the sender's processor was done with it
    double links_seconds = 0;  // the latency of the links on its way
    std::uint8_t distance = 0;
    AtEnd at_end = AtEnd::nothing;  // what its receive does with the bytes
    bool eager : 1 = true;
    bool packed : 1 = false;                       // its sender's processor copies it together
    bool ready : 1 = false;                        // the sender's processor is done with it
    bool wanted : 1 = false, arrived : 1 = false;  // its receive is posted; all bytes are there
    bool takes_turns : 1 = false;                  // what is still to flow does, with the other direction's
  };
  static_assert(sizeof(OpState) == 32 && sizeof(Message) == 64);
  struct MessageDetails {
    double at_end_seconds_per_byte = 0;   // what its receive does takes so long
    double packing_seconds_per_byte = 0;  // its bytes flow no faster than the sender's processor copies them together
    Payload::Parcel parcel = 0;
    std::int64_t event = TraceEvent::kNone;
  };
  /// From one rank to another bytes arrive in order: of the messages whose bytes may flow, the first does.
  struct Connection {
    std::uint32_t first = kNoMessage, last = kNoMessage;
  };
  /// Messages of one (group, call, lane, source, destination) that lack the other half: all of them sends, or all
  /// receives.
  struct Channel {
    std::uint32_t first = kNoMessage, last = kNoMessage;
    bool holds_sends = false;
  };
  /// Something that occupies a rank's processor.
  struct Work {
    enum class Kind : std::uint8_t { inject, receive, local, busy };  // busy: nobody waits for it
    double seconds = 0;                                               // how long it takes; before its bytes flow
    std::int64_t bytes = 0;                                           // still to be moved
    double seconds_per_byte = 0;                                      // of these
    std::uint32_t id : 30 = 0;                                        // the message, or the operation of local work
    Kind kind : 2 = Kind::inject;
    Slot next = kNoWork;  // of the same processor
  };
  static constexpr std::uint32_t kMostIds = (1u << 30) - 1;
  static_assert(sizeof(Work) == 32);  // two on a line of the cache: an algorithm may post many at once
  struct alignas(64) Processor {
    Work front;           // what is being done, if it is busy
    Slot last = kNoWork;  // of the works behind that; kNoWork: there are none
    bool busy = false;
    bool started = false;  // with the front
    bool running = false;  // inside run_queue
    double gap_over_seconds = 0;
  };
  static_assert(sizeof(Processor) == 64);
  struct RankClock {
    double arrived_seconds = 0, started_seconds = 0, ended_seconds = 0;
    /// Of the experiment's call that it is in: ranks need not make the same number of calls of their own in each.
    std::uint32_t first_call_number = 0;
    std::uint32_t calls = 0;  // that it has begun
  };
  static constexpr std::uint32_t kLocalFlow = 1u << 31;  // flow ids: a message, or this | rank

  // simulation.cpp: ranks, the event loop, results
  void refuse_too_many_messages() const;
  static Task drive(Comm comm, Simulation* simulation, Rank rank);
  void note_call(int call, double seconds);
  Task next_call(const Comm& comm, bool is_barrier);
  std::exception_ptr named(const std::exception_ptr& exception, Rank rank) const;
  double now() const { return now_; }
  void plan(double seconds, Event::Kind kind, std::uint32_t id);
  static constexpr Rank kRanksInCache = 256;
  void fetch_ahead(const Event& event, std::size_t events);
  void handle(const Event& event);
  void resume_ready();
  void spend(std::int64_t event, Spent::On on, int which, double until_seconds);
  void spend(std::int64_t event, Spent::On on, int which) {
    if (event != TraceEvent::kNone) spend(event, on, which, now());
  }
  void note_holders(std::uint32_t flow);
  std::int64_t record(TraceEvent::Kind kind, Rank rank, Rank peer, std::int64_t bytes);
  std::string pending_text() const;
  Result results();

  // background_ranks.cpp: another job
  static Task drive_background(Comm comm, Simulation* simulation, Rank rank);
  bool has_round(int round);
  Op sleep(Rank rank, double seconds);

  // matching.cpp: operations and matching
  Slot open_op(CallScope& scope, std::int64_t event);
  void complete_op(Slot slot);
  void release(Op op);
  std::uint32_t message_for(const CallScope& scope, Rank from, Rank to, int lane, bool is_send);
  std::uint32_t new_message();

  // protocol.cpp: processors and the way of a message
  void enqueue(Rank rank, Work::Kind kind, std::uint32_t id, double seconds, std::int64_t bytes = 0,
               double seconds_per_byte = 0);
  void run_queue(Rank rank);
  double duration_seconds(Rank rank, const Work& work);
  void finish(const Work& work);
  const Transport& transport_of(const Message& message) const { return *machine_.transports[message.distance]; }
  std::int64_t event_of_message(std::uint32_t id) const {
    return experiment_.record ? details_[id].event : TraceEvent::kNone;
  }
  std::int64_t event_of_op(Slot slot) const { return experiment_.record ? op_events_[slot] : TraceEvent::kNone; }
  std::int64_t event_of(const Work& work) const;
  void stamp_end(std::int64_t event);
  bool flows_through_memory(Rank rank);
  bool ends_when_received(const Message& message) const;
  void end_send(const Message& message);
  void take_in(std::uint32_t id);
  void message_ready(std::uint32_t id);
  void message_wanted(std::uint32_t id);
  double handshake_seconds(const Message& message);
  void begin_transfer(std::uint32_t id, double handshake_seconds);
  void transfer(std::uint32_t id);
  void queue_flow(std::uint32_t id);
  void start_flow(std::uint32_t id);
  void flow_over(std::uint32_t id);
  void arrive(std::uint32_t id);
  static NumberKey connection_of(const Message& message);
  void start(std::uint32_t flow, const Path& path, std::int64_t bytes, double rate_cap);

  FlowNetwork& network_;
  const double origin_seconds_;
  const double leave_off_seconds_;  // since the origin
  double now_ = 0;                  // since the origin
  EventQueue events_;
  std::vector<std::uint32_t> finished_flows_;  // at this instant, and not acted upon yet
  std::vector<std::coroutine_handle<>> ready_;
  std::vector<OpState> ops_;
  std::vector<std::int64_t> op_events_;  // of each, when recorded
  std::vector<Slot> first_op_;           // of each rank: the newest operation that is not released
  std::vector<Slot> free_ops_;
  std::vector<Message> messages_;
  std::vector<MessageDetails> details_;  // of each
  std::vector<std::uint32_t> free_messages_;
  HashTable<PairKey, Channel> channels_;          // by source and destination, and by group, call and lane
  HashTable<NumberKey, Connection> connections_;  // those with bytes under way, by connection_of
  std::vector<Processor> processors_;
  Pool<Work> works_;
  std::vector<RankClock> clocks_;
  std::pmr::monotonic_buffer_resource counters_;  // of these:
  std::pmr::vector<std::pmr::map<std::uint32_t, std::uint32_t>> calls_{
      &counters_};                        // of each rank: calls begun in the experiment's call, by group
  std::vector<std::int64_t> last_event_;  // of each rank: the event that let it run on
  Paths paths_;
  std::size_t flows_ = 0;                      // under way
  Rank ended_ = 0;                             // ranks
  bool left_off_ = false;                      // it takes too long: nothing begins any more
  std::optional<Congestion> congestion_;       // where there are trees
  std::vector<Detours> detours_;               // of each rank's processor; empty: no noise
  std::vector<CallScope*> background_scopes_;  // of each of its ranks: its call
  std::vector<bool> pauses_;                   // after each round of the background that its rank 0 has decided on
  int last_round_ = -1;                        // of the background, that a rank has asked for
  bool has_last_round_ = true;                 // whether there is that one
  Result result_;
  bool abandoned_ = false;      // a call was given up before its end, or with an exception that nobody heard of
  std::exception_ptr unheard_;  // the first of those
  std::vector<Task> tasks_;     // last: frames that are destroyed leave their calls
};

}  // namespace tutti
