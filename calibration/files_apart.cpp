#include "calibration/files_apart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "calibration/distance_curves.hpp"

namespace tutti {
namespace {

/// As reports doubt that curves are of one distance, and matrices that two figures are of one thing.
constexpr double kApart = 1.5;

using TimesOfFile = std::map<std::int64_t, double>;  // medians by size

std::map<std::string, TimesOfFile> times_by_file(const std::vector<Series>& series) {
  std::map<std::string, std::map<std::int64_t, std::vector<double>>> values;
  for (const Series& one : series)
    if (one.benchmark == Benchmark::one_way && one.distance == Distance::network)
      for (const MeasuredPoint& point : one.points) values[one.file][point.bytes].push_back(point.seconds);
  std::map<std::string, TimesOfFile> files;
  for (auto& [file, sizes] : values)
    for (auto& [bytes, those] : sizes) files[file][bytes] = quantile(std::move(those), 0.5);
  return files;
}

std::string in_microseconds(double seconds) { return fmt::format("{:.4g} us", seconds * 1e6); }

/// What sets a file apart from another; empty: nothing.
std::string what_is_apart(const TimesOfFile& one, const TimesOfFile& other, double farther_seconds) {
  std::vector<std::int64_t> both;
  for (const auto& [bytes, seconds] : one)
    if (other.contains(bytes)) both.push_back(bytes);
  if (both.empty()) return "";
  for (const std::int64_t bytes : {both.front(), both.back()}) {
    const double a = one.at(bytes), b = other.at(bytes);
    if (std::max(a, b) > kApart * std::min(a, b) && std::abs(a - b) > farther_seconds)
      return fmt::format("{} bytes between nodes take {}, but {}", bytes, in_microseconds(a), in_microseconds(b));
  }
  return "";
}

}  // namespace

std::vector<std::string> leave_out_files_apart(std::vector<Series>& series, double farther_seconds) {
  const std::map<std::string, TimesOfFile> files = times_by_file(series);
  if (files.size() < 2) return {};
  std::vector<std::tuple<double, double, std::string>> sorted;  // by times of the smallest and the largest size
  for (const auto& [file, times] : files) sorted.emplace_back(times.begin()->second, times.rbegin()->second, file);
  std::sort(sorted.begin(), sorted.end());
  const std::string& taken = std::get<2>(sorted[(sorted.size() - 1) / 2]);
  std::vector<std::string> lines;
  for (const auto& [file, times] : files) {
    if (file == taken) continue;
    const std::string apart = what_is_apart(times, files.at(taken), farther_seconds);
    if (apart.empty()) continue;
    lines.push_back(
        fmt::format("{}: {} by {}, more than farther nodes explain; taken is {}", file, apart, taken, taken));
    std::erase_if(series, [&](const Series& one) { return one.file == file && one.distance == Distance::network; });
  }
  return lines;
}

}  // namespace tutti
