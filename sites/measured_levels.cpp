#include "sites/measured_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "calibration/distance_curves.hpp"
#include "sites/link_rate.hpp"

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;

/// A figure that differs by so much from another of the same thing contradicts it.
constexpr double kDiffers = 1.5;

/// Messages of so many bytes take as long as one byte's.
constexpr std::int64_t kSmall = 64;

/// Of a message's time, as calibrate has it: what processors and adapters may take of it where that is a guess.
constexpr double kMostInParts = 0.9;

std::string pairs_text(const PairLevel& level) {
  return fmt::format("{} pairs over {} {}", level.pairs, level.switches, level.switches == 1 ? "switch" : "switches");
}

void say(const PairMatrix& matrix, const std::vector<PairLevel>& levels, SiteMachine& result) {
  for (const PairLevel& level : levels) {
    const bool latency = matrix.quantity == PairMatrix::Quantity::latency;
    const auto text = [&](double value) {
      return latency ? fmt::format("{:.3g} us", value * 1e6) : fmt::format("{:.4g} GB/s", value / 1e9);
    };
    result.notes.push_back(fmt::format("{}: {}: {} in the median, {} to {}", matrix.file, pairs_text(level),
                                       text(level.median), text(level.least), text(level.most)));
  }
}

void take_switch_latency(const SiteRequest& request, MeasuredLevels& found, SiteMachine& result) {
  if (found.latencies.size() < 2) return;
  const PairLevel &near = found.latencies.front(), &far = found.latencies.back();
  const double more = (far.median - near.median) / (far.switches - near.switches);
  if (more <= 0) {
    result.contradictions.push_back(fmt::format(
        "{}: {} take {:.3g} us, but {} {:.3g} us: by the cabling these are farther apart; no switch's latency is taken",
        found.latency_file, pairs_text(near), near.median * 1e6, pairs_text(far), far.median * 1e6));
    return;
  }
  if (const auto& given = request.switch_latency_seconds) {
    if (*given > kDiffers * more || more > kDiffers * *given)
      result.contradictions.push_back(fmt::format(
          "{}: a switch and its cable take {:.0f} ns, but --switch-latency says {:.0f}; taken is the latter",
          found.latency_file, more * 1e9, *given * 1e9));
    return;
  }
  found.switch_latency_seconds = more;
  found.switch_latency_source =
      fmt::format("measured: {}: {} less {}, a switch", found.latency_file, pairs_text(far), pairs_text(near));
}

bool is_guess(const Json& object, const std::string& key) {
  const auto guess = object.find("guess");
  if (guess == object.end()) return false;
  return guess->is_boolean() ? guess->get<bool>() : std::find(guess->begin(), guess->end(), key) != guess->end();
}

/// Where what nobody said takes longer than the whole was measured to, it is made as much shorter as has room; what
/// has a source stays.
void scale_guesses(Json& machine, const MeasuredLevels& levels, double seconds, SiteMachine& result) {
  Json& network = machine["transport"]["network"];
  double known = 0, guessed = 0;
  const auto count = [&](const Json& object, const std::string& key, int times) {
    (is_guess(object, key) ? guessed : known) += times * object.value(key, 0.0);
  };
  for (const char* key : {"send_overhead_seconds", "receive_overhead_seconds"}) count(network, key, 1);
  count(machine["node"]["nics"].front(), "latency_seconds", 2);
  if (known + guessed <= seconds || seconds <= known) return;
  const double factor = kMostInParts * (seconds - known) / guessed;
  const auto scale = [&](Json& object, const std::string& key) {
    if (is_guess(object, key)) object[key] = factor * object.value(key, 0.0);
  };
  for (const char* key : {"send_overhead_seconds", "receive_overhead_seconds"}) scale(network, key);
  for (Json& nic : machine["node"]["nics"]) scale(nic, "latency_seconds");
  result.notes.push_back(fmt::format(
      "{}: {} take less than the guesses of what processors and adapters do: these are {:.2g} times as long",
      levels.latency_file, pairs_text(levels.latencies.front()), factor));
}

void compare_with_ports(const SiteRequest& request, const Sources& sources, const Cabling& cabling,
                        const MeasuredLevels& found, SiteMachine& result) {
  const std::vector<double> ports = common_ports(cabling);
  const double all = std::accumulate(ports.begin(), ports.end(), 0.0);
  for (const PairLevel& level : found.bandwidths) {
    if (level.median > kAboveRate * all)
      result.contradictions.push_back(
          fmt::format("{}: {} reach {:.4g} GB/s, but the ports of a host have {:.4g} GB/s; "
                      "taken is the latter",
                      found.bandwidth_file, pairs_text(level), level.median / 1e9, all / 1e9));
    else if (level.above_ports > 0 && knows_ports(request, sources))
      result.contradictions.push_back(
          fmt::format("{}; of {} {} above {}; taken is the latter", level.farthest_above, pairs_text(level),
                      level.above_ports == 1 ? "1 is" : fmt::format("{} are", level.above_ports),
                      level.above_ports == 1 ? "its ports" : "their ports"));
    if (kDiffers * level.median < found.bandwidths.front().median)
      result.contradictions.push_back(fmt::format(
          "{}: {} reach {:.4g} GB/s, those over {} {:.4g} GB/s: the cables between have no such rate by {}, "
          "or pairs were measured side by side; taken are the cables",
          found.bandwidth_file, pairs_text(level), level.median / 1e9, found.bandwidths.front().switches,
          found.bandwidths.front().median / 1e9, cabling.source));
  }
}

}  // namespace

MeasuredLevels measured_levels(const SiteRequest& request, const Sources& sources, const Cabling& cabling,
                               SiteMachine& result) {
  MeasuredLevels found;
  for (const PairMatrix& matrix : sources.matrices) {
    const bool latency = matrix.quantity == PairMatrix::Quantity::latency;
    (latency ? found.latency_file : found.bandwidth_file) = matrix.file;
    std::vector<PairLevel>& levels = latency ? found.latencies : found.bandwidths;
    levels = levels_of(matrix, cabling, result.contradictions, result.notes);
    say(matrix, levels, result);
  }
  take_switch_latency(request, found, result);
  compare_with_ports(request, sources, cabling, found, result);
  return found;
}

void compare_with_levels(const MeasuredLevels& levels, const DistanceResiduals& pair, SiteMachine& result) {
  const auto by_median = [](const PairLevel& a, const PairLevel& b) { return a.median < b.median; };
  // The level that a value is far above or below; none where it is within those.
  const auto exceeded = [&](double value, const std::vector<PairLevel>& those) {
    const auto most = std::max_element(those.begin(), those.end(), by_median);
    return value > kDiffers * most->median ? &*most : nullptr;
  };
  const auto not_reached = [&](double value, const std::vector<PairLevel>& those) {
    const auto least = std::min_element(those.begin(), those.end(), by_median);
    return kDiffers * value < least->median ? &*least : nullptr;
  };
  const DistancePoint& small = pair.rows.front().measured;
  if (!levels.latencies.empty() && small.bytes <= kSmall) {
    const PairLevel* above = exceeded(small.median_seconds, levels.latencies);
    if (const PairLevel* level = above ? above : not_reached(small.median_seconds, levels.latencies))
      result.contradictions.push_back(fmt::format(
          "{}: {} bytes between nodes take {:.3g} us, but {} {:.3g} us by {}; taken is the former", small.file,
          small.bytes, small.median_seconds * 1e6, pairs_text(*level), level->median * 1e6, levels.latency_file));
  }
  if (levels.bandwidths.empty()) return;
  const auto contradict = [&](const std::string& file, double rate, const PairLevel& level) {
    result.contradictions.push_back(
        fmt::format("{}: a pair of nodes reaches {:.4g} GB/s, but {} {:.4g} GB/s by {}; taken is the former", file,
                    rate / 1e9, pairs_text(level), level.median / 1e9, levels.bandwidth_file));
  };
  const double streamed = pair.streamed_bytes_per_second;  // a lone message need not reach what a link carries
  const PairLevel* faster = streamed > 0 ? not_reached(streamed, levels.bandwidths) : nullptr;
  if (faster)
    contradict(pair.streamed_file, streamed, *faster);
  else if (const PairLevel* slower = exceeded(pair.reached_bytes_per_second, levels.bandwidths))
    contradict(pair.reached_file, pair.reached_bytes_per_second, *slower);
}

void set_messages(Json& machine, const MeasuredLevels& levels, double switch_latency_seconds, SiteMachine& result) {
  Json& network = machine["transport"]["network"];
  std::string source;
  if (!levels.bandwidths.empty()) {
    const PairLevel& level = levels.bandwidths.front();
    const double ports = machine["node"]["nics"].front()["bandwidth_bytes_per_second"].get<double>();
    const double before = network["segments"].back()["bandwidth_bytes_per_second"].get<double>();
    for (Json& segment : network["segments"])
      segment["bandwidth_bytes_per_second"] =
          std::max(1e3, segment["bandwidth_bytes_per_second"].get<double>() * std::min(level.median, ports) / before);
    source += fmt::format("bandwidth of the largest: {}, {}", levels.bandwidth_file, pairs_text(level));
  }
  if (!levels.latencies.empty()) {
    const PairLevel& level = levels.latencies.front();
    const double cables = (level.switches - 1) * switch_latency_seconds;
    scale_guesses(machine, levels, level.median - cables, result);
    const double adapters = 2 * machine["node"]["nics"].front().value("latency_seconds", 0.0);
    const double rest = level.median - network["send_overhead_seconds"].get<double>() -
                        network["receive_overhead_seconds"].get<double>() - adapters - cables;
    if (rest >= 0) {
      const double shift = rest - network["segments"].front()["latency_seconds"].get<double>();
      for (Json& segment : network["segments"])
        segment["latency_seconds"] = std::max(0.0, segment["latency_seconds"].get<double>() + shift);
      source += fmt::format("{}latency: {}, {}", source.empty() ? "" : "; ", levels.latency_file, pairs_text(level));
    } else {
      result.contradictions.push_back(fmt::format(
          "{}: {} take {:.3g} us, less than processors, adapters, switches and cables are said to; these are kept",
          levels.latency_file, pairs_text(level), level.median * 1e6));
    }
  }
  if (!source.empty())
    network["source"] = fmt::format("measured: {}; the rest: {}", source, network.value("source", ""));
}

}  // namespace tutti
