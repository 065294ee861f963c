// What ranks post: checked, matched, delivered.
#include <algorithm>

#include "sim/proof/executor_state.hpp"

namespace tutti::proof {

Op Executor::State::send(CallScope& scope, Rank to, const View& what, int lane, SendMode) {
  const auto provers = own_memory.proof_runs();
  const std::uint32_t slot = post_message(scope, Kind::send, to, what, lane, {{what, false}});
  OpRecord& op = ops_[slot];
  op.round = ranks[scope.rank].ports.start(round_, to, ports_);
  op.news = ranks[scope.rank].call(scope).heard_of;
  ++execution_.messages;
  execution_.elements_sent += what.elements();
  match(slot);
  return op_of(slot, op.generation);
}

Op Executor::State::recv(CallScope& scope, Rank from, const View& into, int lane) {
  const auto provers = own_memory.proof_runs();
  const std::uint32_t slot = post_message(scope, Kind::recv, from, into, lane, {{into, true}});
  match(slot);
  return op_of(slot, ops_[slot].generation);
}

Op Executor::State::recv_combine(CallScope& scope, Rank from, const View& to, const View& own, Incoming side,
                                 int lane) {
  const auto provers = own_memory.proof_runs();
  if (to.elements() != own.elements())
    throw FaultFound({FaultKind::size_mismatch, describe(scope.rank) + "combines views of different sizes"});
  refuse_partial_overlap(scope.rank, "combines", to, own);
  const std::uint32_t slot = post_message(scope, Kind::recv, from, to, lane, {{to, true}, {own, false}});
  OpRecord& op = ops_[slot];
  op.own = own;
  op.combines = side;
  match(slot);
  return op_of(slot, op.generation);
}

Op Executor::State::copy(CallScope& scope, const View& to, const View& from) {
  const auto provers = own_memory.proof_runs();
  if (to.elements() != from.elements())
    throw FaultFound({FaultKind::size_mismatch, describe(scope.rank) + "copies " + std::to_string(from.elements()) +
                                                    " elements to " + std::to_string(to.elements())});
  if (to == from) return finished(post(scope, Kind::local, {}));
  refuse_partial_overlap(scope.rank, "copies", to, from);
  const std::uint32_t slot = post(scope, Kind::local, {{to, true}, {from, false}});
  move(scope.rank, to, scope.rank, from);
  return finished(slot);
}

Op Executor::State::combine(CallScope& scope, const View& to, const View& left, const View& right) {
  const auto provers = own_memory.proof_runs();
  if (to.elements() != left.elements() || to.elements() != right.elements())
    throw FaultFound({FaultKind::size_mismatch, describe(scope.rank) + "combines views of different sizes"});
  for (const View& operand : {left, right}) refuse_partial_overlap(scope.rank, "combines", to, operand);
  const std::uint32_t slot = post(scope, Kind::local, {{to, true}, {left, false}, {right, false}});
  ranks[scope.rank].buffers.gather(left, left_);
  ranks[scope.rank].buffers.gather(right, right_);
  combine_to(scope.rank, to);
  return finished(slot);
}

View Executor::State::scratch(CallScope& scope, Count elements) {
  const auto provers = own_memory.proof_runs();
  if (elements < 0)
    throw FaultFound({FaultKind::out_of_bounds,
                      describe(scope.rank) + "asks for scratch of " + std::to_string(elements) + " elements"});
  RankState& rank = ranks[scope.rank];
  rank.scratch_elements += static_cast<double>(elements);
  const auto refuse = [&](std::int64_t most, const char* of_what) {
    throw FaultFound(
        {FaultKind::endless, describe(scope.rank) + "asks for more than " + std::to_string(most) + of_what});
  };
  if (rank.scratch_elements > static_cast<double>(most_scratch_))
    refuse(most_scratch_, " elements of scratch, far more than its vectors have");
  if (++rank.scratches > most_operations_) refuse(most_operations_, " pieces of scratch");
  return rank.buffers.scratch(elements);
}

Rank Executor::State::peer(const CallScope& scope, Rank other) const {
  if (other >= 0 && other < static_cast<Rank>(ranks.size())) return other;
  throw FaultFound({FaultKind::out_of_bounds, describe(scope.rank) + "names rank " + std::to_string(other) + " of " +
                                                  std::to_string(ranks.size())});
}

std::uint32_t Executor::State::post(CallScope& scope, Kind kind, std::initializer_list<Access> accesses) {
  RankState& rank = ranks[scope.rank];
  if (++rank.posted > most_operations_)
    throw FaultFound({FaultKind::endless, describe(scope.rank) + "posts more than " + std::to_string(most_operations_) +
                                              " operations, far more than are declared"});
  for (const Access& access : accesses) {
    check_bounds(scope.rank, access.view);
    if (!access.writes) continue;
    if (const auto text = rank.buffers.constant(access.view))
      throw FaultFound({FaultKind::input_overwritten, describe(scope.rank) + *text});
  }
  const auto slot = static_cast<std::uint32_t>(posted_);
  if (auto race = rank.open.add(op_of(slot, 0), scope, accesses))
    throw FaultFound({FaultKind::race, describe(scope.rank) + *race});
  OpRecord& op = slot < ops_.size() ? ops_[slot] = {} : ops_.emplace_back();
  ++posted_;
  op.kind = kind;
  op.scope = &scope;
  op.rank = scope.rank;
  op.before = std::exchange(rank.call(scope).last, slot);
  ++scope.outstanding;
  return slot;
}

std::uint32_t Executor::State::post_message(CallScope& scope, Kind kind, Rank other, const View& view, int lane,
                                            std::initializer_list<Access> accesses) {
  const std::uint32_t slot = post(scope, kind, accesses);
  OpRecord& op = ops_[slot];
  op.peer = peer(scope, other);
  op.lane = lane;
  op.view = view;
  return slot;
}

void Executor::State::check_bounds(Rank rank, const View& view) const {
  if (const auto text = ranks[rank].buffers.outside(view))
    throw FaultFound({FaultKind::out_of_bounds, describe(rank) + *text});
}

void Executor::State::match(std::uint32_t slot) {
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

void Executor::State::deliver_in(std::int64_t round, std::uint32_t sent, std::uint32_t received) {
  if (arrivals_.size() <= static_cast<std::size_t>(round)) arrivals_.resize(static_cast<std::size_t>(round) + 1);
  arrivals_[round].push_back({sent, received});
}

void Executor::State::deliver(std::uint32_t sent, std::uint32_t received) {
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

Op Executor::State::finished(std::uint32_t slot) {
  finish(slot);
  return op_of(slot, ops_[slot].generation);
}

void Executor::State::finish(std::uint32_t slot) {
  OpRecord& op = ops_[slot];
  op.done = true;
  if (op.waiter) {
    order_after(*op.waiting, op_of(slot, op.generation));
    if (--op.waiter->pending == 0) ready_.push_back(op.waiter->handle);
  }
  if (!op.scope) return;  // abandoned
  if (Waiter* waiter = op.scope->completed_one()) ready_.push_back(waiter->handle);
}

void Executor::State::combine_to(Rank rank, const View& to) {
  combine_into(left_, right_, terms);
  ranks[rank].buffers.scatter(to, left_);
}

void Executor::State::move(Rank to_rank, const View& to, Rank from_rank, const View& from) {
  ranks[from_rank].buffers.gather(from, left_);
  ranks[to_rank].buffers.scatter(to, left_);
}

}  // namespace tutti::proof
