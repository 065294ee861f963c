#include "sim/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include "sim/interruption.hpp"
#include "sim/time_grid.hpp"

namespace tutti {
namespace {

constexpr double kPicosecond = 1e-12;  // what results are rounded to

/// When a rank that has not ended takes longer than is wanted. Where ranks are timed from other moments than the
/// first, no clock tells.
double leave_off_seconds(const Experiment& experiment) {
  const Mode& mode = experiment.mode;
  const bool timed_from_first = mode.kind == Mode::Kind::isolated || mode.kind == Mode::Kind::back_to_back;
  return timed_from_first ? (experiment.most_seconds + kPicosecond) * mode.calls
                          : std::numeric_limits<double>::infinity();
}

}  // namespace

Simulation::Simulation(const Machine& machine, const Experiment& experiment, FlowNetwork& network, Symmetry symmetry)
    : SimulatedCalls(machine, experiment, std::move(symmetry)),
      network_(network),
      origin_seconds_(network.now_seconds()),
      leave_off_seconds_(leave_off_seconds(experiment)),
      operations_(all_ranks()),
      processors_(all_ranks()),
      clocks_(all_ranks()),
      record_(experiment.record, all_ranks()),
      paths_(machine, experiment.core_of_rank, symmetry_),
      retransmissions_(all_ranks()) {
  if (experiment.background) {
    if (!symmetry_.is_trivial()) throw std::logic_error("Simulation: no rank stands for others beside a background");
    if (Congestion::is_there(machine, experiment)) congestion_.emplace(machine, experiment, network);
    background_.calls.resize(static_cast<std::size_t>(background_ranks()));
  }
  if (experiment.noise) {
    if (!symmetry_.is_trivial()) throw std::logic_error("Simulation: no rank stands for others where there is noise");
    for (const int core : experiment.core_of_rank) {
      const int place = experiment.noise->by_node ? machine.network->node_of(core) : core;
      detours_.emplace_back(*experiment.noise, experiment.seed << 32 | static_cast<std::uint32_t>(place));
    }
  }
}

Simulation::~Simulation() = default;

Task Simulation::drive(Comm comm, Simulation* simulation, Rank rank) {
  Simulation& s = *simulation;
  try {
    RankClocks::Clock& clock = s.clocks_[rank];
    clock.arrived_seconds = s.now();
    for (int call = 0; call < s.experiment_.mode.calls; ++call) {
      if (s.has_barrier_before(call)) {
        co_await s.next_call(comm, true);
        s.end_call(rank);
      }
      if (s.experiment_.mode.kind == Mode::Kind::loop || call == 0) clock.started_seconds = s.now();
      const double began = s.now();
      co_await s.next_call(comm, false);
      s.end_call(rank);
      if (s.experiment_.tells_each_call()) s.note_call(call, s.now() - began);
    }
    clock.ended_seconds = s.now();
    ++s.ended_;
  } catch (...) {
    std::rethrow_exception(s.named(std::current_exception(), rank));
  }
}

void Simulation::note_call(int call, double seconds) {
  auto& calls = result_.seconds_per_call;
  if (calls.size() <= static_cast<std::size_t>(call)) calls.resize(static_cast<std::size_t>(call) + 1, 0);
  calls[call] = std::max(calls[call], rounded(seconds));
}

Task Simulation::next_call(const Comm& comm, bool is_barrier) {
  retransmissions_.begin_call(comm.rank());
  return begin_call(comm, is_barrier);
}

/// What an algorithm threw, with its name and the rank.
std::exception_ptr Simulation::named(const std::exception_ptr& exception, Rank rank) const {
  try {
    std::rethrow_exception(exception);
  } catch (const ExperimentRefused&) {
    return exception;
  } catch (const std::bad_alloc&) {
    return exception;  // no fault of the algorithm's
  } catch (const std::exception& error) {
    return std::make_exception_ptr(
        std::runtime_error(choice_.algorithm->full_name() + " on rank " + std::to_string(rank) + ": " + error.what()));
  }
}

void Simulation::refuse_too_many_messages() const {
  if (choice_.algorithm->messages().text().empty()) return;  // not a registered algorithm
  if (declared_messages(experiment_.c, choice_) * experiment_.mode.calls > kMostMessages * symmetry_.ranks.blocks)
    throw ExperimentRefused(choice_.algorithm->full_name() + " on " + std::to_string(experiment_.c.ranks) +
                            " ranks of " + std::to_string(total_bytes(experiment_.c)) +
                            " bytes sends more than 2^26 messages, which takes too long");
}

Result Simulation::run() {
  if (experiment_.record) network_.keep_holders();
  refuse_too_many_messages();
  const auto ranks = static_cast<std::uint32_t>(all_ranks());
  tasks_.reserve(ranks);
  std::vector<double> late_seconds = arrivals_seconds();
  late_seconds.resize(ranks, 0);
  for (std::uint32_t r = 0; r < ranks; ++r) plan(late_seconds[r], Event::Kind::start_rank, r);
  network_.wake_at(origin_seconds_ + events_.next_seconds());
  network_.run(*this);
  if (interrupted()) throw Interrupted();
  for (const Task& task : tasks_) task.rethrow();
  if (left_off_) {
    Result result;
    result.exceeded = true;
    return result;
  }
  std::string wrong;
  if (abandoned_.any)
    wrong = "gives up a call before its end";
  else if (tasks_.size() < ranks || !std::all_of(tasks_.begin(), tasks_.end(), [](const Task& t) { return t.over(); }))
    wrong = "got stuck: " + pending_text();
  if (!wrong.empty()) {
    tasks_.clear();  // the calls that this ends say what they threw
    if (abandoned_.unheard) std::rethrow_exception(abandoned_.unheard);
    throw std::runtime_error(choice_.algorithm->full_name() + " " + wrong);
  }
  return results();
}

// --- the event loop
// ---------------------------------------------------------------------------------------------------

void Simulation::plan(double seconds, Event::Kind kind, std::uint32_t id) {
  events_.push(on_grid(seconds), {kind, id});
}

/// All that ends at one instant is known before any of it is acted upon: what an engine tells first must not matter.
void Simulation::flow_finished(std::uint32_t flow) {
  --flows_;
  if (record_) note_holders(flow);
  if (finished_flows_.empty()) network_.wake_at(network_.now_seconds());
  finished_flows_.push_back(flow);
}

void Simulation::flow_finishes(std::uint32_t flow) {
  if (flow & kLocalFlow)
    processors_.fetch_ahead(static_cast<Rank>(flow & ~kLocalFlow));
  else
    messages_.fetch_ahead(flow);
}

/// What is due: also what a clock that has been running for long tells too early by rounding.
void Simulation::wake() {
  const double network_now = network_.now_seconds(), now = on_grid(network_now - origin_seconds_);
  left_off_ |= (now > leave_off_seconds_ && ended_ < simulated_ranks()) || interrupted();
  if (left_off_) {  // what flows ends, and that is all
    finished_flows_.clear();
    events_.clear();
    return;
  }
  if (!finished_flows_.empty()) {
    now_ = std::max(now_, now);
    std::sort(finished_flows_.begin(), finished_flows_.end());
    for (const std::uint32_t flow : finished_flows_) {
      if (flow & kLocalFlow)
        run_queue(static_cast<Rank>(flow & ~kLocalFlow));
      else
        flow_over(flow);
      resume_ready();
    }
    finished_flows_.clear();
  }
  const double until = now + 4e-16 * network_now;
  while (!events_.empty()) {
    const double next = events_.next_seconds();
    if (next > until) {
      network_.wake_at(origin_seconds_ + next);
      break;
    }
    now_ = next;
    handle(events_.pop([this](const Event& event, std::size_t events) { fetch_ahead(event, events); }));
    resume_ready();
  }
  if (congestion_) settle_congestion();
}

void Simulation::resume_ready() {
  for (std::size_t i = 0; i < ready_.size() && !abandoned_.any; ++i) ready_[i].resume();
  ready_.clear();
  if (abandoned_.any) events_.clear();  // frames that it would resume may be gone
}

void Simulation::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::start_rank: {
      const auto rank = static_cast<Rank>(event.id);
      const Comm comm(*this, rank, experiment_.c.ranks);
      tasks_.push_back(is_background(rank) ? drive_background(comm, this, rank) : drive(comm, this, rank));
      return;
    }
    case Event::Kind::work_over:
      return run_queue(static_cast<Rank>(event.id));
    case Event::Kind::transfer:
      return transfer(event.id);
    case Event::Kind::flow_over:
      return flow_over(event.id);
    case Event::Kind::acknowledged:
      return complete_op(event.id);
    case Event::Kind::tree_stands:
      return;  // see wake()
    case Event::Kind::tree_passes:
      if (congestion_->passes(event.id, now())) flow(event.id);
      return;
  }
}

}  // namespace tutti
