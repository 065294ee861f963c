#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "algos/registry.hpp"
#include "selection/han_pick.hpp"
#include "selection/lint.hpp"

namespace tutti {

/// From so many bytes on: who serves the call.
struct HanRow {
  enum class By { tuned, han, simple, other };  // simple: HanVariant; other: what runs is none of our algorithms
  std::int64_t from_bytes = 0;
  By by = By::han;
  std::string says;  // "sm", "han @simple"
  int line = 0;
};

/// Which one coll/han runs, where it serves the call.
inline HanVariant variant_of(HanRow::By by) {
  return by == HanRow::By::simple ? HanVariant::simple : HanVariant::usual;
}

/// On at least so many ranks; without rows, or below the first one's size, as if the file did not name the level.
struct HanConfiguration {
  std::int64_t ranks = 1;
  std::vector<HanRow> rows;
};
using HanConfigurations = std::vector<HanConfiguration>;

/// Whose communicators a rule is for, by the numbers of the file.
enum class HanLevel : std::size_t { on_nodes, between_nodes, all };
inline constexpr const char* kHanLevels[] = {"intra_node", "inter_node", "global_communicator"};

/// In the order of the file, of which the library takes the last that fits.
struct HanCollective {
  std::array<HanConfigurations, std::size(kHanLevels)> levels;
  const HanConfigurations& at(HanLevel level) const { return levels.at(static_cast<std::size_t>(level)); }
};
using HanFile = std::map<Collective, HanCollective>;

/// The file of Open MPI 5.0's coll/han (coll_han_dynamic_rules_filename, read by coll_han_dynamic_file.c):
///   number of collectives { name or number, number of levels { name or number, number of communicator sizes { size,
///   number of message sizes { bytes, component, @ALGORITHM where that is han, [segment lengths] }}}}
/// The first sizes are 1 and 0. Throws InputError "ORIGIN:LINE: what was expected", the first line being number
/// `first_line`. With `doubts` it reads on wherever the library would, too, and adds what it thinks of that.
HanFile read_han_file(const std::string& text, const std::string& origin, std::ptrdiff_t first_line, Doubts* doubts);

/// The collectives that coll/han serves.
bool is_served_by_han(Collective collective);

/// What a collective is made of on the communicators of one level.
struct HanPart {
  Collective collective;
  HanLevel level;
};
/// The parts for which coll/han asks its file who serves them, where it runs that variant of the collective. For others
/// it makes communicators that it does not serve itself (mca_coll_han_comm_create), where coll/tuned runs.
std::vector<HanPart> asked_by_han(Collective collective, HanVariant variant);

}  // namespace tutti
