#pragma once

#include <stdexcept>
#include <vector>

#include "sim/congestion.hpp"
#include "sim/event_queue.hpp"
#include "sim/event_record.hpp"
#include "sim/flow_network.hpp"
#include "sim/messages.hpp"
#include "sim/operations.hpp"
#include "sim/paths.hpp"
#include "sim/processor_queues.hpp"
#include "sim/rank_clocks.hpp"
#include "sim/retransmissions.hpp"
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
  void on(CallEvent event, CallScope& scope) override;

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

  void begin(CallScope& scope);
  void leave(CallScope& scope);

  using Slot = Operations::Slot;
  using Message = Messages::Message;
  using Processor = ProcessorQueues::Processor;
  /// What the ranks of another job have come to together.
  struct BackgroundRounds {
    std::vector<CallScope*> calls;  // of each of its ranks
    std::vector<bool> pauses;       // after each round that its rank 0 has decided on
    int last = -1;                  // that a rank has asked for
    bool has_last = true;           // whether there is that one
  };
  /// A call was given up before its end, or with an exception that nobody heard of.
  struct Abandoned {
    bool any = false;
    std::exception_ptr unheard;  // the first of those
  };
  /// Of work: first the processor waits for a gap to be over, which nothing can interrupt.
  struct Duration {
    double wait_seconds, work_seconds;
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
  void handle(const Event& event);
  void resume_ready();
  void spend(std::int64_t event, Spent::On on, int which) {
    if (event != TraceEvent::kNone) record_.spend(event, on, which, now());
  }

  // results.cpp: what it tells of itself
  void note_holders(std::uint32_t flow);
  std::string pending_text() const;
  TimedStay timed_stay() const;
  Result results();

  // fetching.cpp: what comes next is fetched into the cache
  static constexpr Rank kRanksInCache = 256;
  void fetch_ahead(const Event& event, std::size_t events);

  // background_ranks.cpp: another job
  static Task drive_background(Comm comm, Simulation* simulation, Rank rank);
  bool has_round(int round);
  Op sleep(Rank rank, double seconds);

  // matching.cpp: what is posted and complete
  void complete_op(Slot slot);

  // processors.cpp: the work of processors
  void enqueue(Rank rank, Work::Kind kind, std::uint32_t id, double seconds, std::int64_t bytes = 0,
               double seconds_per_byte = 0);
  void run_queue(Rank rank);
  void join_what_ends_together(Rank rank);
  Duration duration(Rank rank, const Work& work);
  void finish(const Work& work);
  std::int64_t event_of(const Work& work) const;
  bool flows_through_memory(Rank rank);

  // protocol.cpp: the way of a message
  const Transport& transport_of(const Message& message) const { return *machine_.transports[message.distance]; }
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
  void flow(std::uint32_t id);
  void settle_congestion();
  void flow_over(std::uint32_t id);
  void arrive(std::uint32_t id);
  void start(std::uint32_t flow, const Path& path, std::int64_t bytes, double rate_cap);

  FlowNetwork& network_;
  const double origin_seconds_;
  const double leave_off_seconds_;  // since the origin
  double now_ = 0;                  // since the origin
  EventQueue events_;
  std::vector<std::uint32_t> finished_flows_;  // at this instant, and not acted upon yet
  std::vector<std::coroutine_handle<>> ready_;
  Operations operations_;
  Messages messages_;
  Connections connections_;
  ProcessorQueues processors_;
  RankClocks clocks_;
  EventRecord record_;
  Paths paths_;
  Retransmissions retransmissions_;
  std::size_t flows_ = 0;                 // under way
  Rank ended_ = 0;                        // ranks
  bool left_off_ = false;                 // it takes too long: nothing begins any more
  std::optional<Congestion> congestion_;  // where there are trees
  std::vector<Detours> detours_;          // of each rank's processor; empty: no noise
  BackgroundRounds background_;
  Result result_;
  Abandoned abandoned_;
  std::vector<Task> tasks_;  // last: frames that are destroyed leave their calls
};

}  // namespace tutti
