#include "runtime/executor.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "runtime/error.hpp"
#include "runtime/loopback.hpp"

namespace tutti {
namespace {

/// What a core keeps near itself; where the system does not know, no call is larger.
Count own_cache_bytes() {
  const long known = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return known > 0 ? known : std::numeric_limits<Count>::max();
}

}  // namespace

Executor::Executor(Bootstrap& bootstrap, std::function<int(Rank, Level)> place, WaitPolicy policy,
                   std::chrono::duration<double> limit)
    : bootstrap_(bootstrap),
      rank_(bootstrap.rank()),
      size_(bootstrap.size()),
      policy_(policy),
      limit_(limit),
      groups_(size_, std::move(place)),
      matcher_(size_),
      own_cache_bytes_(own_cache_bytes()),
      gone_(static_cast<std::size_t>(size_)),
      routes_(static_cast<std::size_t>(size_), nullptr) {
  add(std::make_unique<Loopback>(rank_, inbox()));
}

Executor::~Executor() {
  close_transports();
  running_.clear();  // frames leave their calls while the rest is still there
  for (Combination& combination : combinations_)
    if (combination.staged.bytes) pool_.give_back(combination.staged);
}

void Executor::add(std::unique_ptr<MessageTransport> transport) {
  for (Rank peer = 0; peer < size_; ++peer)
    if (MessageTransport*& route = routes_[peer]; !route && transport->reaches(peer)) route = transport.get();
  transports_.push_back(std::move(transport));
}

std::shared_ptr<void> Executor::allocate(std::size_t bytes) {
  for (const auto& transport : transports_)
    if (auto memory = transport->allocate(bytes)) return memory;
  return nullptr;
}

// --- operations

Envelope Executor::envelope_of(const CallScope& scope, int lane, std::uint64_t bytes) const {
  return {group_id(scope), scope.number, static_cast<std::uint8_t>(lane), bytes};
}

MessageTransport& Executor::route(Rank peer) const {
  if (peer < 0 || peer >= size_)
    throw std::out_of_range("names rank " + std::to_string(peer) + " of " + std::to_string(size_));
  return *routes_[peer];
}

Ticket Executor::open(CallScope& scope, bool is_send, Rank peer, int lane, const Region& region) {
  if (free_.empty()) {
    free_.push_back(static_cast<Ticket>(records_.size()));
    records_.emplace_back();
  }
  const Ticket ticket = free_.back();
  free_.pop_back();
  Record& record = records_[ticket];
  record = {record.generation, true, is_send, false, lane, peer, &scope, nullptr, region};
  ++scope.outstanding;
  return ticket;
}

void Executor::complete(Ticket ticket) {
  Record& record = records_[ticket];
  ++record.generation;
  record.open = false;
  free_.push_back(ticket);
  if (!record.scope) return;
  if (record.waiter && --record.waiter->pending == 0) ready_.push_back(record.waiter->handle);
  if (Waiter* waiter = record.scope->completed_one()) ready_.push_back(waiter->handle);
}

Op Executor::send(CallScope& scope, Rank to, const View& what, int lane, SendMode) {
  MessageTransport& transport = route(to);
  const Region region = memory_of(scope).region(what);
  const Envelope envelope = envelope_of(scope, lane, region.bytes());
  if (transport.send_at_once(to, envelope, region)) return done_op();
  const Ticket ticket = open(scope, true, to, lane, region);
  const Op op = op_of(ticket, records_[ticket].generation);
  if (transport.send(to, envelope, region, ticket)) complete(ticket);
  return op;
}

std::string Executor::why_no_multicast() const {
  std::string why;
  for (const auto& transport : transports_) {
    const std::string reason = size_ == 1 ? "" : transport->why_no_multicast();
    if (reason.empty()) return "";
    why += (why.empty() ? "" : "; ") + reason;
  }
  return why;
}

Op Executor::multicast(const View& what) {
  if (size_ == 1) return done_op();
  CallScope& scope = *entered_;
  const Region region = memory_of(scope).region(what);
  const Ticket ticket = open(scope, true, rank_, 0, region);
  const Op op = op_of(ticket, records_[ticket].generation);
  const auto able = std::find_if(transports_.begin(), transports_.end(),
                                 [](const auto& transport) { return transport->why_no_multicast().empty(); });
  (*able)->multicast(envelope_of(scope, 0, region.bytes()), region.first, ticket);
  return op;
}

Op Executor::recv(CallScope& scope, Rank from, const View& into, int lane) {
  route(from);
  const Region region = memory_of(scope).region(into);
  const Envelope envelope = envelope_of(scope, lane, region.bytes());
  const std::uint32_t id = matcher_.take_early(from, envelope);
  if (id != Matcher::kNone)
    if (Matcher::Early& early = matcher_.early(id); early.complete && early.envelope.bytes == envelope.bytes) {
      copy_in(region, early.place());
      matcher_.drop(id);
      return done_op();
    }
  return receive(from, envelope, id, open(scope, false, from, lane, region));
}

Op Executor::recv_combine(CallScope& scope, Rank from, const View& to, const View& own, Incoming side, int lane) {
  route(from);
  if (to.elements() != own.elements()) throw std::logic_error("combines views of different sizes");
  const CallBuffers& memory = memory_of(scope);
  if (!memory.reduction().combine) throw std::logic_error("combines in a call that has no operator");
  const Region region = memory.region(to);
  const Ticket ticket = open(scope, false, from, lane, region);
  records_[ticket].combines = true;
  if (combinations_.size() < records_.size()) combinations_.resize(records_.size());
  const Region operand = memory.region(own);
  combinations_[ticket] = {operand, Cursor(region), Cursor(operand), memory.reduction(), memory.element_bytes(), side,
                           {}};
  const Envelope envelope = envelope_of(scope, lane, region.bytes());
  return receive(from, envelope, matcher_.take_early(from, envelope), ticket);
}

/// The receive is open. `early`: the message that it takes, if that has begun to come.
Op Executor::receive(Rank from, const Envelope& envelope, std::uint32_t early, Ticket ticket) {
  const Op op = op_of(ticket, records_[ticket].generation);
  if (early != Matcher::kNone)
    take_early(early, ticket);
  else
    matcher_.add_receive(from, envelope, ticket);
  return op;
}

View Executor::scratch(CallScope& scope, Count elements) {
  return memory_of(scope).add_scratch(pool_, &scope, elements);
}

void Executor::refuse_foreign(Op op) const {
  if (slot_of(op) != kDone && slot_of(op) >= records_.size()) throw std::logic_error("waits for what is no operation");
}

bool Executor::complete(CallScope&, std::span<const Op> ops) {
  for (const Op op : ops) refuse_foreign(op);
  const auto all_done = [&] { return std::all_of(ops.begin(), ops.end(), [&](Op op) { return is_done(op); }); };
  if (all_done()) return true;
  if (polls_ > 0 && copy_what_comes_first() && all_done()) return true;
  // Not for long, nor where another coroutine could go on: what this one waits for may depend on that.
  for (std::uint32_t poll = 0; poll < polls_ && ready_.empty() && !failed(); ++poll) {
    bool moved = false;
    for (const auto& transport : transports_) moved |= transport->progress();
    if (!moved && poll >= polls_before_copy()) moved = copy_later();
    if (moved && all_done()) return true;
    if (!moved) WaitPolicy::relax();
  }
  return false;
}

void Executor::park(CallScope&, Waiter& waiter, std::span<const Op> ops) {
  for (const Op op : ops) {
    if (is_done(op)) continue;
    Record& record = records_[slot_of(op)];
    if (record.waiter == &waiter) continue;  // named twice
    if (record.waiter) throw std::logic_error("two waits for one operation at a time");
    record.waiter = &waiter;
    ++waiter.pending;
  }
  // All may have completed between the poll and this: then nobody else would resume it.
  if (waiter.pending == 0) ready_.push_back(waiter.handle);
}

void Executor::on(CallEvent event, CallScope& scope) {
  if (event == CallEvent::begun) begin(scope);
  if (event == CallEvent::left) leave(scope);
}

void Executor::begin(CallScope& scope) {
  entered_ = &scope;
  scope.number = numbers_.next(scope);
  scope.memory = scope.parent ? scope.parent->memory : starting_;
}

void Executor::leave(CallScope& scope) {
  memory_of(scope).release(pool_, &scope);
  numbers_.forget(scope);
  if (scope.exception && !scope.heard) {
    unheard_ = true;
    try {
      std::rethrow_exception(scope.exception);
    } catch (const std::exception& error) {
      give_up("rank " + std::to_string(rank_) + ": a call threw, and nobody heard of it: " + error.what());
    } catch (...) {
      give_up("rank " + std::to_string(rank_) + ": a call threw, and nobody heard of it");
    }
  }
  if (scope.over()) return;
  give_up("rank " + std::to_string(rank_) + ": a call was given up before its end");
  std::erase_if(later_, [&](const LaterCopy& copy) { return records_[copy.ticket].scope == &scope; });
  for (Record& record : records_)
    if (record.open && record.scope == &scope) record.scope = nullptr, record.waiter = nullptr;
}

}  // namespace tutti
