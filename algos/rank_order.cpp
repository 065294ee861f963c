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
  const auto refuse = [&](const std::string& expected) { throw InputError("expected a list like 2-0-1: " + expected); };
  for (const char* at = text.data();; ++at) {
    const char* const end = text.data() + text.size();
    Rank rank = 0;
    const auto [next, error] = std::from_chars(at, end, rank);
    if (error == std::errc::invalid_argument || *at == '-') refuse("ranks with - between them");
    if (error != std::errc()) refuse("ranks below 2^31");
    list.push_back(rank);
    at = next;
    if (at == end) break;
    if (*at != '-') refuse("ranks with - between them");
  }
  std::vector<Rank> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  if (list.size() < 2) refuse("two ranks or more");
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<Rank>(i))
      refuse("each rank from 0 to " + std::to_string(sorted.size() - 1) + " once, and there is " +
             (sorted[i] > static_cast<Rank>(i) ? "no " + std::to_string(i) : "another " + std::to_string(sorted[i])));
  return list;
}

}  // namespace

std::int64_t number_of_order(std::string_view list) {
  std::vector<Rank> order = parse_order(list);
  KnownOrders& known = known_orders();
  const std::lock_guard lock(known.mutex);
  if (const auto found = known.numbers.find(order); found != known.numbers.end()) return found->second;
  known.lists.push_back(order);  // first: where memory runs out next, the number is not given to another list
  return known.numbers.emplace(std::move(order), known.lists.size() - 1).first->second;
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
  if (const auto found = known.groups.find({number, ranks}); found != known.groups.end()) return found->second;
  Group group;
  const std::vector<Rank>& list = known.lists.at(static_cast<std::size_t>(number));
  for (std::int64_t first = 0; first < ranks; first += static_cast<std::int64_t>(list.size()))
    for (const Rank rank : list)
      if (rank < ranks - first) group.members.push_back(static_cast<Rank>(first) + rank);
  group.id = kListedOrder;
  group.kind = GroupKind::listed;
  group.ascending = std::is_sorted(group.members.begin(), group.members.end());
  return known.groups.emplace(std::pair(number, ranks), std::move(group)).first->second;
}

}  // namespace tutti
