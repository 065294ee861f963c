#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/background.hpp"
#include "tables/table.hpp"

namespace tutti {

/// What else is under way on the machine while calls are made: another job, or nothing.
using Load = std::optional<BackgroundOptions>;

/// The loads beside which a table's calls are simulated, and what of a choice's times beside them is its time.
struct Loads {
  enum class Robust : std::uint8_t { worst, mean };
  std::vector<Load> each = {std::nullopt};
  Robust robust = Robust::worst;

  /// Whether the machine is unloaded. Else the case's nodes alone do not tell its time, nor do other sizes or layouts.
  bool are_none() const { return each.size() == 1 && !each.front(); }
  double seconds(std::span<const double> beside_each) const;
  /// "none", "incast:nodes=16,bytes=2097152".
  std::vector<std::string> texts() const;
  std::string robust_text() const { return robust == Robust::worst ? "worst" : "mean"; }
};

/// What a list of none, incast:… and alltoall:… says, and worst or mean. No loads: the unloaded machine. Throws
/// InputError.
Loads parse_loads(const std::vector<std::string>& each, const std::string& robust);
std::string text_of(const Load& load);

/// The files that say where the case's ranks and those of the loads are.
std::vector<std::string> placement_files(const std::string& placement, const Loads& loads);

/// How calls are simulated beside loads, unless it is said otherwise: so many that they meet another job at all its
/// stages.
inline constexpr const char* kManyCalls = "loop:32";

/// Of a table: "beside none and incast:nodes=16,bytes=2097152, the worst of the times"; empty where there are no loads.
std::string loads_text(const Table& table);

}  // namespace tutti
