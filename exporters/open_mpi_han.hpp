#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "selection/export.hpp"

namespace tutti {

/// From so many bytes on: whether the call is left to coll/tuned, and the line that says so.
struct HanRow {
  bool tuned = false;
  int line = 0;
};
using HanSizes = std::map<std::int64_t, HanRow>;

/// The file of Open MPI 5.0's coll/han (coll_han_dynamic_rules_filename), as far as it chooses for a whole communicator
/// between coll/han's own algorithm and coll/tuned:
///   number of collectives { name, number of levels { global_communicator, number of communicator sizes { size, number
///   of message sizes { bytes, component }}}}
/// The largest communicator size and message size not above the call's apply, the first of which are 1 and 0. Sizes are
/// of the vector, or of one rank's block; barriers are looked up by 0.
class HanRules {
 public:
  HanRules() = default;
  /// Throws InputError "ORIGIN:LINE: what was expected", the first line being number `first_line`.
  HanRules(const std::string& text, const std::string& origin, std::ptrdiff_t first_line = 1);
  /// Whether the call is left to coll/tuned; false, too, where nothing is said. `why` may be nullptr.
  bool leaves_to_tuned(const Case& c, Explanation* why = nullptr) const;
  bool leaves_anything_to_tuned() const;

 private:
  std::string origin_;
  std::map<Collective, std::map<std::int64_t, HanSizes>> rules_;  // [ranks]
};

/// The collectives that coll/han serves.
bool is_served_by_han(Collective collective);
/// Where coll/han is: several nodes, with several ranks on some.
inline bool is_hierarchical(const Case& c, int nodes) { return nodes > 1 && nodes < c.ranks; }

/// Leaves all sizes to the library's own choice.
void leave_all_out(FileRules& rules);

/// What coll/han is to leave to coll/tuned: whatever the rules name an algorithm for. Empty: nothing.
std::string write_han_rules(std::span<const FileRules> rules);
/// A file that says what coll/han does anyway: one without collectives it would call broken.
inline constexpr char kSaysNothing[] = "1\nbcast\n1\nglobal_communicator\n1\n1\n1\n0 han\n";

/// The variables as lines of openmpi-mca-params.conf.
std::string mca_params(const SwitchOn& switch_on);

}  // namespace tutti
