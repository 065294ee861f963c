#include "selection/offers.hpp"

#include <algorithm>

#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "selection/operand_order.hpp"
#include "selection/own_choices.hpp"
#include "selection/unknown.hpp"

namespace tutti {
void intersect(std::map<std::string, double>& offered, const std::map<std::string, double>& here) {
  for (auto it = offered.begin(); it != offered.end();) {
    const auto same = here.find(it->first);
    if (same == here.end()) {
      it = offered.erase(it);
    } else {
      it->second = std::max(it->second, same->second);
      ++it;
    }
  }
}

std::map<std::string, double>::const_iterator find_seconds(const Cell& cell, const Choice& choice) {
  const auto found = cell.seconds.find(choice.text());
  if (found != cell.seconds.end()) return found;
  const Case c = case_for(cell.place, cell.bytes);
  const Choice real = normalized(choice, c);
  return std::find_if(cell.seconds.begin(), cell.seconds.end(), [&](const auto& entry) {
    return normalized(parse_choice(cell.place.collective, entry.first), c) == real;
  });
}

std::optional<double> own_seconds(const Cell& cell, const Baseline& library) {
  if (const auto known = cell.default_seconds.find(library.name); known != cell.default_seconds.end())
    return known->second;
  const auto picked = pick_if_ours(library, case_for(cell.place, cell.bytes), cell.place.on_nodes());
  if (!picked) return std::nullopt;
  const auto same = find_seconds(cell, picked->choice);
  if (same == cell.seconds.end()) return std::nullopt;
  if (!cell.inferred.contains(same->first)) return same->second;
  const auto between = cell.between_seconds.find(same->first);
  if (between == cell.between_seconds.end() || between->second.first <= 0) return std::nullopt;
  return between->second.first;
}

bool own_is_inferred(const Cell& cell, const Baseline& library) {
  const auto picked = pick_if_ours(library, case_for(cell.place, cell.bytes), cell.place.on_nodes());
  if (!picked) return false;
  const auto own = find_seconds(cell, picked->choice);
  if (own == cell.seconds.end() || !cell.inferred.contains(own->first)) return false;
  const auto said = cell.default_seconds.find(library.name);
  return said == cell.default_seconds.end() || said->second == own->second;  // else it was simulated by itself
}

Cell offer_for(const Cell& cell, const Exporter& exporter, const Baseline* library, bool any_operator) {
  const std::optional<double> own = library ? own_seconds(cell, *library) : kUnknown;
  Cell offer{cell.place, cell.bytes, {{kOwnChoice, own.value_or(1)}}};
  if (!own) return offer;
  const Case c = case_for(cell.place, cell.bytes);
  for (const auto& [name, seconds] : cell.seconds) {
    const Choice choice = parse_choice(cell.place.collective, name);
    if (seconds > *own || !exporter.can_say_here(choice, cell.place)) continue;
    if (any_operator && !exporter.minds_operators(choice) && breaks_order(choice, c)) continue;
    offer.seconds[name] = seconds;
  }
  return offer;
}

Offers offers_for(const Table& table, const Exporter& exporter, const ExportOptions& options) {
  const Baseline* library = own_choices_of(exporter, table);
  std::map<std::pair<Collective, SeenLayout>, std::map<std::int64_t, Cell>> together;
  for (const Cell& cell : table.cells) {
    if (options.ppn && cell.place.ppn != *options.ppn) continue;
    Cell offer = offer_for(cell, exporter, library, options.any_operator);
    const double best = best_offer(offer)->second;
    for (auto& [choice, seconds] : offer.seconds) seconds = seconds == best ? 1 : seconds / best;
    auto& there = together[{cell.place.collective, seen(exporter.sight(), cell.place.nodes, cell.place.ranks())}];
    offer.bytes = exporter.looked_up_bytes(cell.place.collective, cell.place.ranks(), cell.bytes);
    const auto [position, is_new] = there.try_emplace(offer.bytes, offer);
    if (!is_new) intersect(position->second.seconds, offer.seconds);
  }
  Offers offers;
  for (auto& [key, cells] : together)
    for (auto& [bytes, offer] : cells) offers[key].push_back(std::move(offer));
  return offers;
}

Offers only_certain(Offers offers, const Exporter& exporter) {
  for (auto& [key, cells] : offers)
    for (Cell& offer : cells)
      std::erase_if(offer.seconds, [&, collective = key.first](const auto& entry) {
        return entry.first != kOwnChoice && exporter.may_give_way(parse_choice(collective, entry.first));
      });
  return offers;
}

std::map<std::string, double>::const_iterator best_offer(const Cell& offer) {
  return std::min_element(offer.seconds.begin(), offer.seconds.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
}

}  // namespace tutti
