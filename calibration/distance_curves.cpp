#include "calibration/distance_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"

namespace tutti {
namespace {

Distance distance_of(const Series& series, const Network& network) {
  if (series.distance) return *series.distance;
  const int cores = network.cores_per_node();
  for (const int core : {series.cores->first, series.cores->second})
    if (core >= cores)
      throw InputError(
          fmt::format("{}:{}: core {}, expected one of the node's {} cores (0 to {}): give the node's shape",
                      series.file, series.points.front().line, core, cores, cores - 1));
  return network.distance(series.cores->first, series.cores->second);
}

double smallest_size_median(const std::vector<const Series*>& all, Benchmark benchmark) {
  std::vector<double> values;
  for (const Series* series : all)
    if (series->benchmark == benchmark) values.push_back(series->points.front().seconds);
  return values.empty() ? 0 : quantile(std::move(values), 0.5);
}

DistanceCurve make_curve(Distance distance, const std::vector<const Series*>& all) {
  DistanceCurve curve;
  curve.distance = distance;
  std::map<std::int64_t, std::vector<double>> times;
  std::map<std::int64_t, std::string> file_of_size;
  std::map<std::pair<int, std::int64_t>, std::vector<double>> long_gaps;  // by pairs and bytes
  std::map<int, std::string> file_of_pairs;
  for (const Series* series : all) {
    if (std::find(curve.files.begin(), curve.files.end(), series->file) == curve.files.end())
      curve.files.push_back(series->file);
    for (const MeasuredPoint& point : series->points)
      if (series->benchmark == Benchmark::stream_gap && point.bytes >= kLongMessage) {
        long_gaps[{series->pairs, point.bytes}].push_back(point.seconds);
        file_of_pairs.try_emplace(series->pairs, series->file);
      }
    if (series->benchmark != Benchmark::one_way) continue;
    curve.series.push_back(series);
    for (const MeasuredPoint& point : series->points) {
      times[point.bytes].push_back(point.seconds);
      file_of_size.try_emplace(point.bytes, series->file);
    }
  }
  for (auto& [bytes, values] : times)
    curve.points.push_back({bytes, quantile(values, 0.5), quantile(values, 0.1), quantile(values, 0.9),
                            quantile(values, 0), quantile(values, 1), static_cast<int>(values.size()),
                            file_of_size.at(bytes)});
  curve.send_overhead_seconds = smallest_size_median(all, Benchmark::send_overhead);
  curve.receive_overhead_seconds = smallest_size_median(all, Benchmark::receive_overhead);
  curve.gap_seconds = smallest_size_median(all, Benchmark::stream_gap);
  const auto pair_reaches = [&](double rate, const std::string& file) {
    if (rate > curve.pair_bytes_per_second) curve.pair_bytes_per_second = rate, curve.pair_file = file;
  };
  for (const DistancePoint& point : curve.points)
    pair_reaches(static_cast<double>(point.bytes) / point.median_seconds, point.file);
  for (auto& [key, gaps] : long_gaps) {
    const auto [pairs, bytes] = key;
    const double of_one = static_cast<double>(bytes) / quantile(std::move(gaps), 0.5);
    if (pairs == 1) pair_reaches(of_one, file_of_pairs.at(pairs));
    const double rate = distance == Distance::network ? pairs * of_one : of_one;
    if (rate <= curve.streamed_bytes_per_second) continue;
    curve.streamed_bytes_per_second = rate;
    curve.streaming_pairs = distance == Distance::network ? pairs : 1;
    curve.streamed_file = file_of_pairs.at(pairs);
  }
  return curve;
}

}  // namespace

double reached_bandwidth(const DistanceCurve& curve) {
  double reached = curve.streamed_bytes_per_second;
  for (const DistancePoint& point : curve.points)
    reached = std::max(reached, static_cast<double>(point.bytes) / point.median_seconds);
  return reached;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], at - static_cast<double>(below));
}

std::vector<DistanceCurve> distance_curves(std::span<const Series> series, const Network& network,
                                           std::vector<std::string>& skipped) {
  std::map<Distance, std::vector<const Series*>> by_distance;
  for (const Series& one : series) by_distance[distance_of(one, network)].push_back(&one);

  std::vector<DistanceCurve> curves;
  for (const auto& [distance, members] : by_distance) {
    DistanceCurve curve = make_curve(distance, members);
    if (curve.points.empty()) {
      skipped.push_back(fmt::format(
          "{}: nothing but overheads or rates at distance {}: expected one-way times beside them, as osu_latency's",
          members.front()->file, to_string(distance)));
    } else if (curve.points.size() < 2) {
      throw InputError(fmt::format("{}:{}: one size only at distance {}, expected at least two", curve.files.front(),
                                   curve.series.front()->points.front().line, to_string(distance)));
    } else {
      curves.push_back(std::move(curve));
    }
  }
  if (curves.empty()) throw InputError(skipped.empty() ? "no measurements, expected one-way times" : skipped.back());
  return curves;
}

std::vector<std::string> slower_though_nearer(std::span<const DistanceCurve> ascending) {
  constexpr double kSlower = 1.1;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i + 1 < ascending.size(); ++i) {
    const DistanceCurve &near = ascending[i], &far = ascending[i + 1];
    std::vector<std::pair<const DistancePoint*, const DistancePoint*>> both;
    for (const DistancePoint& one : near.points)
      for (const DistancePoint& other : far.points)
        if (one.bytes == other.bytes) both.emplace_back(&one, &other);
    const auto is_slower = [](const auto& pair) {
      return pair.first->median_seconds > kSlower * pair.second->median_seconds;
    };
    if (both.empty() || !is_slower(both.front()) || !is_slower(both.back())) continue;
    const auto [one, other] = both.front();
    lines.push_back(
        fmt::format("{}: {} bytes take {:.4g} us at distance {}, but {:.4g} us at {} by {}, which is "
                    "farther: are the two files' distances right?",
                    one->file, one->bytes, one->median_seconds * 1e6, to_string(near.distance),
                    other->median_seconds * 1e6, to_string(far.distance), other->file));
  }
  return lines;
}

}  // namespace tutti
