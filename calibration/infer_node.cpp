#include "calibration/infer_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "calibration/distance_curves.hpp"

namespace tutti {
namespace {

constexpr std::int64_t largest_bytes = 64 * 1024;
constexpr double least_gap = 4.0 / 3;

std::map<CorePair, double> relative_latencies(std::span<const Series> series) {
  std::map<std::int64_t, std::vector<double>> times;
  for (const Series& one : series)
    for (const MeasuredPoint& point : one.points)
      if (one.cores && point.bytes <= largest_bytes) times[point.bytes].push_back(point.seconds);
  std::map<std::int64_t, double> medians;
  for (const auto& [bytes, values] : times) medians[bytes] = quantile(values, 0.5);

  std::map<CorePair, double> result;
  for (const Series& one : series) {
    std::vector<double> ratios;
    for (const MeasuredPoint& point : one.points)
      if (one.cores && point.bytes <= largest_bytes) ratios.push_back(point.seconds / medians[point.bytes]);
    if (!ratios.empty()) result[*one.cores] = quantile(ratios, 0.5);
  }
  return result;
}

/// How many cores each run has if cores belong together that are nearer than `limit`; 0: not equal runs. One core
/// belongs to a run if most of its pairs with the run are near, so that single outliers do not join two sockets.
int run_length(const std::map<CorePair, double>& relative_latency, int cores, double limit) {
  const auto near = [&](int a, int b) {
    const auto found = relative_latency.find({std::min(a, b), std::max(a, b)});
    return (found != relative_latency.end() ? found->second : relative_latency.at({std::max(a, b), std::min(a, b)})) <
           limit;
  };
  std::vector<int> starts{0};
  for (int core = 1; core < cores; ++core) {
    int together = 0;
    for (int other = starts.back(); other < core; ++other) together += near(other, core);
    if (2 * together <= core - starts.back()) starts.push_back(core);
  }
  const int length = cores / static_cast<int>(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (starts[i] != static_cast<int>(i) * length || length * static_cast<int>(starts.size()) != cores) return 0;
  return length;
}

}  // namespace

std::optional<int> cores_of_pairs(std::span<const Series> series) {
  std::set<CorePair> pairs;
  int cores = 0;
  for (const Series& one : series)
    if (one.cores && one.benchmark == Benchmark::one_way) {
      const auto [low, high] = std::minmax(one.cores->first, one.cores->second);
      pairs.insert({low, high});
      cores = std::max(cores, high + 1);
    }
  if (cores < 2 || static_cast<std::int64_t>(pairs.size()) != std::int64_t{cores} * (cores - 1) / 2)
    return std::nullopt;
  return cores;
}

NodeParts infer_node(std::span<const Series> series, int cores) {
  const std::map<CorePair, double> relative_latency = relative_latencies(series);
  std::vector<double> sorted;
  for (const auto& [pair, value] : relative_latency) sorted.push_back(value);
  std::sort(sorted.begin(), sorted.end());

  // The limits between levels, greatest gap first.
  std::vector<std::pair<double, double>> gaps;
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i)
    if (sorted[i + 1] >= least_gap * sorted[i])
      gaps.emplace_back(sorted[i + 1] / sorted[i], (sorted[i] + sorted[i + 1]) / 2);
  std::stable_sort(gaps.begin(), gaps.end(), [](const auto& a, const auto& b) { return a.first > b.first; });

  int socket = cores, cache = cores;
  for (const auto& [ratio, limit] : gaps) {
    const int run = run_length(relative_latency, cores, limit);
    if (run <= 1 || run == cores) continue;
    if (socket == cores) {
      socket = cache = run;
    } else if (run < socket && socket % run == 0) {
      cache = run;
      break;
    }
  }
  if (!gaps.empty() && socket == cores)
    throw InputError(
        fmt::format("{}:{}: the core pairs do not fall into equal runs of near cores, expected the node's "
                    "shape beside them",
                    series.front().file, series.front().points.front().line));
  NodeParts parts{cores / socket, 1, socket / cache, cache, 0, {}, {}};
  parts.notes.push_back(
      fmt::format("node: {} sockets of {} cores, {} caches each, as the table of core pairs shows them; "
                  "NUMA domains and adapters do not show there",
                  parts.sockets, socket, parts.caches_per_domain));
  return parts;
}

}  // namespace tutti
