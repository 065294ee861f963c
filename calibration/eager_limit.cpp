#include "calibration/eager_limit.hpp"

#include <algorithm>
#include <cmath>

namespace tutti {
namespace {

constexpr std::int64_t least_limit_bytes = 1024;
constexpr double least_handshake = 0.5;  // of the smallest message's time
constexpr double least_errors = 3;
constexpr double least_support = 0.9;
// Two slopes of the same copy differ by about this much from piece to piece.
constexpr double slope_tolerance = 1.25;

const MeasuredPoint* find_point(const Series& series, std::int64_t bytes) {
  for (const MeasuredPoint& point : series.points)
    if (point.bytes == bytes) return &point;
  return nullptr;
}

/// Of the single curves with both sizes, the share whose time at `to` is on the same side of the left piece, carried on
/// from its own time at `from`, as the medians' time is.
double support_of(const DistanceCurve& curve, const Piece& left, std::int64_t from, std::int64_t to, bool upward) {
  int holding = 0, same = 0;
  for (const Series* series : curve.series) {
    const MeasuredPoint *before = find_point(*series, from), *after = find_point(*series, to);
    if (before == nullptr || after == nullptr) continue;
    const double carried_on = before->seconds * left.seconds(to) / left.seconds(from);
    ++holding;
    same += (after->seconds > carried_on) == upward;
  }
  return holding == 0 ? 0 : static_cast<double>(same) / holding;
}

}  // namespace

std::vector<ProtocolSwitch> find_protocol_switches(const DistanceCurve& curve, std::span<const Piece> pieces) {
  const double smallest_seconds = curve.points.front().median_seconds;
  std::vector<ProtocolSwitch> found;
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    const Piece &left = pieces[i], &right = pieces[i + 1];
    if (left.last < 1 || right.first + 1 >= static_cast<int>(curve.points.size())) continue;
    const std::int64_t from = curve.points[left.last].bytes, to = curve.points[right.first].bytes;
    const double jump_seconds = right.seconds(to) - left.seconds(to);
    const bool upward = jump_seconds > 0;
    const double added = upward ? jump_seconds : right.constant_seconds - pieces.front().constant_seconds;
    const double measured = curve.points[right.first].median_seconds;
    if (from < least_limit_bytes || added < least_handshake * smallest_seconds ||
        (upward && right.constant_seconds <= left.constant_seconds) ||
        right.seconds_per_byte > slope_tolerance * left.seconds_per_byte ||
        std::abs(jump_seconds) < least_errors * expected_relative_error(measured) * measured)
      continue;
    const double support = support_of(curve, left, from, to, upward);
    if (support < least_support) continue;
    const double handshake = upward ? right.constant_seconds - left.constant_seconds : added;
    found.push_back({from, to, jump_seconds / left.seconds(to), handshake, support});
  }
  const auto size = [](const ProtocolSwitch& one) { return std::abs(std::log1p(one.jump)); };
  double greatest = 0;
  for (const ProtocolSwitch& one : found) greatest = std::max(greatest, size(one));
  const auto rank = [&](const ProtocolSwitch& one) {
    return std::pair(one.jump > 0 && size(one) >= greatest / 2, size(one));
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const ProtocolSwitch& a, const ProtocolSwitch& b) { return rank(a) > rank(b); });
  return found;
}

}  // namespace tutti
