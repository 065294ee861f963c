#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/bootstrap.hpp"
#include "runtime/collective_call.hpp"
#include "runtime/error.hpp"
#include "runtime/layout.hpp"

namespace tutti {

struct TeamOptions {
  std::string table;       // a selection table's file; empty: none
  std::string transports;  // "shm,tcp": these alone, in this order; empty: what $TUTTI_TRANSPORTS says, or all
  /// The longest wait without any progress, after which the team stops with a report of what is pending. 0: what
  /// $TUTTI_LIMIT_SECONDS says, or 300 s.
  std::chrono::duration<double> limit{0};
  /// The most that alloc() can give a rank; nothing is reserved before.
  std::size_t heap_bytes = std::size_t{1} << 30;
  /// Every call is preceded by an exchange that tells whether all ranks make the same call by the same algorithm.
  bool checked = false;
};

class Team;
class Executor;
struct Plan;

/// Elements in memory that the ranks of the node can read where it lies: calls on them copy less. Made by Team::alloc;
/// its content is undefined at first. May outlive the team.
template <class T>
class SharedArray {
 public:
  T* data() const { return elements_.get(); }
  std::size_t size() const { return size_; }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  T& operator[](std::size_t i) const { return data()[i]; }

 private:
  friend class Team;
  SharedArray(std::shared_ptr<T> elements, std::size_t size) : elements_(std::move(elements)), size_(size) {}
  std::shared_ptr<T> elements_;
  std::size_t size_;
};

/// A call under way, or, persistent, one that can be started again and again. Refers to the team, which must outlive
/// it. To destroy one that is under way is to give up the team: calls that follow throw.
class Request {
 public:
  Request(Request&& other) noexcept;
  Request& operator=(Request&& other) noexcept;
  ~Request();
  /// Starts a persistent call anew. Throws std::logic_error while it is under way.
  void start();
  /// Lets calls move on. True if this one is over (and as long as it is not started again). Throws as Team::run.
  bool test();
  void wait();

 private:
  friend class Team;
  Request(Team& team, const CollectiveCall& call) : team_(&team), call_(call) {}
  static constexpr std::uint32_t kOver = ~0u;
  Team* team_;
  CollectiveCall call_;
  std::uint32_t id_ = kOver;
};

/// The ranks of a job, and their collectives on real memory. A broadcast by "multicast" is sent once and multiplied by
/// the network (verbs between nodes), what is lost on the way again; that is chosen where the caller names it or, with
/// TUTTI_MULTICAST=1 and where there is one, names nothing (algorithm_of tells); with TUTTI_MULTICAST=0 there is none,
/// and no group is joined. A root is done when all have the data. One object per rank; used by one thread at a time.
/// All ranks make the same calls in the same order (calls under way may end in any order).
///
/// Throws std::invalid_argument, before anything is sent, where buffers or the algorithm do not fit; TeamError where
/// the team cannot go on: a rank has ended, a wait has exceeded the limit, calls do not fit each other. After a
/// TeamError every call throws the same.
class Team {
 public:
  /// Collective: all ranks construct their team together, by the same rules of a table, transports and `checked`.
  /// Throws TeamError, on each rank where these differ too, and InputError.
  explicit Team(std::unique_ptr<Bootstrap> bootstrap, const TeamOptions& options = {});
  /// From what the launcher put into the environment; alone where nobody launched it.
  static Team from_environment(const TeamOptions& options = {});
  Team(Team&& other) noexcept;
  ~Team();

  Rank rank() const;
  int size() const;
  const TeamLayout& layout() const;
  /// The name of the transport that reaches the peer.
  std::string_view transport_to(Rank peer) const;
  /// The algorithm that the call runs by, with its parameters.
  std::string algorithm_of(const CollectiveCall& call);
  /// Whether a rule of the table has chosen that; not where the table has none for the call on these ranks, or one that
  /// cannot run here, which is as without a table.
  bool follows_table(const CollectiveCall& call);
  /// The algorithm, where parts of it fall back with what runs in their place (text_of_what_runs()).
  std::string what_runs(const CollectiveCall& call);

  /// This rank's own; the others need not ask for any. Throws std::bad_alloc. In ordinary memory where no peer shares
  /// the node.
  template <class T>
  requires std::is_trivially_copyable_v<T> SharedArray<T> alloc(std::size_t elements) {
    if (elements > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    return {std::static_pointer_cast<T>(allocate(elements * sizeof(T))), elements};
  }

  /// The counts of all ranks for irregular collectives, from each its own: of its block (allgatherv, gatherv,
  /// scatterv, reduce_scatter), or of what goes to each rank (alltoallv). Collective, as a call. Throw
  /// std::invalid_argument on another number of counts, InputError on a count below 0.
  std::shared_ptr<const BlockCounts> counts_of_ranks(Count mine);
  std::shared_ptr<const BlockCounts> counts_of_pairs(std::span<const Count> mine);
  /// Among neighbours: of the block that all of the rank's neighbours get, or of the block for each (0 for nobody).
  std::shared_ptr<const BlockCounts> counts_among(const Neighborhood& neighborhood, Count mine);
  std::shared_ptr<const BlockCounts> counts_among(const Neighborhood& neighborhood, std::span<const Count> mine);

  /// Blocking; start: returns at once; persistent: returns a request that has not been started.
  void run(const CollectiveCall& call);
  Request start(const CollectiveCall& call);
  Request persistent(const CollectiveCall& call) { return {*this, call}; }

  /// Blocking calls by name: team.allreduce(in, out, Predefined::sum) is run(calls::allreduce(in, out, …)).
#define TUTTI_BLOCKING(name)                                 \
  template <class... Arguments>                              \
  void name(Arguments&&... arguments) {                      \
    run(calls::name(std::forward<Arguments>(arguments)...)); \
  }
  TUTTI_BLOCKING(allgather)
  TUTTI_BLOCKING(allreduce)
  TUTTI_BLOCKING(alltoall)
  TUTTI_BLOCKING(barrier)
  TUTTI_BLOCKING(bcast)
  TUTTI_BLOCKING(exscan)
  TUTTI_BLOCKING(gather)
  TUTTI_BLOCKING(reduce)
  TUTTI_BLOCKING(reduce_scatter)
  TUTTI_BLOCKING(reduce_scatter_block)
  TUTTI_BLOCKING(scan)
  TUTTI_BLOCKING(scatter)
  TUTTI_BLOCKING(allgatherv)
  TUTTI_BLOCKING(alltoallv)
  TUTTI_BLOCKING(gatherv)
  TUTTI_BLOCKING(scatterv)
  TUTTI_BLOCKING(neighbor_allgather)
  TUTTI_BLOCKING(neighbor_allgatherv)
  TUTTI_BLOCKING(neighbor_alltoall)
  TUTTI_BLOCKING(neighbor_alltoallv)
#undef TUTTI_BLOCKING

 private:
  friend class Request;
  friend class Exposure;  // runtime/one_sided.hpp
  Executor& executor();
  /// What every rank gives, as many bytes from each.
  void allgather_bytes(std::span<const std::byte> mine, std::span<std::byte> all);
  std::shared_ptr<void> allocate(std::size_t bytes);
  bool goes_by_multicast(const CollectiveCall& call);
  const Plan& plan(const CollectiveCall& call);
  std::uint32_t begin(const CollectiveCall& call, bool blocking);
  void check_calls_agree(const CollectiveCall& call);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tutti
