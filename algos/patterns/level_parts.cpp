#include "algos/patterns/level_parts.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace tutti {

PlaceOf place_of(const Comm& comm) {
  return [&comm](Rank rank, Level level) { return comm.leader_of(rank, level); };
}

PlaceOf place_of(const Facts& facts) {
  return [&facts](Rank rank, Level level) { return facts.places().of(rank, level); };
}

std::vector<Rank> all_ranks(int ranks) {
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<std::vector<Rank>> divide(const std::vector<Rank>& ranks, Level level, const PlaceOf& place) {
  std::vector<std::vector<Rank>> parts;
  constexpr std::size_t kFewParts = 16;  // are sooner found one after the other
  std::vector<int> places;
  std::unordered_map<int, std::size_t> at;
  const auto part_at = [&](int here) {
    if (at.empty()) {
      const auto found = std::find(places.begin(), places.end(), here);
      if (found != places.end() || places.size() < kFewParts) return static_cast<std::size_t>(found - places.begin());
      for (std::size_t i = 0; i < places.size(); ++i) at.emplace(places[i], i);
    }
    return at.try_emplace(here, parts.size()).first->second;
  };
  for (const Rank r : ranks) {
    const int here = place(r, level);
    const std::size_t part = part_at(here);
    if (part == parts.size()) {
      parts.emplace_back();
      places.push_back(here);
    }
    parts[part].push_back(r);
  }
  return parts;
}

bool are_equal(const std::vector<std::vector<Rank>>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const std::vector<Rank>& part) { return part.size() == parts.front().size(); });
}

}  // namespace tutti
