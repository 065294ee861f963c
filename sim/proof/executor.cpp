#include "sim/proof/executor.hpp"

#include <algorithm>
#include <deque>

#include "algos/groups.hpp"
#include "sim/proof/records.hpp"

namespace tutti::proof {
namespace {

constexpr std::size_t kMostTerms = 1u << 20;

}  // namespace

class Executor::State final : public Backend {
 public:
  TermTable terms;
  std::vector<RankState> ranks;

  Execution run(AlgorithmFunction function, const Case& c, const Choice& choice, int ports,
                const NodeOfRank& node_of_rank);

  Op send(CallScope& scope, Rank to, const View& what, int lane) override {
    const std::uint32_t slot = post(scope, Kind::send, {{what, false}});
    OpRecord& op = ops_[slot];
    op.peer = peer(scope, to);
    op.lane = lane;
    op.view = what;
    op.round = ranks[scope.rank].ports.start(round_, to, ports_);
    op.news = ranks[scope.rank].call(scope).heard_of;
    ++execution_.messages;
    execution_.elements_sent += what.elements();
    match(slot);
    return {slot, op.generation};
  }
  Op recv(CallScope& scope, Rank from, const View& into, int lane) override {
    const std::uint32_t slot = post(scope, Kind::recv, {{into, true}});
    OpRecord& op = ops_[slot];
    op.peer = peer(scope, from);
    op.lane = lane;
    op.view = into;
    match(slot);
    return {slot, op.generation};
  }
  Op recv_combine(CallScope& scope, Rank from, const View& to, const View& own, Incoming side, int lane) override {
    if (to.elements() != own.elements())
      throw FaultFound({FaultKind::size_mismatch, describe(scope.rank) + "combines views of different sizes"});
    refuse_partial_overlap(describe(scope.rank) + "combines", to, own);
    const std::uint32_t slot = post(scope, Kind::recv, {{to, true}, {own, false}});
    OpRecord& op = ops_[slot];
    op.peer = peer(scope, from);
    op.lane = lane;
    op.view = to;
    op.own = own;
    op.combines = side;
    match(slot);
    return {slot, op.generation};
  }
  Op copy(CallScope& scope, const View& to, const View& from) override {
    if (to.elements() != from.elements())
      throw FaultFound({FaultKind::size_mismatch, describe(scope.rank) + "copies " + std::to_string(from.elements()) +
                                                      " elements to " + std::to_string(to.elements())});
    if (to == from) return finished(post(scope, Kind::local, {}));
    refuse_partial_overlap(describe(scope.rank) + "copies", to, from);
    const std::uint32_t slot = post(scope, Kind::local, {{to, true}, {from, false}});
    move(scope.rank, to, scope.rank, from);
    return finished(slot);
  }
  Op combine(CallScope& scope, const View& to, const View& left, const View& right) override {
    if (to.elements() != left.elements() || to.elements() != right.elements())
      throw FaultFound({FaultKind::size_mismatch, describe(scope.rank) + "combines views of different sizes"});
    for (const View& operand : {left, right}) refuse_partial_overlap(describe(scope.rank) + "combines", to, operand);
    const std::uint32_t slot = post(scope, Kind::local, {{to, true}, {left, false}, {right, false}});
    ranks[scope.rank].buffers.gather(left, left_);
    ranks[scope.rank].buffers.gather(right, right_);
    combine_to(scope.rank, to);
    return finished(slot);
  }
  View scratch(CallScope& scope, Count elements) override { return ranks[scope.rank].buffers.scratch(elements); }
  bool complete(CallScope& scope, std::span<const Op> ops) override {
    ranks[scope.rank].ports.wait();
    for (const Op op : ops) refuse_foreign(scope.rank, op);
    if (!std::all_of(ops.begin(), ops.end(), [&](Op op) { return is_done(op); })) return false;
    for (const Op op : ops) order_after(scope, op);
    return true;
  }
  void park(CallScope& scope, Waiter& waiter, std::span<const Op> ops) override {
    for (const Op op : ops)
      if (OpRecord& record = ops_[op.slot]; record.done) {
        order_after(scope, op);
      } else if (record.waiter != &waiter) {  // else it is named twice
        if (record.waiter) throw std::logic_error("two waits for one operation at a time");
        record.waiter = &waiter;
        record.waiting = &scope;
        ++waiter.pending;
      }
  }
  void enter(CallScope& scope) override {
    RankState& rank = ranks[scope.rank];
    scope.number = rank.calls[group_id(scope)]++;
    LiveCall call{&scope, false, {}, scope.parent ? rank.call(*scope.parent).heard_of : rank.heard_of};
    rank.live.push_back(std::move(call));
    rank.open.begin(scope);
  }
  void joined(CallScope& scope) override {
    if (!scope.over()) return;  // it threw
    RankState& rank = ranks[scope.rank];
    LiveCall& call = rank.call(scope);
    call.joined = true;
    rank.open.join(scope);
    if (rank.heard_of.empty()) return;
    for (const std::uint32_t slot : call.ops) learn(call.heard_of, ops_[slot].news);
    learn(scope.parent ? rank.call(*scope.parent).heard_of : rank.heard_of, call.heard_of);
  }
  void leave(CallScope& scope) override {
    RankState& rank = ranks[scope.rank];
    if (!scope.parent) joined(scope);
    const LiveCall& call = rank.call(scope);
    if (running_ && scope.exception && !scope.heard) told_ = told_ ? told_ : fault_of(scope.exception, scope.rank);
    // Also if it happens to be over: at another speed of the network it would not be.
    else if (!call.joined && running_ && !abandoned_)
      abandoned_ =
          Fault{FaultKind::call_abandoned, describe(scope.rank) + "gives up a call without waiting for its end"};
    for (const std::uint32_t slot : call.ops) {
      ops_[slot].scope = nullptr;
      ops_[slot].waiter = nullptr;
    }
    rank.open.leave(scope);
    std::erase_if(rank.live, [&](const LiveCall& live) { return live.scope == &scope; });
  }
  const Group* group(Rank rank, Level level, bool leaders) override {
    execution_.asked_for_groups = true;
    return groups_->find(rank, level, leaders);
  }

 private:
  static std::string describe(Rank rank) { return "rank " + std::to_string(rank) + " "; }
  static std::uint32_t group_id(const CallScope& scope) { return scope.group ? scope.group->id : 0; }
  static Channel channel_of(const OpRecord& op) { return {group_id(*op.scope), op.scope->number, op.lane}; }
  bool is_done(Op op) const { return ops_[op.slot].done; }

  void refuse_foreign(Rank rank, Op op) const {
    if (op.slot >= ops_.size()) throw std::logic_error("waits for what is no operation");
    if (ops_[op.slot].rank != rank) throw std::logic_error("waits for an operation of another rank");
  }

  /// What the call does from now on happens after the operation.
  void order_after(const CallScope& scope, Op op) {
    ranks[scope.rank].open.close(op, scope);
    const Ranks& news = ops_[op.slot].news;
    if (!news.empty()) learn(ranks[scope.rank].call(scope).heard_of, news);
  }
  Rank peer(const CallScope& scope, Rank other) const {
    if (other >= 0 && other < static_cast<Rank>(ranks.size())) return other;
    throw FaultFound({FaultKind::out_of_bounds, describe(scope.rank) + "names rank " + std::to_string(other) + " of " +
                                                    std::to_string(ranks.size())});
  }

  std::uint32_t post(CallScope& scope, Kind kind, std::initializer_list<Access> accesses) {
    RankState& rank = ranks[scope.rank];
    for (const Access& access : accesses) check_bounds(scope.rank, access.view);
    const auto slot = static_cast<std::uint32_t>(ops_.size());
    if (auto race = rank.open.add({slot, 0}, scope, accesses))
      throw FaultFound({FaultKind::race, describe(scope.rank) + *race});
    OpRecord& op = ops_.emplace_back();
    op.kind = kind;
    op.scope = &scope;
    op.rank = scope.rank;
    rank.call(scope).ops.push_back(slot);
    ++scope.outstanding;
    return slot;
  }
  void check_bounds(Rank rank, const View& view) const {
    if (const auto text = ranks[rank].buffers.outside(view))
      throw FaultFound({FaultKind::out_of_bounds, describe(rank) + *text});
  }

  void match(std::uint32_t slot) {
    const OpRecord& op = ops_[slot];
    const bool is_send = op.kind == Kind::send;
    const auto size = ranks.size();
    auto& waiting = pairs_[is_send ? op.rank * size + op.peer : op.peer * size + op.rank];
    const Channel channel = channel_of(op);
    const auto other = std::find_if(waiting.begin(), waiting.end(), [&](const Posted& posted) {
      return ops_[posted.slot].kind != op.kind && posted.channel == channel;
    });
    if (other == waiting.end()) {
      waiting.push_back({channel, slot});
      return;
    }
    const std::uint32_t partner = other->slot;
    waiting.erase(other);
    deliver_in(std::max(ops_[is_send ? slot : partner].round, round_), is_send ? slot : partner,
               is_send ? partner : slot);
  }
  void deliver_in(std::int64_t round, std::uint32_t sent, std::uint32_t received) {
    if (arrivals_.size() <= static_cast<std::size_t>(round)) arrivals_.resize(static_cast<std::size_t>(round) + 1);
    arrivals_[static_cast<std::size_t>(round)].push_back({sent, received});
  }

  void deliver(std::uint32_t sent, std::uint32_t received) {
    const OpRecord &from = ops_[sent], &to = ops_[received];
    if (!ranks[to.rank].ports.take_in(round_, from.rank, from.round, ports_))
      return deliver_in(round_ + 1, sent, received);
    if (from.view.elements() != to.view.elements())
      throw FaultFound({FaultKind::size_mismatch, "rank " + std::to_string(from.rank) + " sends " +
                                                      std::to_string(from.view.elements()) + " elements to rank " +
                                                      std::to_string(to.rank) + ", which receives " +
                                                      std::to_string(to.view.elements())});
    if (to.combines) {
      ranks[from.rank].buffers.gather(from.view, *to.combines == Incoming::left ? left_ : right_);
      ranks[to.rank].buffers.gather(to.own, *to.combines == Incoming::left ? right_ : left_);
      combine_to(to.rank, to.view);
    } else {
      move(to.rank, to.view, from.rank, from.view);
    }
    execution_.rounds = std::max(execution_.rounds, round_);
    ops_[received].news = from.news;
    finish(sent);
    finish(received);
  }

  Op finished(std::uint32_t slot) {
    finish(slot);
    return {slot, ops_[slot].generation};
  }
  void finish(std::uint32_t slot) {
    OpRecord& op = ops_[slot];
    op.done = true;
    if (op.waiter) {
      order_after(*op.waiting, {slot, op.generation});
      if (--op.waiter->pending == 0) ready_.push_back(op.waiter->handle);
    }
    if (!op.scope) return;  // abandoned
    if (Waiter* waiter = op.scope->completed_one()) ready_.push_back(waiter->handle);
  }

  /// What was gathered into left_ and right_.
  void combine_to(Rank rank, const View& to) {
    combine_into(left_, right_, terms);
    ranks[rank].buffers.scatter(to, left_);
  }
  void move(Rank to_rank, const View& to, Rank from_rank, const View& from) {
    ranks[from_rank].buffers.gather(from, left_);
    ranks[to_rank].buffers.scatter(to, left_);
  }

  void prepare(const Case& c);
  void drain_ready();

  std::vector<std::vector<Posted>> pairs_;  // [source * ranks + destination]
  std::deque<OpRecord> ops_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> arrivals_;  // [round]: (send, receive)
  std::vector<std::coroutine_handle<>> ready_;
  std::unique_ptr<GroupTable> groups_;
  std::vector<Symbol> left_, right_;
  Execution execution_;
  std::int64_t round_ = 0;
  int ports_ = 1;
  bool running_ = false;
  std::optional<Fault> abandoned_, told_;  // a call was given up; with what it threw and nobody heard of
};

void Executor::State::prepare(const Case& c) {
  const auto size = static_cast<std::size_t>(c.ranks);
  if (terms.size() > kMostTerms) terms.clear();
  if (pairs_.size() != size * size) pairs_.assign(size * size, {});
  for (auto& waiting : pairs_) waiting.clear();
  ranks.resize(size);
  ops_.clear();
  for (auto& messages : arrivals_) messages.clear();
  ready_.clear();
  execution_ = {};
  round_ = 0;
  for (Rank r = 0; r < c.ranks; ++r) {
    RankState& rank = ranks[r];
    rank.buffers.fill(terms, c, r);
    rank.open.clear();
    rank.ports = {};
    rank.calls.clear();
    rank.live.clear();
    rank.heard_of.assign(c.collective == Collective::barrier ? size : 0, false);
    if (c.collective == Collective::barrier) rank.heard_of[static_cast<std::size_t>(r)] = true;
  }
}

void Executor::State::drain_ready() {
  for (std::size_t i = 0; i < ready_.size() && !abandoned_ && !told_; ++i)
    ready_[i].resume();  // others may be of dead frames
  ready_.clear();
}

Execution Executor::State::run(AlgorithmFunction function, const Case& c, const Choice& choice, int ports,
                               const NodeOfRank& node_of_rank) {
  prepare(c);
  ports_ = ports;
  groups_ = std::make_unique<GroupTable>(c.ranks, [&node_of_rank](Rank r, Level) {
    return node_of_rank.empty() ? r : node_of_rank[static_cast<std::size_t>(r)];
  });
  std::vector<Task> tasks;
  tasks.reserve(ranks.size());
  const auto check = [&](Rank rank) {
    try {
      tasks[static_cast<std::size_t>(rank)].rethrow();
    } catch (...) {
      throw FaultFound(fault_of(std::current_exception(), rank));
    }
    if (!abandoned_ && !told_) return;
    tasks.clear();  // the calls that this ends say what they threw
    throw FaultFound(told_ ? *told_ : *abandoned_);
  };
  running_ = true;
  abandoned_.reset();
  told_.reset();
  try {
    for (Rank r = 0; r < c.ranks; ++r) {
      tasks.push_back(function(Comm(*this, r, c.ranks), make_call(c, choice, r)));
      check(r);
    }
    for (; static_cast<std::size_t>(round_) < arrivals_.size(); ++round_) {
      auto& due = arrivals_[static_cast<std::size_t>(round_)];
      std::sort(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      for (std::size_t i = 0; i < arrivals_[static_cast<std::size_t>(round_)].size(); ++i) {
        const auto [sent, received] = arrivals_[static_cast<std::size_t>(round_)][i];
        deliver(sent, received);
        drain_ready();
        check(ops_[sent].rank);
        check(ops_[received].rank);
      }
    }
    if (!std::all_of(tasks.begin(), tasks.end(), [](const Task& task) { return task.over(); })) {
      execution_.fault = stuck(ops_);
      tasks.clear();  // the calls that this ends say what they threw
      if (told_) execution_.fault = told_;
    }
  } catch (const FaultFound& found) {
    execution_.fault = found.fault;
  }
  running_ = false;
  return execution_;
}

Executor::Executor() : state_(std::make_unique<State>()) {}
Executor::~Executor() = default;

Execution Executor::run(AlgorithmFunction function, const Case& c, const Choice& choice, int ports,
                        const NodeOfRank& node_of_rank) {
  return state_->run(function, c, choice, ports, node_of_rank);
}
const Buffers& Executor::buffers(Rank rank) const { return state_->ranks[static_cast<std::size_t>(rank)].buffers; }
bool Executor::heard_of(Rank rank, Rank other) const {
  return state_->ranks[static_cast<std::size_t>(rank)].heard_of[static_cast<std::size_t>(other)];
}
TermTable& Executor::terms() { return state_->terms; }

}  // namespace tutti::proof
