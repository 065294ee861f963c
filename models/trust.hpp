#pragma once
// How far a prediction may be trusted, by what the machine's figures were fitted to.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/machine.hpp"

namespace tutti {

/// Measured runs that figures of a machine were fitted to.
struct FittedRange {
  static constexpr const char* kPointToPoint = "point_to_point";
  std::string what;  ///< a collective's name, or kPointToPoint: messages between two ranks
  std::int64_t least_bytes, most_bytes;
  int least_nodes, most_nodes, least_ppn, most_ppn;
};

/// What a machine file says of where its figures are from, as far as predictions can tell.
struct Provenance {
  using Distances = std::array<bool, distance_count>;
  std::vector<FittedRange> fitted;
  Distances guessed{}, guessed_in_larger_jobs{};  ///< transports all of whose costs are guesses, by Distance
  bool guesses_reductions = false;                ///< all that combining elements costs is a guess
};
/// Throws InputError, as parse_machine does, whose text it must be.
Provenance provenance_of(const std::string& text, const std::string& origin);

/// Ascending.
enum class Trust {
  guessed,      ///< no measurement stands behind the figures that the prediction is made of
  fitted_far,   ///< the figures were fitted, but to other collectives, or to far fewer or more nodes or bytes
  fitted_near,  ///< they were fitted to this collective, at most a factor of two away in nodes and four in bytes
};
/// "guessed", "fitted far" or "fitted near".
const char* to_string(Trust trust);

/// Of a collective's time on so many nodes; bytes in the total convention (docs/formats.md). Messages between two
/// nodes that were measured count as near up to four nodes, but for reductions where what these cost is a guess. Calls
/// may be unlike those that were fitted: sim/call_trust.hpp.
Trust trust_in(const Machine& machine, const Provenance& provenance, const std::string& collective, int nodes, int ppn,
               std::int64_t bytes);

/// What the figures were fitted to, a line each; empty: to nothing.
std::string fitted_text(const Provenance& provenance);

}  // namespace tutti
