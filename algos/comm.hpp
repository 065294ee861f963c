#pragma once

#include <array>
#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "algos/view.hpp"

namespace tutti {

/// A posted operation. Means something only to the backend that issued it, on the rank that posted it, until that
/// rank's call ends; waiting twice is harmless. A number, since GCC 12 keeps in a coroutine's frame, to its end, each
/// object of a class that is made while something is awaited.
enum class Op : std::uint64_t {
  none  // no operation, which no wait accepts
};

/// For backends: an operation is its slot there, and how many that slot has held before. No slot is the largest.
constexpr Op op_of(std::uint32_t slot, std::uint32_t generation) {
  return Op{std::uint64_t{generation} << 32 | (slot + 1)};
}
constexpr std::uint32_t slot_of(Op op) { return static_cast<std::uint32_t>(op) - 1; }
constexpr std::uint32_t generation_of(Op op) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(op) >> 32);
}

/// What ranks share that are together in a group, from the nearest on: a cache, a NUMA domain, a socket, a node, the
/// switch that it hangs on, a group of switches.
enum class Level : std::uint8_t { cache, numa, socket, node, leaf, group };
inline constexpr int kLevels = 6;

/// Which ranks make up a group: those that share the caller's node (or whatever the level is); the first rank of each
/// of those; or the ranks that have the caller's number among those of theirs. Or all ranks in another order: the last
/// first; the first of each node (socket, …) before the second of each; those of a node one after the other.
/// Or in an order that is given as a list (last, for it comes of no level), which no backend knows.
enum class GroupKind : std::uint8_t { together, leaders, peers, reversed, cyclic, block, listed };

/// Ranks that communicate among themselves; members[i] is the world rank of group rank i, ascending but in a group that
/// orders all ranks anew (empty: all ranks).
struct Group {
  std::uint32_t id = 0;
  std::vector<Rank> members;
  GroupKind kind = GroupKind::together;
  std::uint8_t levels = 0;  // by which all ranks were divided to come to it: 1 << level of each
  bool consecutive = true;  // of all that came of the same division: one rank follows the other
  bool equal = true;        // all that came of the same division have as many ranks
  bool ascending = true;
};

/// The id of all ranks in an order that is given, whichever: those that come of levels have larger ones.
inline constexpr std::uint32_t kListedOrder = 1;

/// A suspended coroutine and how many completions it still waits for.
struct Waiter {
  std::coroutine_handle<> handle{};
  std::uint32_t pending = 0;
  Rank rank = 0;  // world rank
};

/// One running call on one rank; lives in the promise of the algorithm's coroutine.
struct CallScope {
  Rank rank = 0;                  // world rank
  std::uint32_t number = 0;       // sequence number of the call in its group on this rank: calls match by it
  const Group* group = nullptr;   // nullptr: all ranks
  CallScope* parent = nullptr;    // the call that made this one, on the same rank
  std::uint32_t outstanding = 0;  // operations posted and not complete
  std::uint32_t requests = 0;     // persistent ones that are to be made before what is posted next
  bool returned = false;          // the coroutine has run to its end
  bool heard = false;             // somebody has been told of the exception
  Waiter waiter;                  // of the call's own coroutine, while it is suspended
  Waiter* ended = nullptr;        // who waits for the end of the call
  std::exception_ptr exception;   // what the coroutine threw
  void* memory = nullptr;         // for the backend: what the views of the call refer to

  /// A call ends when its coroutine has returned and all it posted has completed.
  bool over() const { return returned && outstanding == 0; }
  /// For backends: one operation has completed. Returns the waiter that this makes ready to resume, if any.
  Waiter* completed_one() {
    --outstanding;
    if (!over() || !ended || --ended->pending > 0) return nullptr;
    return std::exchange(ended, nullptr);
  }
};

/// The operand of a combination that a message brings.
enum class Incoming : std::uint8_t { left, right };

/// Whether the rank waits for a send before it posts anything else: libraries may send those in another way.
enum class SendMode : std::uint8_t { nonblocking, blocking };

/// What befalls a call. It begins (the backend sets scope.number). Its coroutine returns: it has run to its end, or
/// thrown, and what it posted may still be under way. It is joined: what the coroutine that waited for it does from
/// then on happens after its end, or after it threw. It is left, over or abandoned: its scratch may be reused. A
/// backend must not pass over a call that is left with an exception that nobody has heard of.
enum class CallEvent : std::uint8_t { begun, returned, joined, left };

/// What an algorithm's operations reach: the proof, a simulator, or a transport. `self` and peers are world ranks.
/// Posting never blocks and never resumes a coroutine; a backend resumes waiters from its own loop, and then only those
/// whose operations have all completed. A backend serves the ranks of one thread; it is not thread-safe.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Op send(CallScope& scope, Rank to, const View& what, int lane, SendMode mode) = 0;
  virtual Op recv(CallScope& scope, Rank from, const View& into, int lane) = 0;
  virtual Op recv_combine(CallScope& scope, Rank from, const View& to, const View& own, Incoming side, int lane) = 0;
  virtual Op copy(CallScope& scope, const View& to, const View& from) = 0;
  virtual Op combine(CallScope& scope, const View& to, const View& left, const View& right) = 0;
  virtual View scratch(CallScope& scope, Count elements) = 0;
  /// True if all are complete: the coroutine need not suspend.
  virtual bool complete(CallScope& scope, std::span<const Op> ops) = 0;
  /// Resume waiter.handle once all are complete (some are not).
  virtual void park(CallScope& scope, Waiter& waiter, std::span<const Op> ops) = 0;
  virtual void on(CallEvent event, CallScope& scope) = 0;
  /// The group of this kind at a level that holds the rank, of those of `within` (nullptr: of all); nullptr: it is no
  /// member. Throws InputError where the machine has no such level.
  virtual const Group* group(Rank rank, Level level, GroupKind kind, const Group* within) = 0;
};

class Task;

/// Suspends until the operations it names are complete. What else that takes is in the call's scope, for a
/// coroutine waits for one thing at a time, and its frame has room for the awaiters of all its waits.
template <std::size_t N>
class [[nodiscard]] WaitOps {
 public:
  explicit WaitOps(std::array<Op, N> ops) : ops_(ops) {}
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) const {
    return handle.promise().park(ops_);
  }
  void await_resume() const noexcept {}

 private:
  std::array<Op, N> ops_;
};

class [[nodiscard]] WaitSpan {
 public:
  explicit WaitSpan(std::span<const Op> ops) : ops_(ops) {}
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) const {
    return handle.promise().park(ops_);
  }
  void await_resume() const noexcept {}

 private:
  std::span<const Op> ops_;
};

/// A rank's handle on its communicator: small, by value, valid as long as the backend. Ranks and sizes are the group's.
/// Operations post and return at once; nothing is ordered but by wait: what follows a wait on this rank happens after
/// it. Two posted operations that are not ordered must not touch the same elements unless both only read. Messages
/// match in order per (group, call, lane, source, destination); `lane` (0..255) keeps two streams apart. Throws
/// std::out_of_range for another lane, a negative number of requests or a rank outside a group (outside all ranks, the
/// backend refuses it), and std::logic_error where no call has begun.
class Comm {
 public:
  Comm(Backend& backend, Rank rank, int size) : backend_(&backend), rank_(rank), size_(size) {}

  Rank rank() const { return rank_; }
  int size() const { return size_; }
  /// False for the communicator of a group the rank is not part of: only this may then be asked.
  bool is_member() const { return size_ > 0; }

  Op send(Rank to, const View& what, int lane = 0) const {
    return backend_->send(scope(), world(to), what, in_range(lane), SendMode::nonblocking);
  }
  Op recv(Rank from, const View& into, int lane = 0) const {
    return backend_->recv(scope(), world(from), into, in_range(lane));
  }
  /// Says that so many of the sends and receives that follow are persistent requests: made one by one, then started
  /// together, then freed. What moves is the same.
  void make_requests(int count) const {
    if (count < 0) refuse_requests(count);
    scope().requests += static_cast<std::uint32_t>(count);
  }
  /// Receives and combines what comes, without a place for it: to = own (operator) message, or message (operator) own
  /// where the message is the left operand. `to` may be identical to own.
  Op recv_combine(Rank from, const View& to, const View& own, Incoming side, int lane = 0) const {
    return backend_->recv_combine(scope(), world(from), to, own, side, in_range(lane));
  }
  /// Elements of `from` to `to`, as many on both sides; the views are identical (then nothing is done) or disjoint.
  Op copy(const View& to, const View& from) const { return backend_->copy(scope(), to, from); }
  /// to = left (operator) right, element by element; `to` may be identical to left or right.
  Op combine(const View& to, const View& left, const View& right) const {
    return backend_->combine(scope(), to, left, right);
  }
  /// Memory of the call's element type, its content undefined, that lives as long as the call.
  View scratch(Count elements) const { return backend_->scratch(scope(), elements); }

  template <class... Ops>
  requires(std::same_as<Ops, Op>&&...) WaitOps<sizeof...(Ops)> wait(Ops... ops)
  const { return WaitOps<sizeof...(Ops)>({ops...}); }
  /// The span must stay valid until the wait is over.
  WaitSpan wait(std::span<const Op> ops) const { return WaitSpan(ops); }
  /// Posts a send and waits for it, as MPI_Send does.
  WaitOps<1> blocking_send(Rank to, const View& what, int lane = 0) const {
    return WaitOps<1>({backend_->send(scope(), world(to), what, in_range(lane), SendMode::blocking)});
  }
  /// Posts the receive, then the send, and waits for both, as MPI_Sendrecv does.
  WaitOps<2> exchange(Rank to, const View& what, Rank from, const View& into, int lane = 0) const {
    const Op received = recv(from, into, lane),
             sent = backend_->send(scope(), world(to), what, in_range(lane), SendMode::blocking);
    return WaitOps<2>({received, sent});
  }
  /// Waits for the end of two calls that run side by side (defined in task.hpp).
  auto wait(Task& a, Task& b) const;

  /// Of the ranks here, those that share this rank's node (or whatever the level is); `leaders`: the first rank of
  /// each; `peers`: of each the rank with this rank's number, where it has so many. Throws std::logic_error but for all
  /// ranks and for ranks that share something, of what is nearer than that; InputError where the machine has no such
  /// level.
  Comm group(Level level) const { return in(find(rank_, level, GroupKind::together)); }
  Comm leaders(Level level) const { return in(find(rank_, level, GroupKind::leaders)); }
  Comm peers(Level level) const { return in(find(rank_, level, GroupKind::peers)); }
  /// All ranks, with other numbers; only of all ranks in their own order.
  Comm ordered(GroupKind order, Level level) const { return in(find(rank_, level, order)); }
  /// The same in a given order, which must live as long as the handle. Throws std::logic_error but for all ranks.
  Comm ordered(const Group& all) const;
  Comm ordered(Group&&) const = delete;
  /// Which of all ranks has this number here.
  Rank world_rank(Rank r) const { return world(r); }
  /// Which of all ranks is the first of those here that share `rank`'s node (or …).
  Rank leader_of(Rank rank, Level level) const { return mates_of(rank, level).front(); }
  /// Which of all ranks are here and share `rank`'s node (or …), ascending. Valid as long as the backend.
  const std::vector<Rank>& mates_of(Rank rank, Level level) const {
    return find(rank, level, GroupKind::together)->members;
  }
  /// Whether, of the ranks here, those that share a node (or …) follow one another everywhere, and whether as many
  /// share each.
  bool is_consecutive(Level level) const { return find(rank_, level, GroupKind::together)->consecutive; }
  bool is_equal(Level level) const { return find(rank_, level, GroupKind::together)->equal; }
  /// The number that one of all ranks has in this communicator; -1: it is no member.
  Rank rank_of(Rank world_rank) const;

 private:
  friend class Task;
  Rank world(Rank r) const {
    if (!group_ && size_ > 0) return r;
    if (r < 0 || r >= size_) refuse_rank(r);
    return group_->members.empty() ? r : group_->members[r];
  }
  static int in_range(int lane) {
    if (lane < 0 || lane > 255) refuse_lane(lane);
    return lane;
  }
  CallScope& scope() const {
    if (!scope_) refuse_without_call();
    return *scope_;
  }
  [[noreturn]] void refuse_rank(Rank r) const;
  [[noreturn]] static void refuse_lane(int lane);
  [[noreturn]] static void refuse_requests(int count);
  [[noreturn]] static void refuse_without_call();
  const Group* find(Rank rank, Level level, GroupKind kind) const;
  Comm in(const Group* group) const;

  Backend* backend_;
  CallScope* scope_ = nullptr;  // the call that this handle posts for
  const Group* group_ = nullptr;
  Rank rank_;
  int size_;
};

}  // namespace tutti
