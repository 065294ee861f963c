#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "algos/groups.hpp"
#include "sim/data_moves.hpp"
#include "sim/engine.hpp"
#include "sim/message_cost.hpp"
#include "sim/symmetry.hpp"
#include "sim/time_grid.hpp"
#include "sim/working_memory.hpp"

namespace tutti {

struct BarrierBefore {
  Case c;
  Choice choice;
};
/// The barrier that the mode puts before calls. Throws InputError where it cannot run on so many ranks.
BarrierBefore barrier_before(const Experiment& experiment);

/// What the metadata says of one call on the experiment's ranks, where they are.
double declared_messages(const Machine& machine, const Experiment& experiment, const Case& c, const Choice& choice);

/// The calls of an experiment, as every engine sees them: which ones a rank makes, what each operation that it posts is
/// in terms of the message protocol, and what the ranks' times come to. When things happen is for the engine to say.
class SimulatedCalls : public Backend {
 public:
  // Backend
  Op send(CallScope& scope, Rank to, const View& what, int lane, SendMode mode) final;
  Op recv(CallScope& scope, Rank from, const View& into, int lane) final;
  Op recv_combine(CallScope& scope, Rank from, const View& to, const View& own, Incoming side, int lane) final;
  Op copy(CallScope& scope, const View& to, const View& from) final;
  Op combine(CallScope& scope, const View& to, const View& left, const View& right) final;
  View scratch(CallScope& scope, Count elements) final;
  const Group* group(Rank rank, Level level, GroupKind kind, const Group* within) final;

 protected:
  struct Outgoing {
    Rank to;
    std::int64_t bytes;
    int lane;
    bool blocking;
    /// Not 0: if it is not eager, the sender's processor copies it together, for so long; no faster does it flow.
    double packing_seconds_per_byte;
  };
  struct Awaited {
    Rank from;
    std::int64_t bytes;
    int lane;
    AtEnd at_end;
    double at_end_seconds_per_byte;
  };

  /// The machine and the experiment must outlive it.
  SimulatedCalls(const Machine& machine, const Experiment& experiment, Symmetry symmetry);
  /// What the operation does to the payload is to be noted, where there is one (data_).
  virtual Op post_send(CallScope& scope, const Outgoing& message, const DataMoves::Move& move) = 0;
  virtual Op post_receive(CallScope& scope, const Awaited& message, const DataMoves::Move& move) = 0;
  /// A copy or a combination of so many bytes, which may be none.
  virtual Op post_work(CallScope& scope, std::int64_t bytes, const Compute::Rate& rate,
                       const DataMoves::Move& move) = 0;
  /// The rank's processor is busy `times` times so long with what nobody waits for.
  virtual void keep_busy(CallScope& scope, std::int64_t times, double seconds) = 0;

  /// How many ranks are simulated.
  Rank simulated_ranks() const { return symmetry_.simulated(experiment_.c.ranks); }
  /// Those of another job, behind the case's.
  int background_ranks() const { return experiment_.background ? experiment_.background->ranks : 0; }
  std::size_t all_ranks() const { return static_cast<std::size_t>(simulated_ranks() + background_ranks()); }
  bool is_background(Rank rank) const { return rank >= experiment_.c.ranks; }
  /// Late by how much each of the simulated ranks begins.
  std::vector<double> arrivals_seconds() const;
  bool has_barrier_before(int call) const {
    return experiment_.mode.kind == Mode::Kind::loop || (experiment_.mode.kind == Mode::Kind::barrier && call == 0);
  }
  /// The experiment's call on a rank, or the barrier before it. end_call() once it is over.
  Task begin_call(const Comm& comm, bool is_barrier);
  void end_call(Rank rank) {
    if (data_) data_->end(rank);
  }

  struct Stay {
    double started_seconds, ended_seconds;  // of the calls that are timed
  };
  /// `stay_of(rank)` of those that are simulated.
  template <class StayOf>
  void take_times(Result& result, const StayOf& stay_of) const;
  double declared_messages(const Case& c, const Choice& choice) const {
    return tutti::declared_messages(machine_, experiment_, c, choice);
  }
  /// Those of the barriers before it do not count.
  std::int64_t messages_of_a_call() const;

  const Machine& machine_;
  const Experiment& experiment_;
  const Symmetry symmetry_;
  const Choice choice_;
  const BarrierBefore barrier_;
  GroupTable groups_;
  DataMoves data_;
  WorkingMemory memory_;
  std::int64_t sends_ = 0;

 private:
  void refuse_unless_there(Rank rank, Rank peer) const;
  void touch(CallScope& scope, const View& written);
  void register_for(CallScope& scope, const View& where, Rank peer, std::optional<bool> blocking);
  void make_requests(CallScope& scope);
  Op post_receive(CallScope& scope, Rank from, int lane, AtEnd at_end, const DataMoves::Move& move);
  bool is_packed(const View& what) const { return machine_.compute.packs && !what.is_contiguous(); }
  std::int64_t bytes_of(const View& what) const { return what.elements() * experiment_.c.element_bytes; }
};

template <class StayOf>
void SimulatedCalls::take_times(Result& result, const StayOf& stay_of) const {
  const int timed = experiment_.mode.kind == Mode::Kind::loop ? 1 : experiment_.mode.calls;
  double last_start = 0, last_end = 0;
  result.seconds_per_rank.reserve(experiment_.core_of_rank.size());
  for (Rank rank = 0; rank < experiment_.c.ranks; ++rank) {
    const Stay stay = stay_of(symmetry_.ranks.representative(rank));
    result.seconds_per_rank.push_back(rounded((stay.ended_seconds - stay.started_seconds) / timed));
    result.makespan_seconds = std::max(result.makespan_seconds, result.seconds_per_rank.back());
    last_start = std::max(last_start, stay.started_seconds);
    last_end = std::max(last_end, stay.ended_seconds);
  }
  if (experiment_.mode.kind == Mode::Kind::skew) result.makespan_seconds = rounded(last_end - last_start);
}

}  // namespace tutti
