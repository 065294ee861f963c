#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "algos/registry.hpp"
#include "runtime/collective_call.hpp"
#include "runtime/layout.hpp"
#include "tables/table.hpp"

namespace tutti {

/// How a call is run: the algorithm that really runs, and the call that it is given.
struct Plan {
  Case c;
  Choice choice;
  Call call;
  std::string name;  // "allreduce/ring:segment=64K of 4096 bytes"
};

/// Whether some rank has no neighbours at all, so that nothing tells it how long the blocks of the others are. The same
/// on all ranks.
bool leaves_size_unknown(const CollectiveCall& call);

/// The plans of the calls that a rank has made so far. Not thread-safe.
class Planner {
 public:
  /// `table`: consulted where the caller names no algorithm, and it has a rule for the team's size; may be empty. Where
  /// neither decides, a default (default_algorithm) is taken.
  Planner(const TeamLayout& layout, Table table);

  /// Throws std::invalid_argument where buffers do not fit each other or the team, and where the algorithm cannot run
  /// the case; InputError where there is no such algorithm. The plan stays until forget() or, where it has
  /// counts or neighbours, as long as somebody else has these.
  const Plan& plan(const CollectiveCall& call);
  /// Of whom messages are ever of other sizes would have more and more; these are some MB.
  bool keeps_many() const { return kept_ > 4096; }
  void forget();
  const Table& table() const { return table_; }
  /// Whether a rule of the table has chosen the call's algorithm. Throws as plan().
  bool follows_table(const CollectiveCall& call) {
    return call.algorithm.empty() && !leaves_size_unknown(call) && rule_for(plan(call).c);
  }

 private:
  using Key =
      std::tuple<Collective, Count, std::int32_t, Rank, bool, Operator, const BlockCounts*, const Neighborhood*>;
  Plan make(const CollectiveCall& call) const;
  void forget_unused();
  /// nullptr: the table has none, or one that cannot run the case here.
  const Rule* rule_for(const Case& c) const;
  std::string chosen_for(const Case& c) const;

  const Rank rank_;
  const int ranks_, nodes_;
  const bool even_;  // as many ranks on every node
  const bool crowded_;
  const Places places_;
  Table table_;
  using Plans = std::map<Key, std::map<std::string, Plan, std::less<>>>;
  Plans plans_, passing_;  // those of counts or neighbours apart, for they are looked through again and again
  std::size_t kept_ = 0;   // in plans_
  /// The last call of a collective, which the next often repeats.
  struct Last {
    CollectiveCall call;
    std::string algorithm;
    const Plan* plan = nullptr;
  };
  std::array<Last, kAllCollectives> last_;
};

/// What runs where neither the caller nor a table decides: by size, number of ranks, whether they share a node, and
/// whether they are more there than cores; able to run every case.
std::string default_algorithm(const Case& c, bool on_one_node, bool crowded);

}  // namespace tutti
