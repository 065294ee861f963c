#include <algorithm>
#include <cmath>

#include "algos/named_choice.hpp"
#include "algos/registry.hpp"
#include "base/error.hpp"
#include "tables/table.hpp"

namespace tutti {

double best_seconds(const Cell& cell) {
  double best = INFINITY;
  for (const auto& [name, seconds] : cell.seconds) best = std::min(best, seconds);
  return best;
}

double least_seconds(const Cell& cell, const std::string& candidate) {
  const double seconds = cell.seconds.at(candidate);
  const auto between = cell.between_seconds.find(candidate);
  return between == cell.between_seconds.end() ? seconds : std::min(seconds, between->second.first);
}

namespace {

/// A barrier or an empty message may take no time at all on a machine without overheads: equal is then no regret.
double regret_of(double seconds, double best) { return seconds == best ? 0 : seconds / best - 1; }

/// Beyond which a choice loses to what it replaces.
double no_loss_seconds(const Cell& cell, double best) {
  double least = cell.least_default_seconds;
  for (const auto& [library, seconds] : cell.default_seconds) least = std::min(least, seconds);
  return std::max(best, least);
}

/// Candidates within the bound, and no slower than a default, at every cell, with the sum of their regrets.
std::map<std::string, double> within(const std::map<std::string, double>* so_far, const Cell& cell, double bound) {
  const double best = best_seconds(cell), most = no_loss_seconds(cell, best);
  std::map<std::string, double> kept;
  for (const auto& [name, seconds] : cell.seconds) {
    const double regret = regret_of(seconds, best);
    if (regret > bound || seconds > most) continue;
    if (!so_far)
      kept[name] = regret;
    else if (const auto known = so_far->find(name); known != so_far->end())
      kept[name] = known->second + regret;
  }
  return kept;
}

/// What the choice gains over each default known in the range.
std::map<std::string, double> gains_of(std::span<const Cell> range, const std::string& choice) {
  std::map<std::string, std::pair<double, int>> sums;  // of logarithms
  for (const Cell& cell : range)
    for (const auto& [library, seconds] : cell.default_seconds) {
      const double mine = cell.seconds.at(choice);
      if (seconds <= 0 || mine <= 0) continue;  // a machine without overheads: no ratio
      auto& [sum, cells] = sums[library];
      sum += std::log(seconds / mine);
      ++cells;
    }
  std::map<std::string, double> gains;
  for (const auto& [library, sum] : sums) gains[library] = std::exp(sum.first / sum.second);
  return gains;
}

Rule make_rule(std::span<const Cell> range, const std::string& choice) {
  Rule rule;
  rule.place = range.front().place;
  rule.algorithm = choice;
  rule.predicted_seconds = range.front().seconds.at(choice);
  double regret = 0, least_margin = INFINITY;
  for (const Cell& cell : range) {
    const double mine = cell.seconds.at(choice);
    regret = std::max(regret, regret_of(mine, best_seconds(cell)));
    rule.inferred = rule.inferred || cell.inferred.contains(choice);
    rule.undecided = rule.undecided || !cell.undecided.empty();
    for (const auto& [name, seconds] : cell.seconds) {
      if (name == choice) continue;
      // Bounds may be far apart: by its most, a rival that is hardly slower would pass for one far behind.
      const double margin = regret_of(least_seconds(cell, name), mine);
      if (margin >= least_margin) continue;
      least_margin = margin;
      rule.runner_up = name;
      rule.confirmed = cell.confirmed.contains(choice) && cell.confirmed.contains(name);
    }
  }
  if (!rule.undecided) {  // else what is not known may be the best, or closer
    rule.regret = regret;
    if (!rule.runner_up.empty()) rule.margin = least_margin;
  }
  rule.gains = gains_of(range, choice);
  return rule;
}

/// Where ranks have a node each, such an algorithm does what its parts do: they say it more simply.
bool is_by_node(Collective collective, const std::string& choice) {
  const std::string_view name = name_in_choice(choice);
  for (const Algorithm* algorithm : algorithms_of(collective))
    if (algorithm->name() == name) return algorithm->is_by_node();
  return false;
}

}  // namespace

std::vector<Rule> merge_cells(std::span<const Cell> cells, double bound) {
  std::vector<Rule> rules;
  for (std::size_t begin = 0; begin < cells.size();) {
    std::map<std::string, double> fitting = within(nullptr, cells[begin], bound);
    std::size_t end = begin + 1;
    for (; end < cells.size(); ++end) {
      auto longer = within(&fitting, cells[end], bound);
      if (longer.empty()) break;
      fitting = std::move(longer);
    }
    const auto least = std::min_element(fitting.begin(), fitting.end(), [&](const auto& a, const auto& b) {
      const Collective collective = cells[begin].place.collective;
      return a.second != b.second ? a.second < b.second
                                  : is_by_node(collective, a.first) < is_by_node(collective, b.first);
    });
    Rule rule = make_rule(cells.subspan(begin, end - begin), least->first);
    rule.from_bytes = begin == 0 ? 0 : cells[begin].bytes;
    rule.to_bytes = end == cells.size() ? Rule::kUnlimited : cells[end].bytes - 1;
    rules.push_back(std::move(rule));
    begin = end;
  }
  return rules;
}

void derive_rules(Table& table) {
  std::sort(table.cells.begin(), table.cells.end(),
            [](const Cell& a, const Cell& b) { return std::tie(a.place, a.bytes) < std::tie(b.place, b.bytes); });
  table.rules.clear();
  for (std::size_t begin = 0; begin < table.cells.size();) {
    std::size_t end = begin;
    while (end < table.cells.size() && table.cells[end].place == table.cells[begin].place) ++end;
    auto rules = merge_cells(std::span(table.cells).subspan(begin, end - begin), table.bound);
    std::move(rules.begin(), rules.end(), std::back_inserter(table.rules));
    begin = end;
  }
}

void expect_spread(Collective collective, const std::string& counts, int ranks) {
  if (!is_irregular(collective) || is_of_neighbors(collective))
    throw InputError(
        std::string(name_of(collective)) +
        " has no counts of its own for each rank: expected allgatherv, alltoallv, gatherv, reduce_scatter or "
        "scatterv");
  static_cast<void>(
      BlockCounts::from(counts, ranks, ranks, collective == Collective::alltoallv && counts.starts_with("as:")));
}

void expect_equal_blocks(const Table& table, const std::string& path, const std::string& who) {
  for (const Cell& cell : table.cells)
    if (!cell.place.counts.empty())
      throw InputError(path + ": " + std::string(name_of(cell.place.collective)) + " is tuned for counts '" +
                       cell.place.counts + "', which " + who + " cannot tell from others: expected a table of equal " +
                       "blocks");
}

const Rule* look_up(const Table& table, const Place& place, std::int64_t bytes) {
  const auto after = std::partition_point(table.rules.begin(), table.rules.end(), [&](const Rule& rule) {
    return std::tie(rule.place, rule.from_bytes) <= std::tie(place, bytes);
  });
  if (after == table.rules.begin()) return nullptr;
  const Rule& rule = *std::prev(after);
  return rule.place == place && bytes <= rule.to_bytes ? &rule : nullptr;
}

}  // namespace tutti
