#include "algos/rank_order.hpp"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace tutti {
namespace {

/// Grows alone: what it refers to stays.
struct KnownOrders {
  std::mutex mutex;
  std::deque<std::vector<Rank>> lists;
  std::map<std::vector<Rank>, std::int64_t> numbers;
  std::map<std::pair<std::int64_t, int>, Group> groups;
};
KnownOrders& known_orders() {
  static KnownOrders one;
  return one;
}

std::vector<Rank> parse_order(std::string_view text) {
  std::vector<Rank> list;
  const auto refuse = [&](const std::string& expected) { throw InputError("expected " + expected + ", as in 2-0-1"); };
  for (const char* at = text.data();; ++at) {
    const char* const end = text.data() + text.size();
    Rank rank = 0;
    const auto [next, error] = std::from_chars(at, end, rank);
    if (error != std::errc() || *at == '-') refuse("ranks with - between them");
    list.push_back(rank);
    at = next;
    if (at == end) break;
    if (*at != '-') refuse("ranks with - between them");
  }
  std::vector<Rank> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted.size() < 2 || sorted[i] != static_cast<Rank>(i))
      refuse("each rank from 0 to " + std::to_string(std::max<std::size_t>(2, sorted.size()) - 1) + " once");
  return list;
}

}  // namespace

std::int64_t number_of_order(std::string_view list) {
  std::vector<Rank> order = parse_order(list);
  KnownOrders& known = known_orders();
  const std::lock_guard lock(known.mutex);
  const auto [found, is_new] = known.numbers.try_emplace(std::move(order), known.lists.size());
  if (is_new) known.lists.push_back(found->first);
  return found->second;
}

std::string text_of_order(std::int64_t number) {
  KnownOrders& known = known_orders();
  const std::lock_guard lock(known.mutex);
  std::string text;
  for (const Rank rank : known.lists.at(static_cast<std::size_t>(number)))
    text += (text.empty() ? "" : "-") + std::to_string(rank);
  return text;
}

const Group& ranks_in_order(std::int64_t number, int ranks) {
  KnownOrders& known = known_orders();
  const std::lock_guard lock(known.mutex);
  const auto [found, is_new] = known.groups.try_emplace({number, ranks});
  Group& group = found->second;
  if (is_new) {
    const std::vector<Rank>& list = known.lists.at(static_cast<std::size_t>(number));
    const int length = static_cast<int>(list.size());
    group.members.reserve(static_cast<std::size_t>(ranks));
    for (Rank first = 0; first < ranks; first += length)
      for (const Rank rank : list)
        if (rank < ranks - first) group.members.push_back(first + rank);
    group.id = kListedOrder;
    group.kind = GroupKind::listed;
    group.ascending = std::is_sorted(group.members.begin(), group.members.end());
  }
  return group;
}

}  // namespace tutti
