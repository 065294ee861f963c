#include "sim/simulated_calls.hpp"

#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "sim/rank_groups.hpp"

namespace tutti {
namespace {

bool has_barriers(const Mode& mode) { return mode.kind == Mode::Kind::barrier || mode.kind == Mode::Kind::loop; }

}  // namespace

BarrierBefore barrier_before(const Experiment& experiment) {
  const Case c{Collective::barrier, experiment.c.ranks, 0, 1, 0, false, Operator::sum};
  const Choice choice = default_choice(find_algorithm(Collective::barrier, experiment.mode.barrier_algorithm));
  if (!has_barriers(experiment.mode)) return {c, choice};
  if (const std::string reason = why_not(choice, c); !reason.empty())
    throw InputError("mode '" + experiment.mode.text() + "': " + choice.algorithm->full_name() + " cannot run: it " +
                     reason);
  return {c, resolve(choice, c)};
}

double declared_messages(const Machine& machine, const Experiment& experiment, const Case& c, const Choice& choice) {
  const auto cores = std::span(experiment.core_of_rank).first(static_cast<std::size_t>(c.ranks));
  const Places places = choice.algorithm->is_by_node() ? places_of(*machine.network, cores) : Places();
  return choice.algorithm->messages()(Facts(c, choice.parameters, places));
}

SimulatedCalls::SimulatedCalls(const Machine& machine, const Experiment& experiment, Symmetry symmetry)
    : machine_(machine),
      experiment_(experiment),
      symmetry_(std::move(symmetry)),
      choice_(resolve(experiment.choice, experiment.c)),
      barrier_(barrier_before(experiment)),
      groups_(groups_of(*machine.network, experiment.core_of_rank, experiment.c.ranks)),
      data_(experiment.payload, experiment.c.ranks),
      memory_(machine.compute, experiment.c,
              static_cast<std::size_t>(symmetry_.simulated(experiment.c.ranks) + background_ranks())) {
  if (experiment.core_of_rank.size() != static_cast<std::size_t>(experiment.c.ranks + background_ranks()))
    throw std::logic_error("SimulatedCalls: a core for every rank is needed");
}

std::vector<double> SimulatedCalls::arrivals_seconds() const {
  std::vector<double> seconds(static_cast<std::size_t>(simulated_ranks()), 0.0);
  if (!experiment_.mode.is_skewed()) return seconds;
  std::mt19937_64 random(experiment_.seed);
  if (const auto& measured = experiment_.mode.measured_seconds) {
    for (double& late : seconds) late = (*measured)[random() % measured->size()];
    return seconds;
  }
  std::normal_distribution<double> skew(0, 1);
  for (double& late : seconds) late = std::abs(skew(random)) * experiment_.mode.sigma_seconds;
  return seconds;
}

Task SimulatedCalls::begin_call(const Comm& comm, bool is_barrier) {
  const Case& c = is_barrier ? barrier_.c : experiment_.c;
  const Choice& choice = is_barrier ? barrier_.choice : choice_;
  if (data_) data_->begin(comm.rank(), c);
  memory_.begin_call(comm.rank());
  return choice.algorithm->function()(comm, make_call(c, choice, comm.rank()));
}

std::int64_t SimulatedCalls::messages_of_a_call() const {
  std::int64_t sends = sends_ * symmetry_.ranks.blocks;
  if (has_barriers(experiment_.mode))
    sends -= std::llround(declared_messages(barrier_.c, barrier_.choice)) *
             (experiment_.mode.kind == Mode::Kind::loop ? experiment_.mode.calls : 1);
  return sends / experiment_.mode.calls;
}

/// The background's ranks know only each other.
void SimulatedCalls::refuse_unless_there(Rank rank, Rank peer) const {
  if (is_background(rank)) return;
  if (peer < 0 || peer >= experiment_.c.ranks)
    throw std::out_of_range("names rank " + std::to_string(peer) + " of " + std::to_string(experiment_.c.ranks));
}

/// Before it writes there, the processor is busy with pages that are fresh.
void SimulatedCalls::touch(CallScope& scope, const View& written) {
  const std::int64_t fresh = memory_.touch(scope.rank, written);
  if (fresh > 0) keep_busy(scope, fresh, machine_.compute.temporary.seconds_per_byte);
}

/// Before the first message of its persistent requests, the processor is busy with making them.
void SimulatedCalls::make_requests(CallScope& scope) {
  const std::uint32_t count = std::exchange(scope.requests, 0);
  if (count > 0 && machine_.compute.request_seconds > 0) keep_busy(scope, count, machine_.compute.request_seconds);
}

/// Before an adapter reads or writes there by itself, the processor is busy with registering what is fresh. Whether a
/// message is eager can depend on its being waited for at once, which a receiver does not know: it registers for those
/// that never are.
void SimulatedCalls::register_for(CallScope& scope, const View& where, Rank peer, std::optional<bool> blocking) {
  if (machine_.compute.temporary.registration_seconds == 0 || where.buffer < View::kFirstScratch ||
      is_background(scope.rank))
    return;
  const auto core = [this](Rank rank) { return experiment_.core_of_rank[rank]; };
  const Distance distance = machine_.network->distance(core(scope.rank), core(peer));
  if (distance != Distance::network) return;
  const Transport& transport = machine_.transport(distance);
  const std::int64_t bytes = bytes_of(where);
  if (blocking ? transport.is_eager(bytes, *blocking)
               : transport.is_eager(bytes, false) || transport.is_eager(bytes, true))
    return;
  if (const double seconds = memory_.registration_seconds(scope.rank, where); seconds > 0) keep_busy(scope, 1, seconds);
}

Op SimulatedCalls::send(CallScope& scope, Rank to, const View& what, int lane, SendMode mode) {
  refuse_unless_there(scope.rank, to);
  make_requests(scope);
  const bool blocking = mode == SendMode::blocking;
  sends_ += !is_background(scope.rank);
  register_for(scope, what, to, blocking);
  const std::int64_t bytes = bytes_of(what);
  const double packing = is_packed(what) ? memory_.seconds_per_byte(scope.rank, bytes, machine_.compute.copy) : 0;
  return post_send(scope, {to, bytes, lane, blocking, packing},
                   {DataMoves::Move::Kind::send, scope.rank, {}, what, {}});
}

Op SimulatedCalls::recv(CallScope& scope, Rank from, const View& into, int lane) {
  return post_receive(scope, from, lane, is_packed(into) ? AtEnd::unpack : AtEnd::nothing,
                      {DataMoves::Move::Kind::receive, scope.rank, into, {}, {}});
}

Op SimulatedCalls::recv_combine(CallScope& scope, Rank from, const View& to, const View& own, Incoming side, int lane) {
  return post_receive(scope, from, lane, to.empty() ? AtEnd::nothing : AtEnd::combine,
                      {DataMoves::Move::Kind::receive_combined, scope.rank, to, own, {}, side});
}

Op SimulatedCalls::post_receive(CallScope& scope, Rank from, int lane, AtEnd at_end, const DataMoves::Move& move) {
  refuse_unless_there(scope.rank, from);
  make_requests(scope);
  touch(scope, move.to);
  register_for(scope, move.to, from, std::nullopt);
  const std::int64_t bytes = bytes_of(move.to);
  const Compute::Rate* const rate = rate_at_end(at_end, false, machine_.compute);
  return post_receive(scope, {from, bytes, lane, at_end, rate ? memory_.seconds_per_byte(scope.rank, bytes, *rate) : 0},
                      move);
}

Op SimulatedCalls::copy(CallScope& scope, const View& to, const View& from) {
  touch(scope, to);
  return post_work(scope, to == from ? 0 : bytes_of(to), machine_.compute.copy,
                   {DataMoves::Move::Kind::copy, scope.rank, to, from, {}});
}

Op SimulatedCalls::combine(CallScope& scope, const View& to, const View& left, const View& right) {
  touch(scope, to);
  return post_work(scope, bytes_of(to), machine_.compute.reduce,
                   {DataMoves::Move::Kind::combine, scope.rank, to, left, right});
}

View SimulatedCalls::scratch(CallScope& scope, Count elements) { return memory_.scratch(scope.rank, elements, data_); }

const Group* SimulatedCalls::group(Rank rank, Level level, GroupKind kind, const Group* within) {
  return groups_.find(rank, level, kind, within);
}

}  // namespace tutti
