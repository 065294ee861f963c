#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>

#include "base/counted.hpp"
#include "calibration/distance_curves.hpp"
#include "sites/host_list.hpp"
#include "sites/link_rate.hpp"
#include "sites/pair_matrix.hpp"

namespace tutti {
namespace {

/// A host, or the two directions of a pair, that differ by so much from their like are named.
constexpr double kFar = 1.5;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string text_of(PairMatrix::Quantity quantity, double value) {
  return quantity == PairMatrix::Quantity::latency ? fmt::format("{:.3g} us", value * 1e6) : rate_text(value);
}

/// Switches on the shortest way from the host to each switch, that one included; 0: none.
std::vector<int> switches_from(const Cabling::Host& host, const std::vector<std::vector<int>>& next) {
  std::vector<int> passed(next.size(), 0);
  std::queue<int> waiting;
  for (const Cabling::Port& port : host.ports)
    if (passed[port.on_switch] == 0) passed[port.on_switch] = 1, waiting.push(port.on_switch);
  for (; !waiting.empty(); waiting.pop())
    for (const int other : next[waiting.front()])
      if (passed[other] == 0) passed[other] = passed[waiting.front()] + 1, waiting.push(other);
  return passed;
}

double rate_of_ports(const Cabling::Host& host) {
  double all = 0;
  for (const Cabling::Port& port : host.ports) all += port.bytes_per_second;
  return all;
}

/// Pairs with much more in one direction than in the other.
class Asymmetry {
 public:
  void add(const std::string& a, const std::string& b, double value, double back) {
    const double ratio = std::max(value, back) / std::min(value, back);
    if (ratio <= kFar) return;
    ++pairs_;
    if (ratio > most_) most_ = ratio, where_ = a + " and " + b;
  }

  void say(const std::string& file, std::vector<std::string>& notes) const {
    if (pairs_ > 0)
      notes.push_back(
          fmt::format("{}: {} of hosts with more than {:.3g} times as much in one direction as in the other; "
                      "most between {}: {:.3g} times",
                      file, counted(pairs_, "pair"), kFar, where_, most_));
  }

 private:
  std::uint64_t pairs_ = 0;
  double most_ = 0;
  std::string where_;
};

/// What is measured at one level.
struct Measured {
  std::vector<double> values;
  int above_ports = 0;
  double farthest = 0;
  std::string farthest_above;
};

}  // namespace

std::vector<PairLevel> levels_of(const PairMatrix& matrix, const Cabling& cabling,
                                 std::vector<std::string>& contradictions, std::vector<std::string>& notes) {
  std::map<std::string, const Cabling::Host*> known;
  for (const Cabling::Host& host : cabling.hosts) known.emplace(host.name, &host);
  std::vector<std::vector<int>> next(cabling.switches.size());
  for (const Cabling::Cable& cable : cabling.cables) {
    next[cable.switch_a].push_back(cable.switch_b);
    next[cable.switch_b].push_back(cable.switch_a);
  }
  std::map<int, Measured> by_level;
  std::vector<std::map<int, std::vector<double>>> of_host(matrix.hosts.size());
  Asymmetry asymmetry;
  const bool latency = matrix.quantity == PairMatrix::Quantity::latency;
  for (std::size_t a = 0; a < matrix.hosts.size(); ++a) {
    const auto host = known.find(matrix.hosts[a]);
    if (host == known.end()) {
      contradictions.push_back(fmt::format("{}:{}: {} is no host of {}, whose cables are taken", matrix.file,
                                           matrix.lines[a], matrix.hosts[a], cabling.source));
      continue;
    }
    const std::vector<int> passed = switches_from(*host->second, next);
    for (std::size_t b = 0; b < matrix.hosts.size(); ++b) {
      const auto peer = known.find(matrix.hosts[b]);
      const double value = matrix.values[a][b], back = matrix.values[b][a];
      if (value == 0 || peer == known.end()) continue;
      if (a < b && back > 0) asymmetry.add(matrix.hosts[a], matrix.hosts[b], value, back);
      int level = 0;
      for (const Cabling::Port& port : peer->second->ports)
        if (const int here = passed[port.on_switch]; here > 0) level = level == 0 ? here : std::min(level, here);
      if (level == 0) {
        contradictions.push_back(fmt::format("{}:{}: {} reaches {}, but by {} no cables lead there", matrix.file,
                                             matrix.lines[a], matrix.hosts[a], matrix.hosts[b], cabling.source));
        continue;
      }
      Measured& measured = by_level[level];
      measured.values.push_back(value);
      const double ports = std::min(rate_of_ports(*host->second), rate_of_ports(*peer->second));
      if (!latency && value > kAboveRate * ports) {
        ++measured.above_ports;
        if (value > measured.farthest)
          measured.farthest = value,
          measured.farthest_above =
              fmt::format("{}:{}: {} reaches {} with {:.4g} GB/s, but the ports there have {:.4g} GB/s", matrix.file,
                          matrix.lines[a], matrix.hosts[a], matrix.hosts[b], value / 1e9, ports / 1e9);
      }
      of_host[a][level].push_back(value), of_host[b][level].push_back(value);
    }
  }
  std::vector<PairLevel> levels;
  levels.reserve(by_level.size());
  for (const auto& [switches, one] : by_level)
    levels.push_back({switches, static_cast<int>(one.values.size()), median(one.values),
                      *std::min_element(one.values.begin(), one.values.end()),
                      *std::max_element(one.values.begin(), one.values.end()), one.above_ports, one.farthest_above});
  for (std::size_t a = 0; a < matrix.hosts.size(); ++a)
    for (const PairLevel& level : levels) {
      if (!of_host[a].contains(level.switches)) continue;
      const double own = median(of_host[a].at(level.switches));
      if (latency ? own > kFar * level.median : kFar * own < level.median) {
        notes.push_back(fmt::format("{}:{}: {} is far from the others: {} over {} switches, where most have {}",
                                    matrix.file, matrix.lines[a], matrix.hosts[a], text_of(matrix.quantity, own),
                                    level.switches, text_of(matrix.quantity, level.median)));
        break;
      }
    }
  asymmetry.say(matrix.file, notes);
  return levels;
}

double best_pair_rate(const PairMatrix& bandwidths) {
  std::vector<double> best;
  for (const std::vector<double>& row : bandwidths.values)
    if (const double most = *std::max_element(row.begin(), row.end()); most > 0) best.push_back(most);
  return median(best);
}

}  // namespace tutti
