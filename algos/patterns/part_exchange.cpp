#include "algos/patterns/part_exchange.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tutti {

Holders all_with_their_own(int ranks) {
  Holders whole{all_ranks(ranks), {}};
  for (const Rank r : whole.ranks) whole.origins.push_back({r});
  return whole;
}

Count sum_for(const CountFromTo& count, const Ranks& origins, Rank to) {
  Count sum = 0;
  for (const Rank from : origins) sum += count(from, to);
  return sum;
}

Count sum_for(const CountFromTo& count, const Ranks& origins, const Ranks& part) {
  Count sum = 0;
  for (const Rank to : part) sum += sum_for(count, origins, to);
  return sum;
}

std::vector<Target> targets_of(const std::vector<Ranks>& parts, const Ranks& own, Rank r) {
  const auto number = static_cast<std::size_t>(number_among(r, own));
  std::vector<Target> targets;
  targets.reserve(parts.size());
  for (const Ranks& part : parts) targets.push_back({part[number % part.size()], &part});
  std::sort(targets.begin(), targets.end(), [](const Target& a, const Target& b) { return a.rank < b.rank; });
  return targets;
}

Ranks senders_to(const std::vector<Ranks>& parts, const Ranks& own, Rank r) {
  const auto number = static_cast<std::size_t>(number_among(r, own));
  Ranks senders;
  for (const Ranks& part : parts)
    for (std::size_t i = number; i < part.size(); i += own.size()) senders.push_back(part[i]);
  std::sort(senders.begin(), senders.end());
  return senders;
}

Holders after_exchange(const Holders& whole, const std::vector<Ranks>& parts, const Ranks& part) {
  Holders after{part, {}};
  for (const Rank r : part) {
    Ranks origins;
    for (const Rank sender : senders_to(parts, part, r)) {
      const Ranks& its = whole.origins_of(sender);
      origins.insert(origins.end(), its.begin(), its.end());
    }
    after.origins.push_back(std::move(origins));
  }
  return after;
}

std::shared_ptr<const BlockCounts> counts_on_lane(const CountFromTo& count, const Holders& whole,
                                                  const std::vector<Target>& lane) {
  std::vector<Count> counts;
  for (const Target& from : lane)
    for (const Target& to : lane) counts.push_back(sum_for(count, whole.origins_of(from.rank), *to.part));
  return std::make_shared<BlockCounts>(static_cast<int>(lane.size()), counts);
}

CountFromTo counts_of(const Call& call) {
  return [&call](Rank from, Rank to) {
    return call.exchange ? call.exchange->all->from_to(from, to) : call.blocks.count(to);
  };
}

std::shared_ptr<const BlockCounts> counts_on_lane(const Call& call, const Holders& whole,
                                                  const std::vector<Target>& lane) {
  // What is still held is held by a call, which the counts that its own are made of outlive: their address is theirs.
  using Made = std::tuple<const BlockCounts*, Count, Ranks>;  // of these, by whom, with what of whom, for whom
  thread_local std::map<Made, std::weak_ptr<const BlockCounts>> held;
  Ranks who;
  for (const Target& member : lane)
    for (const Ranks& ranks : {Ranks{member.rank}, whole.origins_of(member.rank), *member.part}) {
      who.push_back(static_cast<Rank>(ranks.size()));
      who.insert(who.end(), ranks.begin(), ranks.end());
    }
  const Made made = call.exchange ? Made{call.exchange->all, 0, who} : Made{nullptr, call.blocks.count(0), who};
  if (const auto found = held.find(made); found != held.end())
    if (auto counts = found->second.lock()) return counts;
  std::erase_if(held, [](const auto& entry) { return entry.second.expired(); });
  std::shared_ptr<const BlockCounts> counts = counts_on_lane(counts_of(call), whole, lane);
  held[made] = counts;
  return counts;
}

std::vector<Ranks> parts_of(const Holders& whole, const std::optional<Level>& level, const PlaceOf& place) {
  if (level) return divide(whole.ranks, *level, place);
  std::vector<Ranks> parts;
  for (const Rank r : whole.ranks) parts.push_back({r});
  return parts;
}

const Ranks& part_with(const std::vector<Ranks>& parts, Rank r) {
  return *std::find_if(parts.begin(), parts.end(),
                       [&](const Ranks& part) { return std::binary_search(part.begin(), part.end(), r); });
}

}  // namespace tutti
