#include "calibration/files_apart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

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

/// What sets a file apart from another: a size and what it takes by the two.
struct Gap {
  std::int64_t bytes;
  double seconds, other_seconds;
};

std::optional<Gap> gap_between(const TimesOfFile& one, const TimesOfFile& other, double farther_seconds) {
  std::vector<std::int64_t> both;
  for (const auto& [bytes, seconds] : one)
    if (other.contains(bytes)) both.push_back(bytes);
  if (both.empty()) return std::nullopt;
  for (const std::int64_t bytes : {both.front(), both.back()}) {
    const double a = one.at(bytes), b = other.at(bytes);
    if (std::max(a, b) > kApart * std::min(a, b) && std::abs(a - b) > farther_seconds) return Gap{bytes, a, b};
  }
  return std::nullopt;
}

/// The file with which most others agree; of as many the one that is the faster where two are apart, then the first.
const std::string& file_to_take(const std::map<std::string, TimesOfFile>& files, double farther_seconds) {
  const std::string* taken = nullptr;
  std::pair<int, int> most{-1, -1};  // files that agree, files that are slower
  for (const auto& [file, times] : files) {
    std::pair<int, int> own{0, 0};
    for (const auto& [other, theirs] : files) {
      const std::optional<Gap> gap = gap_between(times, theirs, farther_seconds);  // none to itself
      own.first += !gap;
      own.second += gap && gap->seconds < gap->other_seconds;
    }
    if (own > most) most = own, taken = &file;
  }
  return *taken;
}

}  // namespace

std::vector<std::string> leave_out_files_apart(std::vector<Series>& series, double farther_seconds) {
  const std::map<std::string, TimesOfFile> files = times_by_file(series);
  if (files.size() < 2) return {};
  const std::string& taken = file_to_take(files, farther_seconds);
  std::vector<std::string> lines;
  for (const auto& [file, times] : files) {
    if (file == taken) continue;
    const std::optional<Gap> gap = gap_between(times, files.at(taken), farther_seconds);
    if (!gap) continue;
    lines.push_back(fmt::format(
        "{}: {} bytes between nodes take {}, but {} by {}, more than farther nodes explain; taken is {}", file,
        gap->bytes, in_microseconds(gap->seconds), in_microseconds(gap->other_seconds), taken, taken));
    std::erase_if(series, [&left_out = file](const Series& one) {
      return one.file == left_out && one.distance == Distance::network;
    });
  }
  return lines;
}

}  // namespace tutti
