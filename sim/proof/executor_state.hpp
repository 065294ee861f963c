#pragma once

#include <coroutine>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algos/groups.hpp"
#include "sim/proof/executor.hpp"
#include "sim/proof/own_memory.hpp"
#include "sim/proof/records.hpp"

namespace tutti::proof {

/// What an executor does and keeps: `operations.cpp` posts, matches and delivers, `calls.cpp` orders what happens,
/// `executor.cpp` runs the rounds.
class Executor::State final : public Backend {
 public:
  TermTable terms;
  std::vector<RankState> ranks;
  OwnMemory own_memory;

  Execution run(AlgorithmFunction function, const Case& c, const Choice& choice, int ports, const Places& places,
                std::int64_t most_operations);

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
    const auto provers = own_memory.proof_runs();
    execution_.asked_for_groups = true;
    return groups_->find(rank, level, kind, within);
  }

 private:
  static std::string describe(Rank rank) { return "rank " + std::to_string(rank) + " "; }
  static Channel channel_of(const OpRecord& op) { return {group_id(*op.scope), op.scope->number, op.lane}; }
  bool is_done(Op op) const { return ops_[slot_of(op)].done; }

  void begin(CallScope& scope);
  void join(CallScope& scope);
  void leave(CallScope& scope);
  void refuse_foreign(Rank rank, Op op) const;
  void check_bounds(Rank rank, const View& view) const;
  Rank peer(const CallScope& scope, Rank other) const;

  /// What the call does from now on happens after the operation.
  void order_after(const CallScope& scope, Op op);

  std::uint32_t post(CallScope& scope, Kind kind, std::initializer_list<Access> accesses);
  std::uint32_t post_message(CallScope& scope, Kind kind, Rank other, const View& view, int lane,
                             std::initializer_list<Access> accesses);
  void match(std::uint32_t slot);
  void deliver_in(std::int64_t round, std::uint32_t sent, std::uint32_t received);
  void deliver(std::uint32_t sent, std::uint32_t received);
  Op finished(std::uint32_t slot);
  void finish(std::uint32_t slot);

  /// What was gathered into left_ and right_.
  void combine_to(Rank rank, const View& to);
  void move(Rank to_rank, const View& to, Rank from_rank, const View& from);

  void prepare(const Case& c);
  GroupTable& groups_of(const Places& places);
  void drain_ready();

  std::unordered_map<std::size_t, std::vector<Posted>> pairs_;  // source * ranks + destination, of those that talk
  std::deque<OpRecord> ops_;                                    // those from posted_ on are of cases before
  std::size_t posted_ = 0;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> arrivals_;  // [round]: (send, receive)
  std::vector<std::coroutine_handle<>> ready_;
  /// The groups of one case are those of the next that has the same places.
  struct KeptGroups {
    explicit KeptGroups(Places of) : places(std::move(of)) {}
    Places places;
    std::unique_ptr<GroupTable> groups;
  };
  std::deque<KeptGroups> kept_groups_;  // of as many ranks as there are
  GroupTable* groups_ = nullptr;
  Pieces left_, right_;
  Execution execution_;
  std::int64_t round_ = 0;
  std::int64_t most_operations_ = 0;  // of a rank
  int ports_ = 1;
  bool running_ = false;
  bool out_of_memory_ = false;             // a call, or what it asked of the proof
  std::int64_t most_scratch_ = 0;          // elements of a rank
  std::optional<Fault> abandoned_, told_;  // a call was given up; with what it threw and nobody heard of
};

}  // namespace tutti::proof
