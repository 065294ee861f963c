#include "calibration/falling_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr double kFall = 2;
constexpr std::int64_t kManyTimes = 1000, kManyBytes = std::int64_t{64} << 10;

using Points = std::vector<DistancePoint>;

struct OddSize {
  std::size_t odd, beside;  ///< and a size that shows it
};

bool falls(const DistancePoint& small, const DistancePoint& large) {
  return small.median_seconds > kFall * large.median_seconds;
}

/// By more than the bytes, even if nothing but these took time.
bool leaps(const DistancePoint& small, const DistancePoint& large) {
  const double times = static_cast<double>(large.bytes) / static_cast<double>(std::max<std::int64_t>(small.bytes, 1));
  return large.median_seconds > kFall * times * small.median_seconds;
}

std::optional<OddSize> too_slow(const Points& points) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const auto here = points.begin() + static_cast<std::ptrdiff_t>(i);
    const auto is_faster = [&](const DistancePoint& later) { return falls(*here, later); };
    const auto faster = std::find_if(here + 1, points.end(), is_faster);
    if (faster == points.end()) continue;
    const bool is_odd = i == 0 ? 2 * std::count_if(here + 1, points.end(), is_faster) >= points.end() - here - 1
                               : std::any_of(points.begin(), here, [&](auto& before) { return leaps(before, *here); });
    if (is_odd) return OddSize{i, static_cast<std::size_t>(faster - points.begin())};
  }
  return std::nullopt;
}

std::optional<OddSize> too_fast(const Points& points) {
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const auto here = points.begin() + static_cast<std::ptrdiff_t>(i);
    const auto slower = std::find_if(points.begin(), here, [&](auto& before) { return falls(before, *here); });
    if (slower != here && std::any_of(here + 1, points.end(), [&](auto& later) { return leaps(*here, later); }))
      return OddSize{i, static_cast<std::size_t>(slower - points.begin())};
  }
  return std::nullopt;
}

/// Of long messages beside ones of few bytes that take longer, the size that most speak against.
std::optional<OddSize> too_fast_for_its_bytes(const Points& points, bool& is_even) {
  std::vector<std::vector<std::size_t>> against(points.size());
  for (std::size_t large = 0; large < points.size(); ++large)
    for (std::size_t small = 0; small < large; ++small)
      if (points[large].bytes >= kManyBytes && points[large].bytes >= kManyTimes * points[small].bytes &&
          points[large].median_seconds < points[small].median_seconds)
        against[large].push_back(small), against[small].push_back(large);
  const auto most =
      std::max_element(against.begin(), against.end(), [](auto& a, auto& b) { return a.size() < b.size(); });
  if (most == against.end() || most->empty()) return std::nullopt;
  is_even =
      std::any_of(most->begin(), most->end(), [&](std::size_t other) { return against[other].size() == most->size(); });
  return OddSize{static_cast<std::size_t>(most - against.begin()), most->front()};
}

/// "FILE:LINE: 8 bytes take 131 us, but 64 bytes 1.35", of the first curve that has the size.
std::string said(const DistanceCurve& curve, const OddSize& found) {
  const DistancePoint &odd = curve.points[found.odd], &other = curve.points[found.beside];
  std::string place;
  for (const Series* series : curve.series)
    for (const MeasuredPoint& one : series->points)
      if (place.empty() && one.bytes == odd.bytes) place = fmt::format("{}:{}: ", series->file, one.line);
  return fmt::format("{}{} bytes take {:.4g} us{}, but {} bytes {:.4g}", place, odd.bytes, odd.median_seconds * 1e6,
                     odd.values > 1 ? " in the median" : "", other.bytes, other.median_seconds * 1e6);
}

}  // namespace

std::vector<std::string> leave_out_falls(DistanceCurve& curve) {
  std::vector<std::string> lines;
  for (;;) {
    bool is_even = false;
    std::optional<OddSize> found = too_slow(curve.points);
    if (!found) found = too_fast(curve.points);
    if (!found) found = too_fast_for_its_bytes(curve.points, is_even);
    if (!found) return lines;
    if (is_even) throw InputError(said(curve, *found) + ": expected more bytes to take longer: measure again");
    lines.push_back(said(curve, *found) + ": left out of the fit, measure again");
    curve.points.erase(curve.points.begin() + static_cast<std::ptrdiff_t>(found->odd));
  }
}

}  // namespace tutti
