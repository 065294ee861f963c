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
  std::unordered_map<int, std::size_t> at;
  int before = 0;  // mostly, ranks of one place follow one another
  std::size_t part = 0;
  for (const Rank r : ranks) {
    const int here = place(r, level);
    if (parts.empty() || here != before) part = at.try_emplace(here, parts.size()).first->second;
    if (part == parts.size()) parts.emplace_back();
    parts[part].push_back(r);
    before = here;
  }
  return parts;
}

bool are_equal(const std::vector<std::vector<Rank>>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const std::vector<Rank>& part) { return part.size() == parts.front().size(); });
}

}  // namespace tutti
