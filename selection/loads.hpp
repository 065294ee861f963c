#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/background.hpp"
#include "sim/engine.hpp"
#include "sim/noise.hpp"
#include "tables/table.hpp"

namespace tutti {

/// What else is under way on the machine while calls are made: another job, noise on the processors, both, or nothing.
struct Load {
  std::optional<BackgroundOptions> background = {};
  std::optional<Noise> noise = {};
  std::uint64_t seed = 1;  // of the noise

  bool is_none() const { return !background && !noise; }
  /// "none", "incast:nodes=16,bytes=2097152", "noise:every=0.001,for=2.5e-05,seed=2", or two of them: "incast:… +
  /// noise:…".
  std::string text() const;
};

/// The loads beside which a table's calls are simulated, and what of a choice's times beside them is its time.
struct Loads {
  enum class Robust : std::uint8_t { worst, mean };
  enum class Statistic : std::uint8_t { median, mean, p95 };
  std::vector<Load> each = {Load()};
  Robust robust = Robust::worst;
  Statistic statistic = Statistic::median;  // of the calls beside one load

  /// Whether the machine is unloaded. Else the case's nodes alone do not tell its time, nor do other sizes or layouts.
  bool are_none() const { return each.size() == 1 && each.front().is_none(); }
  /// Beside all loads, none among them, calls have the same statistic. (Of settled calls the last one is the median.)
  bool need_each_call() const { return !are_none() && statistic != Statistic::median; }
  /// Of a call that the engine has made as often as the mode says.
  double seconds(const Result& beside_one) const;
  double seconds(std::span<const double> beside_each) const;
  /// Load::text of each.
  std::vector<std::string> texts() const;
  std::string robust_text() const { return robust == Robust::worst ? "worst" : "mean"; }
  std::string statistic_text() const;  // "median", "mean", "p95"
};

/// What texts of loads say, worst or mean, and median, mean or p95. No loads: the unloaded machine. Throws InputError.
Loads parse_loads(const std::vector<std::string>& each, const std::string& robust,
                  const std::string& statistic = "median");
/// Each of the other jobs with each noise, as texts of loads: `jobs` are as Load::text has them, or none, `noises` as
/// parse_noise takes them, each perhaps with ",seed=N". Either may be empty.
std::vector<std::string> loads_of(const std::vector<std::string>& jobs, const std::vector<std::string>& noises);

/// The files that say where the case's ranks and those of the loads are, how late they come and what noise there is.
std::vector<std::string> files_of(const std::string& placement, const Mode& mode, const Loads& loads);

/// How calls are simulated beside loads, unless it is said otherwise: so many that they meet another job at all its
/// stages.
inline constexpr const char* kManyCalls = "loop:32";

/// Of a table: "beside none and incast:nodes=16,bytes=2097152, the worst of the times"; empty where there are no loads.
std::string loads_text(const Table& table);
/// Of a table with loads: "medians", "means" or "95th percentiles".
std::string statistic_text(const Table& table);

}  // namespace tutti
