#include "selection/file_rules.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "selection/candidates.hpp"

namespace tutti {
namespace {

constexpr int kLooked = 64;  // numbers of ranks between two, from the first on: powers of two, multiples and odd ones

/// Of what is offered at every size, the choice whose worst time relative to the best is least.
Rule best_for_all(std::span<const Cell> offers) {
  Cell all = offers.front();
  for (const Cell& offer : offers.subspan(1)) intersect(all.seconds, offer.seconds);
  Rule rule;
  rule.algorithm = best_offer(all)->first;
  return rule;
}

bool is_own(const Rule& rule) { return rule.algorithm == kOwnChoice; }

/// What lies outside of the sizes is left to the library; neighbours differ.
void leave_untuned(std::vector<Rule>& rules, std::int64_t smallest, std::int64_t largest) {
  const auto [first, last] = served_sizes(smallest, largest);
  if (!is_own(rules.front()) && first > 0) {
    Rule below = rules.front();
    below.algorithm = kOwnChoice, below.to_bytes = first - 1;
    rules.front().from_bytes = first;
    rules.insert(rules.begin(), std::move(below));
  }
  if (!is_own(rules.back()) && last < Rule::kUnlimited) {
    Rule above = rules.back();
    above.algorithm = kOwnChoice, above.from_bytes = last + 1;
    rules.back().to_bytes = last;
    rules.push_back(std::move(above));
  }
}

std::vector<Rule> rules_for(Collective collective, std::span<const Cell> offers, const Exporter& exporter, double bound,
                            const ExportOptions& options) {
  std::vector<Rule> rules;
  if (exporter.knows_sizes(collective))
    rules = merge_cells(offers, bound);
  else
    rules.push_back(best_for_all(offers));
  if (exporter.all_sizes_or_none() && std::any_of(rules.begin(), rules.end(), is_own)) {
    rules.resize(1);
    rules[0].algorithm = kOwnChoice, rules[0].to_bytes = Rule::kUnlimited;
  }
  if (collective != Collective::barrier && leaves_sizes(exporter, collective) && !options.extend_sizes)
    leave_untuned(rules, offers.front().bytes, offers.back().bytes);
  return rules;
}

/// At this size, or else at the nearest smaller one (none: the smallest), whose rule serves it.
const Cell& offer_at(const std::vector<Cell>& offers, std::int64_t bytes) {
  const auto after = std::find_if(offers.begin(), offers.end(), [&](const Cell& c) { return c.bytes > bytes; });
  return after == offers.begin() ? *after : *std::prev(after);
}

/// Whether the same algorithm runs by this name on both numbers of ranks.
bool does_the_same(const Choice& choice, const Case& here, const Case& there) {
  return why_not(choice, here).empty() && resolve(choice, here).algorithm == resolve(choice, there).algorithm;
}

/// Whether anything does, if only what the library falls back to.
bool can_run(const Choice& choice, const Case& here, const Case&) { return why_not(choice, here).empty(); }

/// What of the offers of the layout `first` may be said of larger ones, below `end`.
template <class MayBeSaid>
void keep_offers(Cell& offer, Collective collective, Sight sight, const SeenLayout& first, int end,
                 const MayBeSaid& may_be_said) {
  const Case there = case_for({collective, ranks_of(sight, first), 1}, offer.bytes);
  std::erase_if(offer.seconds, [&](const auto& entry) {
    if (entry.first == kOwnChoice) return false;
    const Choice choice = parse_choice(collective, entry.first);
    for (int size = first.size + 1; size < std::min(end, first.size + 1 + kLooked); ++size)
      if (!may_be_said(choice, case_for({collective, ranks_of(sight, {first.kind, size}), 1}, offer.bytes), there))
        return true;
    return false;
  });
}

std::vector<Cell> offers_between(Collective collective, Sight sight, const SeenLayout& first,
                                 const std::vector<Cell>& below, const SeenLayout& next,
                                 const std::vector<Cell>& above) {
  std::set<std::int64_t> sizes;
  for (const auto* side : {&below, &above})
    for (const Cell& cell : *side) sizes.insert(cell.bytes);
  std::vector<Cell> between;
  for (const std::int64_t bytes : sizes) {
    Cell offer = offer_at(below, bytes);
    offer.bytes = bytes;
    intersect(offer.seconds, offer_at(above, bytes).seconds);
    keep_offers(offer, collective, sight, first, next.size, does_the_same);
    between.push_back(std::move(offer));
  }
  return between;
}

std::vector<Cell> offers_beyond(Collective collective, Sight sight, const SeenLayout& last, std::vector<Cell> offers) {
  for (Cell& offer : offers) keep_offers(offer, collective, sight, last, FileRules::kNoEnd, can_run);
  return offers;
}

bool say_the_same(const FileRules& a, const FileRules& b) {
  return std::equal(a.rules.begin(), a.rules.end(), b.rules.begin(), b.rules.end(), [](const Rule& x, const Rule& y) {
    return x.from_bytes == y.from_bytes && x.algorithm == y.algorithm;
  });
}

}  // namespace

std::pair<std::int64_t, std::int64_t> served_sizes(std::int64_t smallest, std::int64_t largest) {
  return {smallest - smallest / 4, largest > Rule::kUnlimited / 2
                                       ? Rule::kUnlimited
                                       : largest + std::max<std::int64_t>((largest + 1) / 2 - 1, 0)};
}

std::vector<FileRules> file_rules(const Offers& offers, const Exporter& exporter, double bound,
                                  const ExportOptions& options) {
  std::vector<FileRules> all;
  const auto add = [&](Collective collective, const SeenLayout& first, int last, bool between,
                       std::span<const Cell> cells) {
    all.push_back({collective, first, last, between, rules_for(collective, cells, exporter, bound, options)});
    std::tie(all.back().tuned_from_bytes, all.back().tuned_to_bytes) =
        served_sizes(cells.front().bytes, cells.back().bytes);
  };
  for (auto here = offers.begin(); here != offers.end(); ++here) {
    const auto& [collective, layout] = here->first;
    add(collective, layout, layout.size, false, here->second);
    if (!options.extend) continue;
    const auto next = std::next(here);
    const bool is_largest =
        next == offers.end() || next->first.first != collective || next->first.second.kind != layout.kind;
    const int last = is_largest ? FileRules::kNoEnd : next->first.second.size - 1;
    if (last == layout.size) continue;
    if (is_largest && !exporter.serves_beyond()) {
      all.back().last_size = last;
      continue;
    }
    const std::vector<Cell> cells = is_largest ? offers_beyond(collective, exporter.sight(), layout, here->second)
                                               : offers_between(collective, exporter.sight(), layout, here->second,
                                                                next->first.second, next->second);
    add(collective, {layout.kind, layout.size + 1}, last, true, cells);
    if (!say_the_same(*std::prev(all.end(), 2), all.back())) continue;
    all.pop_back();
    all.back().last_size = last;
  }
  return all;
}

std::vector<std::string> left_between(std::vector<FileRules> rules, const Exporter& exporter) {
  std::erase_if(rules, [](const FileRules& of_ranks) { return of_ranks.inside; });
  std::map<Collective, std::string> left;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const FileRules& here = rules[i];
    const bool leaves_all = std::all_of(here.rules.begin(), here.rules.end(), is_own);
    const auto add = [&](int first, int last) {
      if (first > last) return;
      std::string& text = left[here.collective];
      text += (text.empty() ? "" : ", ") + std::to_string(first);
      if (last == FileRules::kNoEnd)
        text += " and more";
      else if (last > first)
        text += " to " + std::to_string(last);
      if (exporter.sight() == Sight::layouts) text += " x " + std::to_string(here.layout.kind);
    };
    if (here.between && leaves_all) add(here.layout.size, here.last_size);
    const bool goes_on = i + 1 < rules.size() && rules[i + 1].collective == here.collective &&
                         rules[i + 1].layout.kind == here.layout.kind;
    if (goes_on)
      add(here.last_size + 1, rules[i + 1].layout.size - 1);
    else if (here.last_size != FileRules::kNoEnd && exporter.serves_beyond())
      add(here.last_size + 1, FileRules::kNoEnd);
  }
  std::vector<std::string> lines;
  lines.reserve(left.size());
  for (const auto& [collective, text] : left)
    lines.push_back(std::string(name_of(collective)) + ": nothing for " + text + " " +
                    (exporter.sight() == Sight::layouts ? "nodes x ranks a node" : "ranks") +
                    ", where what the neighbours have cannot run, is not the same or cannot be said");
  return lines;
}

void note_layouts(std::vector<FileRules>& rules, const Table& table, const Exporter& exporter,
                  const std::optional<int>& ppn) {
  std::map<std::pair<Collective, SeenLayout>, std::set<std::pair<int, int>>> layouts;
  for (const Cell& cell : table.cells)
    if (!ppn || cell.place.ppn == *ppn)
      layouts[{cell.place.collective, seen(exporter.sight(), cell.place.nodes, cell.place.ranks())}].emplace(
          cell.place.nodes, cell.place.ppn);
  for (FileRules& of_layout : rules) {
    if (of_layout.between) continue;
    const auto& here = layouts[{of_layout.collective, of_layout.layout}];
    of_layout.layouts.assign(here.begin(), here.end());
  }
}

}  // namespace tutti
