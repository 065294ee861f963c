#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algos/block_counts.hpp"
#include "algos/blocks.hpp"
#include "algos/neighborhood.hpp"
#include "algos/view.hpp"

namespace tutti {

enum class Collective : std::uint8_t {
  allgather,
  allreduce,
  alltoall,
  barrier,
  bcast,
  exscan,
  gather,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  scatter,
  allgatherv,
  alltoallv,
  gatherv,
  scatterv,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv
};
inline constexpr int kCollectives = 12;  // the regular ones, which tables and tuning files speak of: the first so many
inline constexpr int kAllCollectives = 20;

std::string_view name_of(Collective collective);
/// A regular one. Throws InputError on another name, naming the known ones.
Collective collective_named(std::string_view name);
/// Any, irregular ones and those of neighbours too.
Collective any_collective_named(std::string_view name);
bool is_rooted(Collective collective);        // bcast, gather, reduce, scatter, gatherv, scatterv
bool is_regular(Collective collective);       // one of the first kCollectives
bool is_irregular(Collective collective);     // blocks may have counts of their own: …v, reduce_scatter
bool is_of_neighbors(Collective collective);  // neighbor_…: ranks exchange blocks with their neighbours alone
bool is_reduction(Collective collective);     // combines elements

enum class Operator : std::uint8_t { sum, product, minimum, maximum, user_commutative, user };
constexpr bool is_commutative(Operator op) { return op != Operator::user; }

/// Parameter values by name; text form "radix=4:segment=65536", sorted by name.
using ParameterValues = std::vector<std::pair<std::string, std::int64_t>>;

/// The values that a call takes (radix, segment, …): those that its algorithm was chosen with, which must outlive it,
/// and one in place of them or beside them.
class Parameters {
 public:
  constexpr Parameters() = default;
  explicit Parameters(const ParameterValues& given) : given_(&given) {}

  /// The parameter's value, or nullptr.
  const std::int64_t* find(std::string_view name) const {
    if (replaced_ && name == replaced_) return &value_;
    if (!given_) return nullptr;
    for (const auto& [its_name, value] : *given_)
      if (its_name == name) return &value;
    return nullptr;
  }
  /// `name` is static storage. Throws std::logic_error where another one is replaced.
  void replace(const char* name, std::int64_t value) {
    if (replaced_ && std::string_view(replaced_) != name)
      throw std::logic_error("a call replaces one parameter at most");
    replaced_ = name;
    value_ = value;
  }

 private:
  const ParameterValues* given_ = nullptr;
  const char* replaced_ = nullptr;
  std::int64_t value_ = 0;
};

/// Ranks counted from the root on, around the end: the root is virtual rank 0.
constexpr Rank virtual_rank(Rank rank, Rank root, int size) { return (rank - root + size) % size; }
constexpr Rank real_rank(Rank v, Rank root, int size) { return (v + root) % size; }

/// One collective call as one rank sees it. Trivially copyable; views and blocks in elements.
///  - in, out: the rank's buffers, what bcast, gather … read and write. Where a buffer means nothing on a rank (away
///  from
///    the root: out of a reduce or gather, in of a scatter) it is empty. bcast uses out on every rank, and in == out.
///  - in_place: in names the same elements as out (gather, allgather: its own block of out; scatter: out is its own
///    block of in; reduce_scatter: out is the front of in). Comm::copy between identical views does nothing.
///  - blocks: how the blocked buffer is divided among ranks (allgather(v), gather(v): out; scatter(v), reduce_scatter:
///    in; alltoall: both; alltoallv: in).
///  - exchange: of an alltoallv or among neighbours, where counts differ: how out is divided, and what all others have.
///  - neighborhood: of a collective among neighbours, which has no blocks for others.
struct Call {
  View in, out;
  Rank root = 0;
  bool in_place = false;
  bool out_is_blocked = false;  // set by make_call: which buffer `block` divides
  Operator op = Operator::sum;
  std::int32_t element_bytes = 1;
  Blocks blocks;
  const RankExchange* exchange = nullptr;
  const Neighborhood* neighborhood = nullptr;
  Parameters parameters;

  /// Block i of the blocked buffer: what rank i contributes (allgather, gather) or receives (scatter, reduce_scatter).
  constexpr View block(int i) const { return blocks.of(blocked(), i); }
  /// `n` consecutive blocks from i on, as one view.
  constexpr View block(int i, int n) const { return blocks.of(blocked(), i, n); }
  /// Of an all-to-all: what comes from rank i. Among neighbours: from the i-th source.
  constexpr View incoming(int i) const { return (exchange ? exchange->received : blocks).of(out, i); }
  constexpr bool commutative() const { return is_commutative(op); }

  /// The parameter's value. Throws std::logic_error where the registration does not declare it.
  std::int64_t parameter(std::string_view name) const {
    if (const std::int64_t* const value = parameters.find(name)) return *value;
    throw std::logic_error("no parameter '" + std::string(name) + "' was given to the call");
  }
  /// Elements in a segment: the parameter `segment` in bytes rounded down to whole elements, at least one; 0 bytes:
  /// `all`.
  Count segment_elements(Count all) const { return elements_of(parameter("segment"), all); }
  Count elements_of(std::int64_t bytes, Count all) const {
    if (bytes == 0) return all > 0 ? all : 1;
    return bytes / element_bytes > 0 ? bytes / element_bytes : 1;
  }
  /// The same call with a parameter set, for calling another algorithm.
  Call with(const char* name, std::int64_t value) const {
    Call changed = *this;
    changed.parameters.replace(name, value);
    return changed;
  }

  constexpr const View& blocked() const { return out_is_blocked ? out : in; }
};

}  // namespace tutti
