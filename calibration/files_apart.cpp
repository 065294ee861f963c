#include "calibration/files_apart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "calibration/distance_curves.hpp"

namespace tutti {
namespace {

/// As reports doubt that curves are of one distance, and matrices that two figures are of one thing.
constexpr double kApart = 1.5;

/// A file of one run, or one of its runs.
struct Source {
  std::string file;
  int run = 0;
  bool operator==(const Source&) const = default;
  bool operator<(const Source& other) const { return std::tie(file, run) < std::tie(other.file, other.run); }
};

struct Times {
  std::map<std::int64_t, double> by_size;  // medians
  int line = 0;                            // of the first
};
using TimesBySource = std::map<Source, Times>;

TimesBySource times_by_source(const std::vector<Series>& series) {
  std::map<Source, std::map<std::int64_t, std::vector<double>>> values;
  TimesBySource sources;
  for (const Series& one : series)
    if (one.benchmark == Benchmark::one_way && one.distance == Distance::network)
      for (const MeasuredPoint& point : one.points) {
        const Source source{one.file, one.run};
        values[source][point.bytes].push_back(point.seconds);
        sources.try_emplace(source, Times{{}, point.line});
      }
  for (auto& [source, sizes] : values)
    for (auto& [bytes, those] : sizes) sources[source].by_size[bytes] = quantile(std::move(those), 0.5);
  return sources;
}

/// The file, with the line where there are several runs in it.
std::string name_in(const TimesBySource& sources, const Source& source) {
  const auto runs =
      std::count_if(sources.begin(), sources.end(), [&](const auto& other) { return other.first.file == source.file; });
  return runs < 2 ? source.file : fmt::format("{}:{}", source.file, sources.at(source).line);
}

std::string in_microseconds(double seconds) { return fmt::format("{:.4g} us", seconds * 1e6); }

/// What sets one apart from another: a size and what it takes by the two.
struct Gap {
  std::int64_t bytes;
  double seconds, other_seconds;
};

std::optional<Gap> gap_between(const Times& one, const Times& other, double farther_seconds) {
  std::vector<std::int64_t> both;
  for (const auto& [bytes, seconds] : one.by_size)
    if (other.by_size.contains(bytes)) both.push_back(bytes);
  if (both.empty()) return std::nullopt;
  for (const std::int64_t bytes : {both.front(), both.back()}) {
    const double a = one.by_size.at(bytes), b = other.by_size.at(bytes);
    if (std::max(a, b) > kApart * std::min(a, b) && std::abs(a - b) > farther_seconds) return Gap{bytes, a, b};
  }
  return std::nullopt;
}

/// The one with which most others agree; of as many the one that is the faster where two are apart, then the first.
const Source& source_to_take(const TimesBySource& sources, double farther_seconds) {
  const Source* taken = nullptr;
  std::pair<int, int> most{-1, -1};  // others that agree, others that are slower
  for (const auto& [source, times] : sources) {
    std::pair<int, int> own{0, 0};
    for (const auto& [other, theirs] : sources) {
      const std::optional<Gap> gap = gap_between(times, theirs, farther_seconds);  // none to itself
      own.first += !gap;
      own.second += gap && gap->seconds < gap->other_seconds;
    }
    if (own > most) most = own, taken = &source;
  }
  return *taken;
}

}  // namespace

std::vector<std::string> leave_out_files_apart(std::vector<Series>& series, double farther_seconds) {
  const TimesBySource sources = times_by_source(series);
  if (sources.size() < 2) return {};
  const Source& taken = source_to_take(sources, farther_seconds);
  const std::string name_of_taken = name_in(sources, taken);
  std::vector<std::string> lines;
  for (const auto& [source, times] : sources) {
    if (source == taken) continue;
    const std::optional<Gap> gap = gap_between(times, sources.at(taken), farther_seconds);
    if (!gap) continue;
    lines.push_back(
        fmt::format("{}: {} bytes between nodes take {}, but {} by {}, more than farther nodes explain; taken is {}",
                    name_in(sources, source), gap->bytes, in_microseconds(gap->seconds),
                    in_microseconds(gap->other_seconds), name_of_taken, name_of_taken));
    std::erase_if(series, [&left_out = source](const Series& one) {
      return Source{one.file, one.run} == left_out && one.distance == Distance::network;
    });
  }
  return lines;
}

}  // namespace tutti
